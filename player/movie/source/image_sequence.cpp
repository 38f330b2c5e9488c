#include "player/movie/source/image_sequence.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>

#include "player/movie/source/missing_numbers.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_sequence_frames = 10'000'000;
constexpr std::string_view image_suffixes[] = {".jpg", ".jpeg", ".png",  ".tif", ".tiff",
                                               ".exr", ".bmp",  ".webp", ".tga", ".dpx",
                                               ".jp2", ".j2k",  ".ppm",  ".pgm", ".pnm"};

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

std::string_view without_zeros(std::string_view digits) noexcept {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? digits.substr(digits.size() - 1) : digits.substr(first);
}

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

// A printf pattern with one number in its file name: "frame-%06d.png".
struct NumberedPattern {
  fs::path folder;
  std::string prefix;
  std::string suffix;
  std::size_t digits = 0;  // zero-padded to this width; 0 = not padded
};

std::optional<NumberedPattern> parse_pattern(const fs::path& input) {
  const std::string name = input.filename().string();
  const std::size_t percent = name.find('%');
  if (percent == std::string::npos) return std::nullopt;
  const std::size_t width = digits_at(name, percent + 1);
  const std::size_t letter = percent + 1 + width;
  if (width > 2 || letter >= name.size() || name[letter] != 'd') return std::nullopt;
  NumberedPattern pattern{input.parent_path(), name.substr(0, percent), name.substr(letter + 1), 0};
  if (width > 0)
    pattern.digits = static_cast<std::size_t>(std::stoi(name.substr(percent + 1, width)));
  return pattern;
}

std::optional<std::int64_t> number_in(const NumberedPattern& pattern, std::string_view name) {
  if (name.size() <= pattern.prefix.size() + pattern.suffix.size() ||
      !name.starts_with(pattern.prefix) || !name.ends_with(pattern.suffix))
    return std::nullopt;
  name.remove_prefix(pattern.prefix.size());
  name.remove_suffix(pattern.suffix.size());
  const bool padded = name.size() > 1 && name[0] == '0';
  if (digits_at(name, 0) != name.size() || name.size() < pattern.digits) return std::nullopt;
  if (padded && name.size() != pattern.digits) return std::nullopt;
  std::int64_t number = 0;
  if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc{})
    return std::nullopt;
  return number;
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

// The shell has expanded a glob already. Its order is not natural, and no user lists frames by
// hand.
ImageSequence images_of_list(const std::vector<std::string>& inputs) {
  std::vector<fs::path> files;
  for (const std::string& input : inputs) {
    const UniqueFd readable = open_for_reading(input);
    if (!has_image_name(input) && !has_image_magic(input))
      throw InputError({input}, "", "an image, as the input lists several files", "something else");
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
  if (fs::is_directory(input, error)) {
    if (fs::exists(fs::path(input) / "movie.toml", error)) return std::nullopt;
    return images_in_folder(input);
  }
  if (!fs::exists(input, error)) {
    if (const auto pattern = parse_pattern(input)) return images_of_pattern(input, *pattern);
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

bool natural_less(std::string_view a, std::string_view b) noexcept {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view left = a.substr(i, digits_at(a, i));
      const std::string_view right = b.substr(j, digits_at(b, j));
      const std::string_view x = without_zeros(left);
      const std::string_view y = without_zeros(right);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      i += left.size();
      j += right.size();
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // equal but for leading zeros
}

}  // namespace tilewall
