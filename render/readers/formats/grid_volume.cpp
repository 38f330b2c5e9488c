#include "render/readers/formats/grid_volume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

constexpr std::uint64_t window_bytes = std::uint64_t{4} << 20;
constexpr std::size_t longest_word = 400;  // characters of a number; a double has up to 309 digits

struct MergePlan {
  int count = 1;
  int first = 0;
};

MergePlan plan_merge(std::int64_t components, int asked, const FieldPlace& place) {
  if (asked >= components)
    FieldPlace{place.file, "component"}.refuse(fmt::format("0 to {}", components - 1),
                                               fmt::format("{}", asked));
  if (components == 1 || asked >= 0) return {1, std::max(asked, 0)};
  return {static_cast<int>(components), 0};
}

std::int64_t length_of(const std::vector<FileAxis>& axes, AxisRole role) {
  for (const FileAxis& axis : axes)
    if (axis.role == role) return axis.length;
  return 1;
}

GridSteps steps_of(const std::vector<FileAxis>& axes) {
  GridSteps steps;
  std::uint64_t step = 1;
  for (const FileAxis& axis : axes) {
    if (axis.role == AxisRole::component)
      steps.component = step;
    else if (axis.role == AxisRole::timestep)
      steps.timestep = step;
    else
      steps.axis[static_cast<std::size_t>(axis.role)] = step;
    step *= static_cast<std::uint64_t>(axis.length);
  }
  return steps;
}

VoxelConverter converter_of(const std::vector<FileAxis>& axes, const GridFormat& format,
                            const MergePlan& merge) {
  return {format.element, format.swapped, format.rules, merge.count,
          static_cast<std::ptrdiff_t>(steps_of(axes).component) * bytes_of(format.element)};
}

void store_number(double value, Element element, std::byte* to) {
  const auto put = [to](auto number) { std::memcpy(to, &number, sizeof number); };
  const auto whole = [&]<typename T>(T) {
    const bool fits = value >= static_cast<double>(std::numeric_limits<T>::min()) &&
                      value < static_cast<double>(std::numeric_limits<T>::max()) + 1.0;
    put(fits ? static_cast<T>(value) : T{0});
  };
  switch (element) {
    case Element::i8:
      return whole(std::int8_t{});
    case Element::u8:
      return whole(std::uint8_t{});
    case Element::i16:
      return whole(std::int16_t{});
    case Element::u16:
      return whole(std::uint16_t{});
    case Element::i32:
      return whole(std::int32_t{});
    case Element::u32:
      return whole(std::uint32_t{});
    case Element::i64:
      return whole(std::int64_t{});
    case Element::u64:
      return whole(std::uint64_t{});
    case Element::f16:
    case Element::f32:
      return put(static_cast<float>(value));
    case Element::f64:
      return put(value);
  }
}

}  // namespace

std::vector<FileAxis> xyz_axes(VolumeSize size) {
  return {{AxisRole::x, size.x}, {AxisRole::y, size.y}, {AxisRole::z, size.z}};
}

std::uint64_t grid_bytes(const std::vector<FileAxis>& axes, Element element,
                         const FieldPlace& place) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  auto bytes = static_cast<std::uint64_t>(bytes_of(element));
  for (const FileAxis& axis : axes) {
    if (axis.length < 1) place.refuse("lengths of 1 or more", fmt::format("{}", axis.length));
    if (static_cast<std::uint64_t>(axis.length) > most / bytes)
      place.refuse("fewer than 2^62 bytes", "more");
    bytes *= static_cast<std::uint64_t>(axis.length);
  }
  return bytes;
}

GridVolume::GridVolume(VolumeInfo info, const std::vector<FileAxis>& axes, const GridFormat& format,
                       ByteSourcePtr bytes, const VolumeOptions& options, const FieldPlace& place,
                       Rest rest)
    : element_bytes_(bytes_of(format.element)),
      total_bytes_(grid_bytes(axes, format.element, place)),
      rest_(rest),
      converter_(
          converter_of(axes, format,
                       plan_merge(length_of(axes, AxisRole::component), options.component, place))),
      bytes_(std::move(bytes)) {
  info_ = std::move(info);
  info_.size = checked_size(
      {length_of(axes, AxisRole::x), length_of(axes, AxisRole::y), length_of(axes, AxisRole::z)},
      place);
  const auto held = bytes_->size();
  if (held && (*held < total_bytes_ || (*held > total_bytes_ && rest == Rest::refuse)))
    throw InputError({place.file}, "data",
                     fmt::format("{} bytes of {}, as {} says", total_bytes_,
                                 name_of(format.element), place.field),
                     fmt::format("{} bytes", *held));
  steps_ = steps_of(axes);
  const std::int64_t components = length_of(axes, AxisRole::component);
  const MergePlan merge = plan_merge(components, options.component, place);
  first_number_ = static_cast<std::uint64_t>(merge.first) * steps_.component;
  merge_span_ = static_cast<std::uint64_t>(merge.count - 1) * steps_.component;
  info_.components = static_cast<int>(components);
  if (merge.count > 1)
    info_.notes.push_back(
        fmt::format("{} numbers a voxel: shown is their vector's length", components));
  const std::int64_t timesteps = length_of(axes, AxisRole::timestep);
  if (info_.times.empty()) set_timesteps(info_, timesteps, 0, 1, "", place);
  TW_CHECK(static_cast<std::int64_t>(info_.times.size()) == timesteps);
  converter_.describe(info_);
}

void GridVolume::read(int timestep, int z_begin, int z_end, std::byte* into) {
  read_box(0, timestep, {{0, 0, z_begin}, {info_.size.x, info_.size.y, z_end}}, into);
  if (timestep + 1 == info_.timesteps() && z_end == info_.size.z)
    bytes_->finish(total_bytes_, rest_ == Rest::ignore);
}

void GridVolume::read_box(int grid, int timestep, const GridBox& box, std::byte* into) {
  TW_CHECK(grid == 0);
  std::uint64_t first = first_number_ + static_cast<std::uint64_t>(timestep) * steps_.timestep;
  for (std::size_t i = 0; i < 3; ++i)
    first += static_cast<std::uint64_t>(box.begin[i]) * steps_.axis[i];
  const VolumeSize size = box.size();
  const auto voxel = static_cast<std::size_t>(bytes_of(info_.type));
  const std::size_t row = static_cast<std::size_t>(size.x) * voxel;
  read_part({first,
             {size.x, size.y, size.z},
             into,
             {voxel, row, row * static_cast<std::size_t>(size.y)}});
}

// Reads a part with one read of the bytes between its first and last number. If these exceed a
// window, halves the part along its slowest axis. Halving works for any order of the axes; reading
// slice by slice would read the file once for each slice where z is the fastest axis.
void GridVolume::read_part(const Part& part) {
  std::uint64_t span = merge_span_ + 1;
  for (std::size_t i = 0; i < 3; ++i)
    span += static_cast<std::uint64_t>(part.count[i] - 1) * steps_.axis[i];
  if (span * static_cast<std::uint64_t>(element_bytes_) <= window_bytes ||
      part.count == std::array{1, 1, 1})
    return read_rows(part, span);
  std::size_t slowest = 3;
  for (std::size_t i = 0; i < 3; ++i)
    if (part.count[i] > 1 && (slowest == 3 || steps_.axis[i] > steps_.axis[slowest])) slowest = i;
  Part low = part;
  Part high = part;
  low.count[slowest] = part.count[slowest] / 2;
  high.count[slowest] -= low.count[slowest];
  const auto moved = static_cast<std::size_t>(low.count[slowest]);
  high.first += moved * steps_.axis[slowest];
  high.into += moved * part.into_steps[slowest];
  read_part(low);
  read_part(high);
}

void GridVolume::read_rows(const Part& part, std::uint64_t span) {
  const auto element = static_cast<std::uint64_t>(element_bytes_);
  buffer_.resize(static_cast<std::size_t>(span * element));
  bytes_->read(part.first * element, buffer_);
  for (int z = 0; z < part.count[2]; ++z)
    for (int y = 0; y < part.count[1]; ++y) {
      const std::uint64_t at = (static_cast<std::uint64_t>(z) * steps_.axis[2] +
                                static_cast<std::uint64_t>(y) * steps_.axis[1]) *
                               element;
      converter_.convert(buffer_.data() + at, static_cast<std::ptrdiff_t>(steps_.axis[0] * element),
                         static_cast<std::size_t>(part.count[0]),
                         part.into + static_cast<std::size_t>(z) * part.into_steps[2] +
                             static_cast<std::size_t>(y) * part.into_steps[1]);
    }
}

ByteSourcePtr text_numbers(const std::filesystem::path& file, std::uint64_t offset,
                           std::uint64_t length, Element element, std::uint64_t count) {
  TW_CHECK(element != Element::f16);
  const FieldPlace place = {file.string(), "data"};
  FileBytes text(file, offset, length);
  // A number takes at least one character, and one separates it from the next. This check comes
  // before `count` numbers are allocated, as a hostile header could ask for any amount.
  if (count > *text.size() / 2 + 1)
    place.refuse(fmt::format("{} numbers", count), fmt::format("{} bytes of text", *text.size()));
  const auto bytes = static_cast<std::size_t>(bytes_of(element));
  std::vector<std::byte> numbers(static_cast<std::size_t>(count) * bytes);
  std::uint64_t done = 0;
  std::string rest;  // word that the end of the last piece has cut
  for (std::uint64_t at = 0; at < *text.size();) {
    const auto piece =
        static_cast<std::size_t>(std::min<std::uint64_t>(1u << 20, *text.size() - at));
    std::string words = rest;
    words.resize(rest.size() + piece);
    text.read(at, std::as_writable_bytes(std::span(words)).subspan(rest.size()));
    at += piece;
    const std::size_t end =
        at < *text.size() ? words.find_last_of(" \t\r\n,") + 1 : words.size();  // npos + 1 is 0
    rest = words.substr(end);
    if (rest.size() > longest_word) place.refuse("numbers", in_quotes(rest));
    for (const std::string& word : split(std::string_view(words).substr(0, end), " \t\r\n,")) {
      const auto number = parse_real(word);
      if (!number) place.refuse("numbers", in_quotes(word));
      if (done == count) place.refuse(fmt::format("{} numbers", count), "more");
      store_number(*number, element, numbers.data() + done++ * bytes);
    }
  }
  if (done < count) place.refuse(fmt::format("{} numbers", count), fmt::format("{}", done));
  return std::make_unique<MemoryBytes>(file.string(), std::move(numbers));
}

}  // namespace tilewall::render
