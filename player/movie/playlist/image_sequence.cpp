#include "player/movie/playlist/image_sequence.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/numbered_names.hpp"

namespace tilewall::movie {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_sequence_frames = 10'000'000;
constexpr std::string_view image_suffixes[] = {".jpg", ".jpeg", ".png",  ".tif", ".tiff",
                                               ".exr", ".bmp",  ".webp", ".tga", ".dpx",
                                               ".jp2", ".j2k",  ".ppm",  ".pgm", ".pnm"};

void sort_naturally(std::vector<fs::path>& files) {
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.native(), b.native());
  });
}

ImageSequence sequence_of(std::string name, std::vector<fs::path> files) {
  ImageSequence sequence;
  sequence.name = std::move(name);
  sequence.missing = describe_missing_numbers(files);
  sequence.files = std::move(files);
  return sequence;
}

ImageSequence images_in_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (has_image_name(it->path()) && it->is_regular_file(error)) files.push_back(it->path());
  if (error) throw InputError({folder.string()}, "", "a readable folder", error.message());
  if (files.empty())
    throw InputError({folder.string()}, "",
                     "a wall movie (movie.toml) or images (such as .jpg, .png, .tif, .exr)",
                     "neither");
  sort_naturally(files);
  return sequence_of(folder.string(), std::move(files));
}

ImageSequence images_of_pattern(const std::string& input, const NumberedPattern& pattern) {
  std::map<std::int64_t, fs::path> found;
  std::error_code error;
  const fs::path folder = pattern.folder.empty() ? fs::path(".") : pattern.folder;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (const auto number = number_in(pattern, it->path().filename().string()))
      found.emplace(*number, pattern.folder / it->path().filename());
  if (found.empty()) throw InputError({input}, "", "numbered images of this pattern", "none");
  const std::int64_t first = found.begin()->first;
  const std::int64_t count = found.rbegin()->first - first + 1;
  if (count > max_sequence_frames)
    throw InputError({input}, "numbers", fmt::format("a span of at most {}", max_sequence_frames),
                     fmt::format("{} to {}", first, found.rbegin()->first));
  ImageSequence sequence;
  sequence.name = input;
  sequence.files.resize(static_cast<std::size_t>(count));
  std::vector<fs::path> present;
  for (const auto& [number, file] : found) {
    sequence.files[static_cast<std::size_t>(number - first)] = file;
    present.push_back(file);
  }
  sequence.gap_frames = count - static_cast<std::int64_t>(found.size());
  sequence.missing = describe_missing_numbers(present);
  return sequence;
}

ImageSequence images_of_glob(const std::string& input) {
  glob_t matches = {};
  const int error = ::glob(input.c_str(), GLOB_NOSORT | GLOB_TILDE, nullptr, &matches);
  std::vector<fs::path> files;
  for (std::size_t i = 0; error == 0 && i < matches.gl_pathc; ++i)
    if (has_image_name(matches.gl_pathv[i])) files.emplace_back(matches.gl_pathv[i]);
  ::globfree(&matches);
  if (files.empty()) throw InputError({input}, "", "images that match", "none");
  sort_naturally(files);
  return sequence_of(input, std::move(files));
}

// Several inputs are a glob that the shell has expanded. The shell's order is not natural (10
// before 2), so the files are sorted.
ImageSequence images_of_list(const std::vector<std::string>& inputs) {
  std::vector<fs::path> files;
  for (const std::string& input : inputs) {
    const UniqueFd readable = open_for_reading(input);
    if (!has_image_name(input) && !has_image_magic(input))
      throw InputError({input}, "", "an image, because the input lists several files",
                       "another file");
    files.emplace_back(input);
  }
  sort_naturally(files);
  return sequence_of(inputs.front(), std::move(files));
}

}  // namespace

std::optional<ImageSequence> resolve_images(const std::vector<std::string>& inputs) {
  TW_CHECK(!inputs.empty());
  if (inputs.size() > 1) return images_of_list(inputs);
  const std::string& input = inputs.front();
  std::error_code error;
  // Opening a pipe waits for its writer, and its bytes cannot be read twice.
  if (fs::is_fifo(input, error)) throw InputError({input}, "", "a file or folder", "a pipe");
  if (fs::is_directory(input, error)) {
    if (fs::exists(fs::path(input) / "movie.toml", error)) return std::nullopt;
    return images_in_folder(input);
  }
  if (!fs::exists(input, error)) {
    if (const auto pattern = parse_numbered_pattern(input))
      return images_of_pattern(input, *pattern);
    if (input.find_first_of("*?[") != std::string::npos) return images_of_glob(input);
  }
  if (!has_image_magic(input) && !has_image_name(input)) return std::nullopt;
  return sequence_of(input, {fs::path(input)});
}

bool has_image_name(const fs::path& file) {
  std::string suffix = file.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::find(std::begin(image_suffixes), std::end(image_suffixes), suffix) !=
         std::end(image_suffixes);
}

bool has_image_magic(const fs::path& file) {
  const UniqueFd fd = open_for_reading(file);
  std::array<char, 8> head = {};
  const ssize_t got = retry_eintr([&] { return ::read(fd.get(), head.data(), head.size()); });
  const std::string_view bytes(head.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  using namespace std::string_view_literals;
  for (const std::string_view magic : {"\xff\xd8\xff"sv, "\x89PNG\r\n\x1a\n"sv, "II*\0"sv,
                                       "MM\0*"sv, "II+\0"sv, "MM\0+"sv, "\x76\x2f\x31\x01"sv})
    if (bytes.starts_with(magic)) return true;
  return false;
}

namespace {

constexpr std::size_t max_named_gaps = 5;

struct NumberedName {
  std::string prefix;
  std::string suffix;
  std::int64_t number = 0;
  std::size_t digits = 0;  // number of digits, leading zeros included
};

std::optional<NumberedName> split(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::string stem = file.stem().string();
  const std::size_t last = stem.find_last_of("0123456789");
  if (last == std::string::npos) return std::nullopt;
  const std::size_t before = stem.find_last_not_of("0123456789", last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  NumberedName out{name.substr(0, first), name.substr(last + 1), 0, last + 1 - first};
  const char* digits = name.data() + first;
  if (std::from_chars(digits, digits + out.digits, out.number).ec != std::errc{})
    return std::nullopt;
  return out;
}

// The names, sorted by number; empty if they differ in more than the number.
std::vector<NumberedName> numbered_names(const std::vector<std::filesystem::path>& files) {
  std::vector<NumberedName> names;
  for (const auto& file : files) {
    auto name = split(file);
    if (!name ||
        (!names.empty() && (name->prefix != names[0].prefix || name->suffix != names[0].suffix)))
      return {};
    names.push_back(std::move(*name));
  }
  std::sort(names.begin(), names.end(),
            [](const NumberedName& a, const NumberedName& b) { return a.number < b.number; });
  return names;
}

}  // namespace

std::string describe_missing_numbers(const std::vector<std::filesystem::path>& files) {
  const std::vector<NumberedName> names = numbered_names(files);
  std::string text;
  std::size_t gaps = 0;
  for (std::size_t i = 1; i < names.size(); ++i) {
    const std::int64_t from = names[i - 1].number + 1;
    const std::int64_t to = names[i].number - 1;
    if (from > to || ++gaps > max_named_gaps) continue;
    if (!text.empty()) text += ", ";
    const std::size_t digits = names[i - 1].digits;
    text += fmt::format("{}{:0{}}", names[0].prefix, from, digits);
    if (to > from) text += fmt::format("..{:0{}}", to, digits);
  }
  if (gaps > max_named_gaps) text += fmt::format(" and {} more gaps", gaps - max_named_gaps);
  return text;
}

}  // namespace tilewall::movie
