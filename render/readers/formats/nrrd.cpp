// Reads NRRD (teem.sourceforge.net/nrrd/format.html), attached and detached: raw, gzip and text
// data, in one file or several.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "render/readers/formats/grid_volume.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_nrrd_header = 1 << 20;
constexpr std::size_t max_nrrd_files = 1 << 20;

struct NrrdHeader {
  std::string file;
  std::map<std::string, std::string> fields;  // by name in lower case
  std::vector<std::string> list;              // names of data files after "data file: LIST"
  std::uint64_t end = 0;                      // offset at which attached data begin

  [[nodiscard]] FieldPlace place(const std::string& field) const { return {file, field}; }
  [[nodiscard]] const std::string* find(const std::string& field) const {
    const auto at = fields.find(field);
    return at == fields.end() ? nullptr : &at->second;
  }
  [[nodiscard]] const std::string& needed(const std::string& field) const {
    const std::string* value = find(field);
    if (value == nullptr) place(field).refuse("this field", "none");
    return *value;
  }
};

// Returns the canonical name of a field. The standard has two spellings for some.
std::string nrrd_field(std::string_view name) {
  std::string lower = lower_case(trimmed(name));
  if (lower == "datafile") return "data file";
  if (lower == "lineskip") return "line skip";
  if (lower == "byteskip") return "byte skip";
  return lower;
}

NrrdHeader read_nrrd_header(const fs::path& file) {
  NrrdHeader header;
  header.file = file.string();
  FileBytes bytes(file);
  std::string text(
      static_cast<std::size_t>(std::min<std::uint64_t>(*bytes.size(), max_nrrd_header)), '\0');
  bytes.read(0, std::as_writable_bytes(std::span(text)));
  bool first = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view raw_line = std::string_view(text).substr(at, end - at);
    at = std::min(end + 1, text.size());
    header.end = at;
    const std::string_view line = trimmed(raw_line);
    if (first) {
      first = false;
      continue;
    }
    if (!header.list.empty() || header.fields.contains("data file")) {
      const std::string& data = header.fields["data file"];
      if (data.starts_with("LIST")) {
        if (!line.empty()) header.list.emplace_back(line);
        continue;
      }
    }
    if (line.empty()) return header;
    if (line[0] == '#') continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      header.place("header").refuse("lines of \"field: value\"", in_quotes(line));
    if (line.substr(colon).starts_with(":=")) continue;  // "key:=value" is the user's own
    const std::string field = nrrd_field(line.substr(0, colon));
    if (!header.fields.emplace(field, trimmed(line.substr(colon + 1))).second)
      header.place(field).refuse("this field once", "twice");
  }
  if (text.size() == max_nrrd_header)
    header.place("header").refuse(fmt::format("at most {} bytes", max_nrrd_header), "more");
  if (!header.fields.contains("data file"))
    header.place("header").refuse("an empty line at its end", "the file's end");
  return header;
}

Element nrrd_type(const NrrdHeader& header) {
  static const std::map<std::string, Element> words = {{"signed char", Element::i8},
                                                       {"int8", Element::i8},
                                                       {"int8_t", Element::i8},
                                                       {"uchar", Element::u8},
                                                       {"unsigned char", Element::u8},
                                                       {"uint8", Element::u8},
                                                       {"uint8_t", Element::u8},
                                                       {"short", Element::i16},
                                                       {"short int", Element::i16},
                                                       {"signed short", Element::i16},
                                                       {"signed short int", Element::i16},
                                                       {"int16", Element::i16},
                                                       {"int16_t", Element::i16},
                                                       {"ushort", Element::u16},
                                                       {"unsigned short", Element::u16},
                                                       {"unsigned short int", Element::u16},
                                                       {"uint16", Element::u16},
                                                       {"uint16_t", Element::u16},
                                                       {"int", Element::i32},
                                                       {"signed int", Element::i32},
                                                       {"int32", Element::i32},
                                                       {"int32_t", Element::i32},
                                                       {"uint", Element::u32},
                                                       {"unsigned int", Element::u32},
                                                       {"uint32", Element::u32},
                                                       {"uint32_t", Element::u32},
                                                       {"longlong", Element::i64},
                                                       {"long long", Element::i64},
                                                       {"long long int", Element::i64},
                                                       {"signed long long", Element::i64},
                                                       {"signed long long int", Element::i64},
                                                       {"int64", Element::i64},
                                                       {"int64_t", Element::i64},
                                                       {"ulonglong", Element::u64},
                                                       {"unsigned long long", Element::u64},
                                                       {"unsigned long long int", Element::u64},
                                                       {"uint64", Element::u64},
                                                       {"uint64_t", Element::u64},
                                                       {"float", Element::f32},
                                                       {"double", Element::f64}};
  const auto found = words.find(lower_case(header.needed("type")));
  if (found == words.end())
    header.place("type").refuse("a type of numbers, such as short or float",
                                in_quotes(header.needed("type")));
  return found->second;
}

// Parses vectors such as "(1,0,0) (0,1,0) none"; "none" gives an empty one.
std::vector<std::optional<Vec3d>> nrrd_vectors(const NrrdHeader& header, const std::string& field) {
  std::vector<std::optional<Vec3d>> vectors;
  std::string_view rest = trimmed(header.needed(field));
  while (!rest.empty()) {
    if (rest.starts_with("none")) {
      vectors.emplace_back();
      rest = trimmed(rest.substr(4));
      continue;
    }
    const std::size_t end = rest.find(')');
    if (!rest.starts_with('(') || end == std::string_view::npos)
      header.place(field).refuse("vectors such as (1,0,0)", in_quotes(rest));
    std::string numbers(rest.substr(1, end - 1));
    std::replace(numbers.begin(), numbers.end(), ',', ' ');
    const auto parts = real_numbers(numbers, header.place(field), 3);
    vectors.emplace_back(Vec3d{parts[0], parts[1], parts[2]});
    rest = trimmed(rest.substr(end + 1));
  }
  return vectors;
}

struct NrrdAxes {
  std::vector<FileAxis> axes;
  std::array<std::size_t, 3> space = {};  // indices of x, y and z in `axes`
  std::optional<std::size_t> time;        // index of the axis of timesteps
};

bool is_time_kind(const std::string& kind) {
  return kind == "time" || kind == "list" || kind == "point";
}

// Finds the roles of the axes, fastest first. NRRD has no field for them: an axis is spatial if its
// "space direction" is not "none", else by its kind, else by its position. The spatial axes are x,
// y and z in the file's order.
NrrdAxes nrrd_axes(const NrrdHeader& header) {
  const auto sizes = whole_numbers(header.needed("sizes"), header.place("sizes"));
  const auto dimension = whole_numbers(header.needed("dimension"), header.place("dimension"), 1)[0];
  if (dimension != static_cast<std::int64_t>(sizes.size()))
    header.place("sizes").refuse(fmt::format("{} numbers, as dimension says", dimension),
                                 fmt::format("{}", sizes.size()));
  std::vector<bool> spatial(sizes.size(), true);
  std::vector<std::string> kinds(sizes.size());
  if (const std::string* text = header.find("kinds")) {
    const auto words = split(lower_case(*text));
    if (words.size() != sizes.size())
      header.place("kinds").refuse(fmt::format("{} words", sizes.size()),
                                   fmt::format("{}", words.size()));
    kinds = words;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      spatial[i] =
          kinds[i] == "domain" || kinds[i] == "space" || kinds[i] == "???" || kinds[i] == "none";
  }
  if (header.find("space directions") != nullptr) {
    const auto vectors = nrrd_vectors(header, "space directions");
    if (vectors.size() != sizes.size())
      header.place("space directions")
          .refuse(fmt::format("{} vectors", sizes.size()), fmt::format("{}", vectors.size()));
    for (std::size_t i = 0; i < vectors.size(); ++i) spatial[i] = vectors[i].has_value();
  }
  const auto in_space = static_cast<std::size_t>(std::count(spatial.begin(), spatial.end(), true));
  if (in_space < 3 || (in_space > 3 && sizes.size() != 4))
    header.place("sizes").refuse("three axes of space", fmt::format("{}", in_space));
  if (in_space > 3) spatial[3] = false;  // with four axes without kinds, the slowest is time
  NrrdAxes result;
  std::size_t next = 0;
  bool has_component = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (spatial[i]) {
      result.space[next] = i;
      result.axes.push_back({static_cast<AxisRole>(next++), sizes[i]});
      continue;
    }
    // Without a kind, an axis after the spatial ones is time, as components usually come first. So
    // is one of more than 9: the kind with most components, a 3D matrix, has 9.
    const bool time = is_time_kind(kinds[i]) || (kinds[i].empty() && (next == 3 || sizes[i] > 9));
    if (time ? result.time.has_value() : has_component)
      header.place("kinds").refuse("at most one axis of time and one of components", "two");
    if (time) result.time = i;
    has_component = has_component || !time;
    result.axes.push_back({time ? AxisRole::timestep : AxisRole::component, sizes[i]});
  }
  return result;
}

/// Signs of the world's axes x, y and z (right, front, top of a patient) in the file's `space`;
/// empty for spaces that are not a patient's, such as scanner-xyz.
std::optional<Vec3d> nrrd_space(const NrrdHeader& header) {
  const std::string* const space = header.find("space");
  if (space == nullptr) return std::nullopt;
  std::string word = lower_case(*space);
  if (word.ends_with("-time")) word.resize(word.size() - 5);
  if (word == "right-anterior-superior" || word == "ras") return Vec3d{1, 1, 1};
  if (word == "left-anterior-superior" || word == "las") return Vec3d{-1, 1, 1};
  if (word == "left-posterior-superior" || word == "lps") return Vec3d{-1, -1, 1};
  return std::nullopt;
}

void place_nrrd(const NrrdHeader& header, const NrrdAxes& axes, VolumeInfo& info) {
  std::array<Vec3d, 3> steps = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
  Vec3d origin;
  std::string field = "spacings";
  if (header.find("space directions") != nullptr) {
    field = "space directions";
    const auto vectors = nrrd_vectors(header, field);
    for (std::size_t i = 0; i < 3; ++i) steps[i] = *vectors[axes.space[i]];
    if (header.find("space origin") != nullptr) {
      const auto origins = nrrd_vectors(header, "space origin");
      if (origins.size() != 1 || !origins[0])
        header.place("space origin").refuse("one vector", in_quotes(header.needed("space origin")));
      origin = *origins[0];
    }
  } else if (const std::string* text = header.find(field)) {
    const auto words = split(*text);
    if (words.size() != axes.axes.size())
      header.place(field).refuse(fmt::format("{} numbers", axes.axes.size()),
                                 fmt::format("{}", words.size()));
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string& word = words[axes.space[i]];
      if (lower_case(word) == "nan") continue;  // means "unknown" in this format
      steps[i] =
          checked_spacing(real_numbers(word, header.place(field), 1)[0], header.place(field)) *
          steps[i];
    }
  }
  if (const auto signs = nrrd_space(header); signs && field == "space directions") {
    const auto in_world = [&](Vec3d v) {
      return Vec3d{signs->x * v.x, signs->y * v.y, signs->z * v.z};
    };
    for (Vec3d& step : steps) step = in_world(step);
    origin = in_world(origin);
    info.is_anatomical = true;
  }
  info.place = place_of_steps(origin, steps, header.place(field), info.notes);
  if (const std::string* units = header.find("space units"))
    if (const auto parts = split(*units, "\""); !parts.empty()) info.length_unit = parts[0];
}

// Formats a pattern such as "slice-%03d.raw". printf is not used, as the pattern comes from the
// file.
std::string numbered_name(const NrrdHeader& header, const std::string& pattern,
                          std::int64_t number) {
  const std::size_t percent = pattern.find('%');
  std::size_t letter = percent == std::string::npos ? percent : percent + 1;
  while (letter < pattern.size() && pattern[letter] >= '0' && pattern[letter] <= '9') ++letter;
  if (letter >= pattern.size() || pattern[letter] != 'd' || letter - percent > 3)
    header.place("data file").refuse("a pattern such as %03d", in_quotes(pattern));
  const std::string digits = pattern.substr(percent + 1, letter - percent - 1);
  const auto width = static_cast<int>(parse_whole(digits.empty() ? "0" : digits).value_or(0));
  const std::string text = digits.starts_with('0') ? fmt::format("{:0{}}", number, width)
                                                   : fmt::format("{:{}}", number, width);
  return pattern.substr(0, percent) + text + pattern.substr(letter + 1);
}

// Returns the data files; none if the data follow the header.
std::vector<fs::path> nrrd_files(const NrrdHeader& header) {
  const std::string* data = header.find("data file");
  if (data == nullptr) return {};
  const fs::path folder = fs::path(header.file).parent_path();
  std::vector<fs::path> files;
  const auto words = split(*data);
  if (!words.empty() && words[0] == "LIST") {
    for (const std::string& name : header.list) files.push_back(folder / name);
    if (files.empty()) header.place("data file").refuse("names after LIST", "none");
  } else if (words.size() >= 4 && words[0].find('%') != std::string::npos) {
    const auto range =
        whole_numbers(words[1] + " " + words[2] + " " + words[3], header.place("data file"), 3);
    const std::int64_t step = range[2];
    if (step == 0 || (step > 0 ? range[1] < range[0] : range[1] > range[0]) ||
        static_cast<std::uint64_t>(std::abs(range[1] / 2 - range[0] / 2)) > max_nrrd_files)
      header.place("data file").refuse("a range of numbers", in_quotes(*data));
    for (std::int64_t i = range[0]; step > 0 ? i <= range[1] : i >= range[1]; i += step)
      files.push_back(folder / numbered_name(header, words[0], i));
  } else {
    files.push_back(folder / *data);
  }
  return files;
}

std::int64_t nrrd_skip(const NrrdHeader& header, const std::string& field, std::int64_t least) {
  const std::string* text = header.find(field);
  if (text == nullptr) return 0;
  const auto number = whole_numbers(*text, header.place(field), 1)[0];
  if (number < least)
    header.place(field).refuse(fmt::format("{} or more", least), fmt::format("{}", number));
  return number;
}

std::uint64_t after_lines(const fs::path& file, std::uint64_t from, std::int64_t lines) {
  FileBytes bytes(file);
  std::array<std::byte, 4096> piece;
  for (std::uint64_t at = from; lines > 0;) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), *bytes.size() - at));
    if (count == 0)
      FieldPlace{file.string(), "line skip"}.refuse("that many lines", "the file's end");
    bytes.read(at, std::span(piece).first(count));
    for (std::size_t i = 0; i < count && lines > 0; ++i)
      if (++at; piece[i] == std::byte{'\n'} && --lines == 0) return at;
  }
  return from;
}

/// Opens the bytes of one data file, which must have `part_bytes` after unpacking.
ByteSourcePtr nrrd_bytes(const NrrdHeader& header, const fs::path& file, std::uint64_t from,
                         std::uint64_t part_bytes, Element element) {
  const std::string encoding = lower_case(header.needed("encoding"));
  from = after_lines(file, from, nrrd_skip(header, "line skip", 0));
  const std::int64_t skip = nrrd_skip(header, "byte skip", -1);
  if (encoding == "raw") {
    const std::uint64_t held = *FileBytes(file).size();
    if (skip == -1 && held < part_bytes) throw_bytes_missing(file.string(), part_bytes, held);
    from = skip == -1 ? held - part_bytes : from + static_cast<std::uint64_t>(skip);
    return std::make_unique<FileBytes>(file, from);
  }
  if (encoding == "gzip" || encoding == "gz") {
    auto inflated = inflated_bytes(file, from, Wrapper::gzip);
    if (skip == 0) return inflated;
    // Bytes are skipped after unpacking. -1 counts from the end, which only reading finds.
    return skipped_bytes(std::move(inflated), skip, part_bytes);
  }
  if (encoding == "ascii" || encoding == "text" || encoding == "txt") {
    if (skip < 0) header.place("byte skip").refuse("0 or more in text", "-1");
    return text_numbers(file, from + static_cast<std::uint64_t>(skip),
                        std::numeric_limits<std::uint64_t>::max(), element,
                        part_bytes / static_cast<std::uint64_t>(bytes_of(element)));
  }
  header.place("encoding").refuse("raw, gzip or ascii", in_quotes(encoding));
}

}  // namespace

VolumeSourcePtr open_nrrd(const fs::path& file, const VolumeOptions& options) {
  const NrrdHeader header = read_nrrd_header(file);
  GridFormat format;
  format.element = nrrd_type(header);
  const std::string* endian = header.find("endian");
  const std::string order = endian != nullptr ? lower_case(*endian) : "";
  const std::string encoding = lower_case(header.needed("encoding"));
  const bool text = encoding == "ascii" || encoding == "text" || encoding == "txt";
  if (order != "little" && order != "big" && bytes_of(format.element) > 1 && !text)
    header.place("endian").refuse("little or big", endian ? in_quotes(*endian) : "nothing");
  format.swapped = order == "big" && !text;

  const NrrdAxes axes = nrrd_axes(header);
  VolumeInfo info;
  info.format = "NRRD";
  place_nrrd(header, axes, info);
  if (axes.time) {
    double step = 1;
    if (const std::string* spacings = header.find("spacings"))
      if (const auto words = split(*spacings); *axes.time < words.size())
        step = parse_real(words[*axes.time]).value_or(1);
    set_timesteps(info, axes.axes[*axes.time].length, 0, step, "", header.place("sizes"));
  }

  const std::uint64_t total = grid_bytes(axes.axes, format.element, header.place("sizes"));
  const std::vector<fs::path> files = nrrd_files(header);
  ByteSourcePtr bytes;
  if (files.size() <= 1) {
    const bool attached = files.empty();
    bytes = nrrd_bytes(header, attached ? file : files[0], attached ? header.end : 0, total,
                       format.element);
  } else {
    if (total % files.size() != 0)
      header.place("data file")
          .refuse("files that share the data evenly", fmt::format("{} files", files.size()));
    const std::uint64_t part = total / files.size();
    bytes = std::make_unique<ChainedBytes>(
        part, [header, files, part, element = format.element](std::size_t number) {
          return nrrd_bytes(header, files.at(number), 0, part, element);
        });
  }
  return std::make_unique<GridVolume>(std::move(info), axes.axes, format, std::move(bytes), options,
                                      header.place("sizes"));
}

}  // namespace tilewall::render
