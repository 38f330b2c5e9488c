#include "player/cli/show_source.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>

#include "player/cli/cache_folder.hpp"
#include "player/cli/movie_probe.hpp"
#include "player/cli/progress.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/picture_source.hpp"
#include "player/movie/shared/movie_page.hpp"
#include "player/movie/source/image_sequence.hpp"
#include "player/movie/transfer/import_job.hpp"
#include "player/movie/transfer/source_identity.hpp"
#include "player/movie/transfer/wall_target.hpp"
#include "render/pattern.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view pattern_prefix = "pattern:";
constexpr std::int64_t pattern_frames = std::int64_t{1} << 40;  // patterns have no end
constexpr Rational image_fps{24, 1};

ShowSource wall_movie_source(const fs::path& folder) {
  const MovieManifest manifest = load_manifest(folder);
  if (manifest.frames < 1)
    throw InputError({(folder / manifest_name).string()}, "frames", "at least 1",
                     std::to_string(manifest.frames));
  ShowSource source;
  source.spec.kind = SourceKind::wall_movie;
  source.spec.path = fs::absolute(folder).string();
  source.spec.size_px = manifest.size_px;
  source.frames = manifest.frames;
  source.fps = manifest.fps;
  return source;
}

/// Whether panels can decode the image themselves; others go through the cache.
bool panels_read(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view known[] = {".jpg", ".jpeg", ".png", ".tif", ".tiff"};
  return file.empty() || std::find(std::begin(known), std::end(known), ending) != std::end(known);
}

ShowSource image_source(const ImageSequence& images) {
  ShowSource source;
  source.spec.kind = SourceKind::images;
  source.spec.path = "/";
  for (const fs::path& file : images.files)
    source.spec.files.push_back(file.empty() ? "" : fs::absolute(file).relative_path().string());
  source.spec.size_px = open_image_sequence(images.files, 1)->size_px();
  source.frames = static_cast<std::int64_t>(images.files.size());
  source.fps = image_fps;
  if (!images.missing.empty())
    fmt::print(stderr, "tilewall: {}: missing: {}: {}\n", images.name, images.missing,
               images.gap_frames > 0 ? "the picture before stays" : "left out");
  return source;
}

ShowSource pattern_source(const std::string& name) {
  static_cast<void>(find_pattern(name));
  ShowSource source;
  source.spec.kind = SourceKind::pattern;
  source.spec.path = name;
  source.frames = pattern_frames;
  return source;
}

/// Empty where pictures are too large for the decoder's shared memory.
std::optional<ShowSource> movie_source(const fs::path& file, const std::stop_token& stop) {
  const MovieProbe movie = probe_movie(file, stop);
  if (movie.picture_bytes > movie_slots_bytes / min_movie_slots) return std::nullopt;
  ShowSource source;
  source.spec.kind = SourceKind::movie;
  source.spec.path = fs::absolute(file).string();
  source.spec.size_px = movie.size_px;
  source.frames = movie.frames;
  source.fps = movie.fps;
  return source;
}

/// Everything that shapes the imported pixels: another wall is another cache entry.
std::string cache_key(const std::vector<std::string>& inputs, const WallTarget& target) {
  std::string text;
  for (const std::string& input : inputs) text += fs::absolute(input).string() + "\n";
  text += fmt::format("{}x{} {}x{} {}x{}", target.canvas_px.width, target.canvas_px.height,
                      target.abutting_px.width, target.abutting_px.height, target.panel_px.width,
                      target.panel_px.height);
  return fmt::format("{}-{:016x}", fs::path(inputs.front()).stem().string().substr(0, 60),
                     XXH3_64bits(text.data(), text.size()));
}

ShowSource cached_source(const std::vector<std::string>& inputs, const Wall& wall,
                         const std::stop_token& stop) {
  ImportOptions options;
  options.inputs = inputs;
  options.wall = wall_target_of(wall);
  options.stop = stop;
  options.output = cache_folder() / cache_key(inputs, options.wall);
  std::error_code error;
  fs::create_directories(options.output.parent_path(), error);
  ProgressLine progress("import into the cache");
  try {
    import_movie(options, progress);
  } catch (const InputError&) {
    if (!is_wall_movie(options.output)) throw;
    options.overwrite = true;  // the source has changed since
    import_movie(options, progress);
  }
  return wall_movie_source(options.output);
}

}  // namespace

ShowSource open_show_source(const std::vector<std::string>& inputs, const Wall& wall, MovieWay way,
                            const std::stop_token& stop) {
  const std::string& first = inputs.front();
  if (inputs.size() == 1 && first.starts_with(pattern_prefix))
    return pattern_source(first.substr(pattern_prefix.size()));
  if (inputs.size() == 1 && is_wall_movie(first)) return wall_movie_source(first);
  const auto images = resolve_images(inputs);
  if (images && std::all_of(images->files.begin(), images->files.end(), panels_read))
    return image_source(*images);
  if (!images && inputs.size() == 1 && way == MovieWay::direct)
    if (auto source = movie_source(first, stop)) return *source;
  return cached_source(inputs, wall, stop);
}

}  // namespace tilewall
