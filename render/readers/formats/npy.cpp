// Reads NumPy's .npy, versions 1 to 3 (numpy.lib.format). Three indices are (z, y, x). Four
// are (timestep, z, y, x), or (z, y, x, component) if the last is 2 to 4; five are both. The last
// index is the same in C and in Fortran order, so equal arrays give equal volumes.
#include <fmt/format.h>

#include <algorithm>

#include "render/readers/formats/grid_volume.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t max_npy_header = 1 << 20;

// Returns the value's text of `'key': value` in the header's dictionary, up to the comma or bracket
// that ends it. Throws InputError if the key is missing.
std::string_view npy_value(std::string_view header, std::string_view key, const std::string& file) {
  for (const char quote : {'\'', '"'}) {
    const std::string word = quote + std::string(key) + quote;
    const std::size_t at = header.find(word);
    if (at == std::string_view::npos) continue;
    const std::size_t colon = header.find(':', at + word.size());
    if (colon == std::string_view::npos) break;
    std::string_view value = trimmed(header.substr(colon + 1));
    const char last = value.starts_with('(') ? ')' : value.starts_with('[') ? ']' : ',';
    const std::size_t end = value.find(last);
    if (end == std::string_view::npos) return trimmed(value.substr(0, value.find('}')));
    return trimmed(value.substr(0, last == ',' ? end : end + 1));
  }
  throw InputError({file}, std::string(key), "a key of the header", "none");
}

GridFormat npy_format(std::string_view descr, const std::string& file) {
  const FieldPlace place = {file, "descr"};
  std::string_view word = descr;
  if (word.size() >= 2) word = word.substr(1, word.size() - 2);  // quotes
  if (word == "|b1") return {Element::u8, false, {}};
  const auto element = word.size() == 3 ? [&]() -> std::optional<Element> {
    const auto bytes = parse_whole(word.substr(2));
    return bytes ? element_of(fmt::format("{}{}", word[1], *bytes * 8)) : std::nullopt;
  }()
      : std::nullopt;
  const bool known_order = !word.empty() && std::string_view("<>|=").find(word[0]) != word.npos;
  if (!element || !known_order)
    place.refuse("whole or floating-point numbers, such as '<f4'", in_quotes(descr));
  return {*element, word[0] == '>', {}};
}

/// Sets the words for the axes, too.
std::vector<FileAxis> npy_axes(std::string_view shape, bool fortran, const std::string& file,
                               std::string& interpretation) {
  const FieldPlace place = {file, "shape"};
  std::vector<std::int64_t> lengths;
  for (const std::string& part : split(shape, "(), \tL")) {
    const auto length = parse_whole(part);
    if (!length) place.refuse("whole numbers", in_quotes(part));
    lengths.push_back(*length);
  }
  const bool has_components = lengths.size() > 3 && lengths.back() > 1 && lengths.back() <= 4;
  const std::size_t most = has_components ? 5 : 4;
  if (lengths.size() < 3 || lengths.size() > most)
    place.refuse(
        "3 indices (z, y, x), 4 (timestep, z, y, x), or one more for 2 to 4 components of vectors",
        fmt::format("{}", lengths.size()));
  constexpr AxisRole roles[] = {AxisRole::timestep, AxisRole::z, AxisRole::y, AxisRole::x,
                                AxisRole::component};
  constexpr const char* words[] = {"time", "z", "y", "x", "component"};
  std::vector<FileAxis> axes;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t role = i + most - lengths.size();
    axes.push_back({roles[role], lengths[i]});
    interpretation += (i == 0 ? "" : ", ") + std::string(words[role]);
  }
  if (!fortran) std::reverse(axes.begin(), axes.end());
  return axes;
}

}  // namespace

VolumeSourcePtr open_npy(const std::filesystem::path& file, const VolumeOptions& options) {
  const std::string name = file.string();
  FileBytes bytes(file);
  std::array<std::byte, 12> start = {};
  bytes.read(0, std::span(start).first(10));
  const auto major = static_cast<int>(start[6]);
  if (major < 1 || major > 3)
    throw InputError({name}, "version", "1, 2 or 3", fmt::format("{}", major));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  bytes.read(0, std::span(start).first(8 + length_bytes));
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= static_cast<std::size_t>(start[8 + i]) << (8 * i);
  if (length > max_npy_header)
    throw InputError({name}, "header", fmt::format("at most {} bytes", max_npy_header),
                     fmt::format("{} bytes", length));
  std::string header(length, '\0');
  bytes.read(8 + length_bytes, std::as_writable_bytes(std::span(header)));

  const GridFormat format = npy_format(npy_value(header, "descr", name), name);
  const std::string_view order = npy_value(header, "fortran_order", name);
  if (order != "True" && order != "False")
    throw InputError({name}, "fortran_order", "True or False", in_quotes(order));
  VolumeInfo info;
  info.format = "NumPy";
  const auto axes =
      npy_axes(npy_value(header, "shape", name), order == "True", name, info.interpretation);
  return std::make_unique<GridVolume>(std::move(info), axes, format,
                                      std::make_unique<FileBytes>(file, 8 + length_bytes + length),
                                      options, FieldPlace{name, "shape"});
}

}  // namespace tilewall::render
