#include "player/rendering/flight_identity.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "player/movie/convert/import_folder.hpp"
#include "player/movie/frames/manifest.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::rendering {
namespace {

constexpr std::string_view flight_mark = "flight-";  // begins the identity of every flight
constexpr std::size_t largest_logo_bytes = std::size_t{256} << 20;

std::string hash_of(const std::string& text) {
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::string hash_of(const std::vector<ScreenPart>& screens) {
  std::string text;
  for (const ScreenPart& screen : screens)
    text += fmt::format("{} {} {}; ", screen.part_px.x, screen.part_px.y,
                        fmt::join(screen.tilt.onto_plane.matrix(), " "));
  return hash_of(text);
}

/// Every number of the path that changes a frame, with all of its digits.
std::string exact_text(const path::PathFile& path) {
  nlohmann::json all = {path.options.duration_s.value_or(-1), path.options.ease_s};
  for (const path::PathKey& key : path.keys)
    all.push_back({scene::to_json(key.flight.camera), key.flight.time_s.value_or(-1),
                   key.flight.hold_s, key.flight.stops, key.timestep.value_or(-1)});
  return all.dump();
}

/// All digits of the styles, each once in a row.
std::string exact_text(const path::KeyStyles& styles) {
  std::string text;
  for (std::size_t i = 0; i < styles.size(); ++i)
    if (i == 0 || styles[i] != styles[i - 1])
      text += fmt::format("{}{}\n", i, scene::to_json(*styles[i]).dump());
  return text;
}

/// To be raised with every change of the numbers that render/gl/shaders/cast.comp computes.
constexpr int shader_revision = 2;

}  // namespace

movie::StoredSource source_of(const FlightMovie& movie, const std::string& drawn_by) {
  std::string more;
  if (movie.pictures.volume.steps_between > 1) more += " between=blend";
  if (const LogoJob& logo = movie.pictures.logo; !logo.file.empty()) {
    const RectPx& at = logo.place_px;
    more += fmt::format(" logo={}x{}+{}+{}-{}", at.width, at.height, at.x, at.y,
                        hash_of(read_text_file(logo.file, largest_logo_bytes)));
  }
  if (movie.shutter > 0) more += fmt::format(" shutter={}", movie.shutter);
  if (!movie.pictures.screens.empty()) more += " screens=" + hash_of(movie.pictures.screens);
  if (is_portable(movie.pictures)) more += " portable";
  if (drawn_by.starts_with("gl: ")) more += fmt::format(" shader={}", shader_revision);
  return {
      movie.path_file, fmt::format("{}{}", flight_mark, hash_of(exact_text(movie.path))),
      fmt::format(" volume={} look={} timestep={} samples={}{} drawn_by={}",
                  hash_of(movie.volume_identity), hash_of(exact_text(movie.styles)), movie.timestep,
                  movie.pictures.rays_across * movie.pictures.rays_across, more, drawn_by)};
}

namespace {

constexpr std::string_view kernels_word = "drawn_by";

/// A word of a manifest's options, such as "samples=4" or "portable".
struct OptionWord {
  std::string_view name;
  std::string_view value;  ///< "" where the name is all
};

/// The words of the options. What has drawn the frames is the last one, and may have spaces.
std::vector<OptionWord> words_of(std::string_view options) {
  std::vector<OptionWord> words;
  while (!options.empty()) {
    const std::size_t name_end = std::min(options.find_first_of("= "), options.size());
    const std::string_view name = options.substr(0, name_end);
    const std::size_t end =
        name == kernels_word ? options.size() : std::min(options.find(' '), options.size());
    const std::size_t value_at = std::min(name_end + 1, end);
    if (!name.empty()) words.push_back({name, options.substr(value_at, end - value_at)});
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return words;
}

/// The word as people see it; "none" where there is none of that name.
std::string shown(const std::vector<OptionWord>& words, std::string_view name) {
  const auto found = std::ranges::find(words, name, &OptionWord::name);
  if (found == words.end()) return "none";
  return found->value.empty() ? std::string(name) : fmt::format("\"{}\"", found->value);
}

/// What stands in the manifest as a hash alone, and what it is a hash of.
struct HashedWord {
  std::string_view name;
  std::string_view expected;
  std::string_view found;
};
constexpr HashedWord hashed_words[] = {
    {"volume", "the volume", "a changed file, or other options of the volume, such as --memory"},
    {"look", "the style", "another one"},
    {"logo", "the logo", "another image or place"},
    {"screens", "the screens of the wall", "others"},
};

/// Whether the folder has frames of the kind that is wanted, as far as its first one tells.
bool holds_kind(const movie::ImportOptions& options) {
  const auto has_first = [&](movie::FrameFiles files) {
    std::error_code ignored;
    return std::filesystem::exists(options.output / movie::frame_file_name(0, files), ignored);
  };
  using enum movie::FrameFiles;
  return has_first(options.files) || !(has_first(movie) || has_first(png) || has_first(exr));
}

[[noreturn]] void refuse(const std::filesystem::path& manifest, std::string_view field,
                         const std::string& before, const std::string& now) {
  if (const auto* const hashed = std::ranges::find(hashed_words, field, &HashedWord::name);
      hashed != std::end(hashed_words))
    throw InputError({manifest.string()}, field,
                     fmt::format("{} with which the rendering began (--overwrite starts anew)",
                                 hashed->expected),
                     std::string(hashed->found));
  const std::string_view remedy =
      field == kernels_word ? "--overwrite --portable starts anew with kernels of every processor"
                            : "--overwrite starts anew";
  throw InputError({manifest.string()}, field,
                   fmt::format("{}, as the rendering began ({})", before, remedy), now);
}

}  // namespace

void check_same_flight(const movie::ImportOptions& options, const movie::StoredSource& source) {
  const std::filesystem::path file = movie::manifest_file_of(options.output, options.files);
  std::error_code ignored;
  if (options.overwrite || !std::filesystem::is_regular_file(file, ignored)) return;
  const movie::MovieManifest there = movie::load_manifest_file(file);
  // What is no flight, and frames of another kind, are refused for what they are.
  if (!there.source_identity.starts_with(flight_mark) || !holds_kind(options)) return;
  if (there.source_identity != source.identity)
    throw InputError({file.string()}, "source_identity",
                     "the flight path with which the rendering began (--overwrite starts anew)",
                     "a changed one");
  const std::vector<OptionWord> before = words_of(there.import_options);
  std::string wanted = source.options;
  if (options.frames)
    wanted = fmt::format("frames={}-{}{}", options.frames->first, options.frames->last, wanted);
  const std::vector<OptionWord> now = words_of(wanted);
  for (const std::string_view name :
       {"frames", "volume", "look", "timestep", "samples", "between", "logo", "shutter", "screens",
        "portable", "shader", "drawn_by"})
    if (shown(before, name) != shown(now, name))
      refuse(file, name, shown(before, name), shown(now, name));
}

}  // namespace tilewall::rendering
