// Reads MetaImage (itk.org/Wiki/MetaIO): .mhd with its data in other files, .mha with all in one.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "render/readers/formats/grid_volume.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_meta_header = 1 << 20;

struct MetaHeader {
  std::string file;
  std::map<std::string, std::string> fields;
  std::vector<std::string> list;
  std::uint64_t end = 0;  // offset at which local data begin

  [[nodiscard]] FieldPlace place(const std::string& field) const { return {file, field}; }
  /// Value of the first of several synonymous fields that exists; "" if none does.
  [[nodiscard]] std::string any(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (const auto at = fields.find(name); at != fields.end()) return at->second;
    return "";
  }
  [[nodiscard]] const std::string& needed(const std::string& field) const {
    const auto at = fields.find(field);
    if (at == fields.end()) place(field).refuse("this field", "none");
    return at->second;
  }
  [[nodiscard]] bool says(std::initializer_list<const char*> names) const {
    return lower_case(any(names)) == "true";
  }
};

MetaHeader read_meta_header(const fs::path& file) {
  MetaHeader header;
  header.file = file.string();
  FileBytes bytes(file);
  std::string text(
      static_cast<std::size_t>(std::min<std::uint64_t>(*bytes.size(), max_meta_header)), '\0');
  bytes.read(0, std::as_writable_bytes(std::span(text)));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
    at = std::min(end + 1, text.size());
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos)
      header.place("header").refuse("lines of \"Field = value\"", in_quotes(line));
    const std::string field(trimmed(line.substr(0, equals)));
    header.fields[field] = trimmed(line.substr(equals + 1));
    if (field != "ElementDataFile") continue;
    header.end = at;
    if (header.fields[field].starts_with("LIST"))
      header.list = split(std::string_view(text).substr(at), "\r\n");
    return header;
  }
  header.place("ElementDataFile").refuse("this field at the header's end", "none");
}

Element meta_type(const MetaHeader& header) {
  static const std::map<std::string, Element> words = {
      {"MET_CHAR", Element::i8},       {"MET_UCHAR", Element::u8},
      {"MET_SHORT", Element::i16},     {"MET_USHORT", Element::u16},
      {"MET_INT", Element::i32},       {"MET_UINT", Element::u32},
      {"MET_LONG", Element::i32},      {"MET_ULONG", Element::u32},
      {"MET_LONG_LONG", Element::i64}, {"MET_ULONG_LONG", Element::u64},
      {"MET_FLOAT", Element::f32},     {"MET_DOUBLE", Element::f64}};
  std::string word = header.needed("ElementType");
  if (const std::size_t array = word.find("_ARRAY"); array != std::string::npos) word.resize(array);
  const auto found = words.find(word);
  if (found == words.end())
    header.place("ElementType").refuse("a type such as MET_SHORT or MET_FLOAT", in_quotes(word));
  return found->second;
}

void place_meta(const MetaHeader& header, std::size_t dimensions, VolumeInfo& info) {
  std::array<Vec3d, 3> steps = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
  std::string field = "ElementSpacing";
  if (const std::string text = header.any({"TransformMatrix", "Rotation", "Orientation"});
      !text.empty()) {
    field = "TransformMatrix";
    const auto m = real_numbers(text, header.place(field), dimensions * dimensions);
    for (std::size_t i = 0; i < 3; ++i)
      steps[i] = {m[i * dimensions], m[i * dimensions + 1], m[i * dimensions + 2]};
  }
  if (const std::string text = header.any({"ElementSpacing", "ElementSize"}); !text.empty()) {
    const auto spacing = real_numbers(text, header.place("ElementSpacing"), dimensions);
    for (std::size_t i = 0; i < 3; ++i)
      steps[i] = checked_spacing(spacing[i], header.place("ElementSpacing")) * steps[i];
  }
  Vec3d origin;
  if (const std::string text = header.any({"Offset", "Position", "Origin"}); !text.empty()) {
    const auto at = real_numbers(text, header.place("Offset"), dimensions);
    origin = {at[0], at[1], at[2]};
  }
  // Only images of patients have this field. Their world is that of ITK: left, back, top.
  if (const std::string letters = header.any({"AnatomicalOrientation"});
      letters.size() == 3 && letters.find_first_not_of("RLAPSI") == std::string::npos) {
    const auto in_world = [](Vec3d v) { return Vec3d{-v.x, -v.y, v.z}; };
    for (Vec3d& step : steps) step = in_world(step);
    origin = in_world(origin);
    info.is_anatomical = true;
  }
  info.place = place_of_steps(origin, steps, header.place(field), info.notes);
  info.length_unit = "mm";
}

ByteSourcePtr meta_bytes(const MetaHeader& header, const fs::path& file, std::uint64_t from,
                         std::uint64_t part_bytes, Element element) {
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  if (header.says({"CompressedData"})) return inflated_bytes(file, from, Wrapper::zlib);
  if (lower_case(header.any({"BinaryData"})) == "false")
    return text_numbers(file, from, all, element,
                        part_bytes / static_cast<std::uint64_t>(bytes_of(element)));
  if (const std::string text = header.any({"HeaderSize"}); !text.empty()) {
    const auto skip = whole_numbers(text, header.place("HeaderSize"), 1)[0];
    const std::uint64_t held = *FileBytes(file).size();
    if (skip < -1) header.place("HeaderSize").refuse("-1 or more", fmt::format("{}", skip));
    if (skip == -1 && held < part_bytes) throw_bytes_missing(file.string(), part_bytes, held);
    from = skip == -1 ? held - part_bytes : from + static_cast<std::uint64_t>(skip);
  }
  return std::make_unique<FileBytes>(file, from);
}

}  // namespace

VolumeSourcePtr open_metaimage(const fs::path& file, const VolumeOptions& options) {
  const MetaHeader header = read_meta_header(file);
  const auto sides = whole_numbers(header.needed("DimSize"), header.place("DimSize"));
  const auto dimensions = whole_numbers(header.needed("NDims"), header.place("NDims"), 1)[0];
  if (dimensions != static_cast<std::int64_t>(sides.size()))
    header.place("DimSize").refuse(fmt::format("{} numbers, as NDims says", dimensions),
                                   fmt::format("{}", sides.size()));
  if (dimensions != 3 && dimensions != 4)
    header.place("NDims").refuse("3, or 4 with timesteps", fmt::format("{}", dimensions));
  std::vector<FileAxis> axes = {
      {AxisRole::x, sides[0]}, {AxisRole::y, sides[1]}, {AxisRole::z, sides[2]}};
  if (dimensions == 4) axes.push_back({AxisRole::timestep, sides[3]});
  if (const std::string text = header.any({"ElementNumberOfChannels"}); !text.empty()) {
    const auto channels = whole_numbers(text, header.place("ElementNumberOfChannels"), 1)[0];
    if (channels != 1) axes.insert(axes.begin(), {AxisRole::component, channels});
  }
  GridFormat format;
  format.element = meta_type(header);
  const bool text = lower_case(header.any({"BinaryData"})) == "false";
  format.swapped = !text && header.says({"BinaryDataByteOrderMSB", "ElementByteOrderMSB"});

  VolumeInfo info;
  info.format = "MetaImage";
  place_meta(header, sides.size(), info);

  const std::uint64_t total = grid_bytes(axes, format.element, header.place("DimSize"));
  const std::string& data = header.needed("ElementDataFile");
  const fs::path folder = file.parent_path();
  ByteSourcePtr bytes;
  if (lower_case(data) == "local") {
    bytes = meta_bytes(header, file, header.end, total, format.element);
  } else if (data.starts_with("LIST")) {
    if (header.list.empty() || total % header.list.size() != 0)
      header.place("ElementDataFile")
          .refuse("files that share the data evenly", fmt::format("{} files", header.list.size()));
    const std::uint64_t part = total / header.list.size();
    bytes = std::make_unique<ChainedBytes>(
        part, [header, folder, part, element = format.element](std::size_t number) {
          return meta_bytes(header, folder / std::string(trimmed(header.list.at(number))), 0, part,
                            element);
        });
  } else if (data.find('%') != std::string::npos) {
    header.place("ElementDataFile").refuse("a file, LOCAL or LIST", in_quotes(data));
  } else {
    bytes = meta_bytes(header, folder / data, 0, total, format.element);
  }
  return std::make_unique<GridVolume>(std::move(info), axes, format, std::move(bytes), options,
                                      header.place("DimSize"));
}

}  // namespace tilewall::render
