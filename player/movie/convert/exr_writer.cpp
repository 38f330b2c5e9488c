#include "player/movie/convert/exr_writer.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {
namespace {

static_assert(std::endian::native == std::endian::little, "EXR files are little endian");

constexpr std::int32_t exr_magic = 20000630;
constexpr std::int32_t exr_version = 2;  // one part of scan lines
constexpr int block_rows = 16;           // of ZIP
constexpr std::uint8_t zip_compression = 3;
constexpr std::int32_t half_type = 1;
constexpr std::int32_t float_type = 2;
constexpr int deflate_level = 4;  // OpenEXR's own
constexpr std::size_t pixel_bytes = 4 * sizeof(std::uint16_t) + sizeof(float);

struct DeflaterTraits {
  using Raw = libdeflate_compressor*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { libdeflate_free_compressor(raw); }
};

template <typename Number>
void append(std::string& to, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  to.append(bytes, sizeof bytes);
}

void append_name(std::string& to, std::string_view name) { to.append(name).push_back('\0'); }

void append_attribute(std::string& to, std::string_view name, std::string_view type,
                      std::string_view value) {
  append_name(to, name);
  append_name(to, type);
  append(to, static_cast<std::int32_t>(value.size()));
  to.append(value);
}

template <typename... Numbers>
std::string bytes_of(Numbers... numbers) {
  std::string bytes;
  (append(bytes, numbers), ...);
  return bytes;
}

/// The channels by name, as they lie in a scan line.
std::string channel_list() {
  std::string list;
  for (const std::string_view name : {"A", "B", "G", "R", "Z"}) {
    append_name(list, name);
    append(list, name == "Z" ? float_type : half_type);
    append(list, std::int32_t{0});  // not "perceptually linear", and three reserved bytes
    append(list, std::int32_t{1});  // a sample for each column
    append(list, std::int32_t{1});  // and for each row
  }
  list.push_back('\0');
  return list;
}

std::string header_of(SizePx size) {
  const std::string window = bytes_of<std::int32_t, std::int32_t, std::int32_t, std::int32_t>(
      0, 0, size.width - 1, size.height - 1);
  std::string header = bytes_of(exr_magic, exr_version);
  append_attribute(header, "channels", "chlist", channel_list());
  append_attribute(header, "compression", "compression", bytes_of(zip_compression));
  append_attribute(header, "dataWindow", "box2i", window);
  append_attribute(header, "displayWindow", "box2i", window);
  append_attribute(header, "lineOrder", "lineOrder", bytes_of(std::uint8_t{0}));
  append_attribute(header, "pixelAspectRatio", "float", bytes_of(1.0F));
  append_attribute(header, "screenWindowCenter", "v2f", bytes_of(0.0F, 0.0F));
  append_attribute(header, "screenWindowWidth", "float", bytes_of(1.0F));
  header.push_back('\0');
  return header;
}

void append_halves(std::string& to, std::span<const float> values) {
  for (const float value : values) append(to, half_of(value));
}

/// What ZIP compresses: the bytes at even places, then those at odd ones, each as the difference
/// from the byte before it.
std::string predicted(const std::string& raw) {
  std::string parted(raw.size(), '\0');
  const std::size_t half = (raw.size() + 1) / 2;
  for (std::size_t i = 0; i < raw.size(); ++i) parted[i / 2 + (i % 2 == 0 ? 0 : half)] = raw[i];
  for (std::size_t i = parted.size() - 1; i > 0; --i)
    parted[i] = static_cast<char>(parted[i] - parted[i - 1] + 128);
  return parted;
}

class BlockCompressor {
 public:
  BlockCompressor() : deflater_(libdeflate_alloc_compressor(deflate_level)) {
    if (deflater_.get() == nullptr) throw JobError("out of memory for an EXR image");
  }

  /// A block as the file has it: its own bytes where compression would not make them fewer.
  [[nodiscard]] std::string compressed(const std::string& raw) {
    const std::string parted = predicted(raw);
    std::string packed(raw.size(), '\0');
    const std::size_t bytes = libdeflate_zlib_compress(deflater_.get(), parted.data(),
                                                       parted.size(), packed.data(), packed.size());
    if (bytes == 0 || bytes >= raw.size()) return raw;
    packed.resize(bytes);
    return packed;
  }

 private:
  UniqueHandle<DeflaterTraits> deflater_;
};

std::string rows_of(const AVFrame& picture, int first, int end) {
  std::string raw;
  raw.reserve(static_cast<std::size_t>(end - first) * static_cast<std::size_t>(picture.width) *
              pixel_bytes);
  for (int y = first; y < end; ++y) {
    const ConstFloatRow row = float_row(picture, y);
    for (const auto& plane : {row.opacity, row.blue, row.green, row.red}) append_halves(raw, plane);
    for (const float depth : row.depth) append(raw, depth);
  }
  return raw;
}

}  // namespace

std::uint16_t half_of(float value) noexcept {
  constexpr std::uint32_t infinity = 0x7f80'0000;
  constexpr std::uint32_t beyond_half = 0x477f'f000;   // 65520 rounds to infinity
  constexpr std::uint32_t least_normal = 0x3880'0000;  // 2^-14
  constexpr std::uint32_t one_half = 0x3f00'0000;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t size = bits & 0x7fff'ffff;
  std::uint32_t half = 0;
  if (size > infinity)
    half = 0x7e00;  // not a number
  else if (size >= beyond_half)
    half = 0x7c00;
  else if (size < least_normal)  // the addition rounds to steps of 2^-24, as subnormals have them
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F) - one_half;
  else
    half = (size - (std::uint32_t{112} << 23) + 0xfff + (size >> 13 & 1)) >> 13;
  return static_cast<std::uint16_t>(sign | half);
}

std::string encode_exr(const AVFrame& picture) {
  BlockCompressor compressor;
  const auto blocks = static_cast<std::size_t>((picture.height + block_rows - 1) / block_rows);
  std::string file = header_of({picture.width, picture.height});
  const std::size_t table_at = file.size();
  file.resize(table_at + blocks * sizeof(std::uint64_t));
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint64_t place = file.size();
    std::memcpy(file.data() + table_at + block * sizeof place, &place, sizeof place);
    const int first = static_cast<int>(block) * block_rows;
    const std::string packed = compressor.compressed(
        rows_of(picture, first, std::min(first + block_rows, picture.height)));
    append(file, std::int32_t{first});
    append(file, static_cast<std::int32_t>(packed.size()));
    file += packed;
  }
  return file;
}

}  // namespace tilewall::movie
