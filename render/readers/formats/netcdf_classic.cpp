#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "render/readers/formats/netcdf_file.hpp"

namespace tilewall::render {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60;
constexpr std::size_t most_dimensions = 1024;
constexpr std::uint32_t unknown_records = 0xffffffff;  // number of records while it is written
constexpr std::uint32_t dimension_tag = 10, variable_tag = 11, attribute_tag = 12;

/// Reads the fields of a header in order. Never throws: after an early end or a number out of
/// range, ok() is false and all numbers are 0.
class ClassicHeader {
 public:
  explicit ClassicHeader(const std::filesystem::path& file) : from_(file, std::ios::binary) {
    std::array<char, 4> magic{};
    from_.read(magic.data(), magic.size());
    const int version = static_cast<unsigned char>(magic[3]);
    ok_ = from_.good() && magic[0] == 'C' && magic[1] == 'D' && magic[2] == 'F' &&
          (version == 1 || version == 2 || version == 5);
    wide_counts_ = version == 5;
    wide_offsets_ = version != 1;
  }

  [[nodiscard]] bool ok() const noexcept { return ok_; }

  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; ok_ && i < bytes; ++i) {
      const int byte = from_.get();
      ok_ = byte >= 0;
      value = value << 8 | static_cast<std::uint64_t>(byte & 0xff);
    }
    return value;
  }
  std::uint64_t count() { return limited(number(wide_counts_ ? 8 : 4)); }
  std::uint64_t offset() { return limited(number(wide_offsets_ ? 8 : 4)); }
  std::uint32_t word() { return static_cast<std::uint32_t>(number(4)); }

  /// Reads the head of a list; returns its length, 0 if it is absent.
  std::uint64_t list(std::uint32_t tag) {
    const std::uint32_t found = word();
    const std::uint64_t length = count();
    ok_ = ok_ && (found == tag || (found == 0 && length == 0));
    return ok_ ? length : 0;
  }
  void skip_padded(std::uint64_t bytes) {
    if (ok_) from_.seekg(static_cast<std::streamoff>(limited((bytes + 3) / 4 * 4)), std::ios::cur);
    ok_ = ok_ && from_.good();
  }
  void skip_name() { skip_padded(count()); }
  void skip_attributes() {
    for (std::uint64_t left = list(attribute_tag); ok_ && left > 0; --left) {
      skip_name();
      const std::uint64_t bytes = bytes_of_type(word());
      skip_padded(limited(count()) * bytes);
    }
  }

  std::uint64_t bytes_of_type(std::uint32_t type) {
    constexpr std::uint64_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    ok_ = ok_ && type > 0 && type < std::size(sizes);
    return ok_ ? sizes[type] : 0;
  }
  std::uint64_t limited(std::uint64_t value) {
    ok_ = ok_ && value <= most_bytes / 16;
    return ok_ ? value : 0;
  }

 private:
  std::ifstream from_;
  bool ok_ = false;
  bool wide_counts_ = false;
  bool wide_offsets_ = false;
};

struct ClassicVariable {
  std::uint64_t begin = 0;   // offset in the file
  std::uint64_t bytes = 0;   // size; of one record if it has records
  bool has_records = false;  // its first dimension is the unlimited one
};

/// Length of each dimension; 0 for the unlimited one.
using Dimensions = std::vector<std::uint64_t>;

ClassicVariable read_variable(ClassicHeader& header, const Dimensions& dimensions) {
  ClassicVariable variable;
  header.skip_name();
  const std::uint64_t rank = std::min<std::uint64_t>(header.count(), most_dimensions);
  std::uint64_t values = 1;
  for (std::uint64_t i = 0; header.ok() && i < rank; ++i) {
    const std::uint64_t id = header.count();
    const std::uint64_t length = id < dimensions.size() ? dimensions[id] : 0;
    if (i == 0 && length == 0)
      variable.has_records = true;
    else if (length > 0 && values > most_bytes / length)
      values = most_bytes;
    else
      values *= length;
  }
  header.skip_attributes();
  const std::uint64_t size = header.bytes_of_type(header.word());
  static_cast<void>(header.count());  // vsize, which old writers get wrong above 4 GiB
  variable.begin = header.offset();
  variable.bytes = size > 0 && values > most_bytes / size ? most_bytes : values * size;
  return variable;
}

}  // namespace

std::optional<std::uint64_t> classic_netcdf_bytes(const std::filesystem::path& file) {
  ClassicHeader header(file);
  if (!header.ok()) return std::nullopt;
  const std::uint64_t records = header.count();
  Dimensions dimensions;
  for (std::uint64_t left = header.list(dimension_tag); header.ok() && left > 0; --left) {
    header.skip_name();
    dimensions.push_back(header.count());
  }
  header.skip_attributes();
  std::vector<ClassicVariable> variables;
  for (std::uint64_t left = header.list(variable_tag); header.ok() && left > 0; --left)
    variables.push_back(read_variable(header, dimensions));
  if (!header.ok()) return std::nullopt;
  const auto recorded = std::count_if(variables.begin(), variables.end(),
                                      [](const ClassicVariable& v) { return v.has_records; });
  // A record has a part for each variable with records. The specification pads these parts to 4
  // bytes, unless there is only one.
  std::uint64_t record_bytes = 0;
  for (const ClassicVariable& variable : variables)
    if (variable.has_records)
      record_bytes += recorded == 1 ? variable.bytes : (variable.bytes + 3) / 4 * 4;
  std::uint64_t end = 0;
  for (const ClassicVariable& variable : variables) {
    if (variable.has_records && (records == 0 || records == unknown_records)) continue;
    const std::uint64_t before = variable.has_records ? records - 1 : 0;
    if (record_bytes > 0 && before > most_bytes / record_bytes) return std::nullopt;
    end = std::max(end, variable.begin + before * record_bytes + variable.bytes);
  }
  return end;
}

}  // namespace tilewall::render
