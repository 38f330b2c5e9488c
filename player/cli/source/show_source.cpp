#include "player/cli/source/show_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "net/slab/remote_url.hpp"
#include "player/cli/source/demo_input.hpp"
#include "player/cli/source/import_cache.hpp"
#include "player/cli/source/input_name.hpp"
#include "player/cli/source/movie_probe.hpp"
#include "player/command/progress.hpp"
#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/movie_size.hpp"
#include "player/movie/frames/image_sequence.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/playlist/playlist.hpp"
#include "player/movie/remote/block_request.hpp"
#include "player/movie/shared/movie_page.hpp"
#include "player/movie/source/sm_movie.hpp"
#include "render/pattern.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/confined_call.hpp"
#include "sync/base/error.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view pattern_prefix = "pattern:";
constexpr std::int64_t pattern_frames = std::int64_t{1} << 40;  // patterns have no end
constexpr Rational image_fps{24, 1};

scene::SourceSpec wall_movie_source(const fs::path& folder) {
  const movie::MovieManifest manifest = movie::load_manifest(folder);
  if (manifest.frames < 1)
    throw InputError({(folder / scene::manifest_name).string()}, "frames", "at least 1",
                     std::to_string(manifest.frames));
  scene::SourceSpec source;
  source.kind = scene::SourceKind::wall_movie;
  source.path = fs::absolute(folder).string();
  source.size_px = manifest.size_px;
  source.frames = manifest.frames;
  source.fps = manifest.fps;
  source.growing = !manifest.complete;
  if (!manifest.audio_file.empty())
    source.audio = fs::absolute(folder / manifest.audio_file).string();
  return source;
}

scene::SourceSpec image_source(const movie::ImageSequence& images) {
  scene::SourceSpec source;
  source.kind = scene::SourceKind::images;
  std::vector<fs::path> files;
  for (const fs::path& file : images.files)
    files.push_back(file.empty() ? file : fs::absolute(file));
  const fs::path folder = common_folder(files);
  source.path = folder.string();
  for (const fs::path& file : files)
    source.files.push_back(file.empty() ? "" : file.lexically_relative(folder).string());
  source.size_px = movie::open_image_sequence(images.files, 1)->size_px();
  source.frames = static_cast<std::int64_t>(images.files.size());
  source.fps = image_fps;
  if (!images.missing.empty())
    print_line(stderr, "tilewall: {}: missing: {}: {}", images.name, images.missing,
               images.gap_frames > 0 ? "the picture before stays" : "left out");
  return source;
}

scene::SourceSpec pattern_source(const std::string& name) {
  static_cast<void>(render::find_pattern(name));
  scene::SourceSpec source;
  source.kind = scene::SourceKind::pattern;
  source.path = name;
  source.frames = pattern_frames;
  return source;
}

scene::SourceSpec remote_source(const std::string& input, const VolumeHostArguments& host) {
  const net::RemoteUrl url = net::parse_remote_url(input);
  if (url.name.empty())
    throw InputError({input}, "name", "tilewall://HOST[:PORT]/NAME ('tilewall info' lists names)",
                     "none");
  const auto client = net::connect_remote(url);
  const auto answer =
      client->call({{"type", "open"}, {"name", url.name}}, std::chrono::seconds(20));
  if (movie::holds_volume(answer)) return open_volume({input}, {}, host);
  const movie::MovieManifest manifest = movie::parse_manifest(
      movie::parse_open_answer(answer, url.name).manifest, url.name + "/" + scene::manifest_name);
  if (manifest.frames < 1)
    throw InputError({input}, "frames", "at least 1", std::to_string(manifest.frames));
  scene::SourceSpec source;
  source.kind = scene::SourceKind::remote_movie;
  source.path = net::to_string(url);
  if (!manifest.audio_file.empty()) source.audio = source.path;
  source.size_px = manifest.size_px;
  source.frames = manifest.frames;
  source.fps = manifest.fps;
  source.growing = !manifest.complete;
  return source;
}

scene::SourceSpec movie_source(const fs::path& file, const MovieProbe& movie) {
  scene::SourceSpec source;
  source.kind = scene::SourceKind::movie;
  source.path = fs::absolute(file).string();
  if (movie.has_sound) source.audio = source.path;
  source.size_px = movie.size_px;
  source.frames = movie.frames;
  source.fps = movie.fps;
  return source;
}

scene::SourceSpec sm_source(const fs::path& file) {
  const movie::MovieInfo movie = movie::SmMovie(file).info();
  scene::SourceSpec source;
  source.kind = scene::SourceKind::movie;
  source.path = fs::absolute(file).string();
  source.size_px = movie.size_px;
  source.frames = movie.frames;
  source.fps = movie.fps;
  return source;
}

/// The source of images that panels cannot open, so that they are imported.
scene::SourceSpec foreign_image_source(const movie::ImageSequence& images,
                                       const std::vector<std::string>& inputs) {
  const fs::path& first = images.files.front();
  scene::SourceSpec source;
  source.kind = scene::SourceKind::images;
  source.path = fs::absolute(first).string();
  const std::string size =
      confined_call(movie::sandbox_to_read(inputs), [&](const std::stop_token&) {
        const SizePx size_px = movie::look_at_images(inputs).info.size_px;
        return nlohmann::json{size_px.width, size_px.height}.dump();
      });
  const auto sides = nlohmann::json::parse(size).get<std::array<int, 2>>();
  source.size_px = {sides[0], sides[1]};
  source.frames = static_cast<std::int64_t>(images.files.size());
  source.fps = image_fps;
  return source;
}

/// How inputs are played.
struct InputPlan {
  scene::SourceSpec source;  ///< the inputs themselves, before any import
  bool import_first = false;
  bool still = false;  ///< one image
};

InputPlan plan_images(const movie::ImageSequence& images, const std::vector<std::string>& inputs) {
  const bool still = images.files.size() == 1;
  if (images_need_cache(images)) return {foreign_image_source(images, inputs), true, still};
  return {image_source(images), false, still};
}

InputPlan plan_movie(const fs::path& file, const ShowWays& ways, const std::stop_token& stop) {
  if (movie::is_sm_movie(file)) return {sm_source(file), true};
  const MovieProbe movie = probe_movie(file, stop);
  const bool too_large = movie.picture_bytes > movie::movie_slots_bytes / movie::min_movie_slots;
  return {movie_source(file, movie), too_large || ways.movie == MovieWay::imported};
}

bool is_volume(const std::string& input) {
  return render::volume_kind_of(input) != render::VolumeKind::none;
}

InputPlan plan_inputs(const std::vector<std::string>& inputs, const ShowWays& ways,
                      const std::stop_token& stop) {
  const std::string& first = inputs.front();
  if (inputs.size() == 1)
    if (const auto live = find_live(first))
      return {open_live(first, *live, ways.live, {}, ways.volume)};
  if (ways.live.any()) refuse_live_options(first);
  if (inputs.size() == 1 && first.starts_with(pattern_prefix))
    return {pattern_source(first.substr(pattern_prefix.size()))};
  if (inputs.size() == 1 && net::is_remote(first)) return {remote_source(first, ways.volume)};
  if (inputs.size() == 1 && scene::is_wall_movie(first)) return {wall_movie_source(first)};
  if (inputs.size() == 1 && is_volume(first)) return {open_volume({first}, {}, ways.volume)};
  if (const auto images = movie::resolve_images(inputs)) return plan_images(*images, inputs);
  return plan_movie(first, ways, stop);
}

/// Prints a line if frames of a wall movie are missing, as after an import that was interrupted.
/// The show repeats the frame before them.
void report_missing_frames(const scene::SourceSpec& source) {
  if (source.kind != scene::SourceKind::wall_movie) return;
  const std::int64_t there = movie::count_frame_files(source.path, source.frames);
  if (there >= source.frames) return;
  print_line(stderr, "tilewall: {}: {}{} of {} frames are there{}", source.path,
             source.growing ? "it is not complete: " : "", there, source.frames,
             source.growing ? "; the command that wrote them goes on with it" : "");
}

scene::SourceSpec open_inputs(const std::vector<std::string>& inputs, const wall::Wall& wall,
                              const ShowWays& ways, const std::stop_token& stop) {
  InputPlan plan = plan_inputs(inputs, ways, stop);
  if (!plan.import_first) {
    report_missing_frames(plan.source);
    return std::move(plan.source);
  }
  movie::CacheUses for_now;
  // A still keeps all its pixels, because operators zoom into it.
  return wall_movie_source(
      import_into_cache(inputs, plan.still ? movie::WallTarget{} : movie::wall_target_of(wall),
                        ways.hdr, stop, ways.uses != nullptr ? *ways.uses : for_now));
}

scene::SourceSpec open_playlist(const std::vector<std::string>& inputs, const wall::Wall& wall,
                                const ShowWays& ways, const std::stop_token& stop) {
  const movie::Playlist list = movie::read_playlist(inputs, ways.missing);
  for (const auto* lines : {&list.notes, &list.skipped})
    for (const std::string& line : *lines) print_line(stderr, "tilewall: {}", line);
  if (ways.skipped != nullptr)
    ways.skipped->insert(ways.skipped->end(), list.skipped.begin(), list.skipped.end());
  command::ProgressLine progress("look at");
  return playlist_source(
      list, [&](const std::string& path) { return open_inputs({path}, wall, ways, stop); },
      progress);
}

}  // namespace

namespace {

/// Names of files reach other processes as JSON, which has UTF-8 alone.
void expect_utf8(const scene::SourceSpec& source, const std::string& input) {
  try {
    static_cast<void>(scene::to_json(source).dump());
  } catch (const nlohmann::json::type_error&) {
    throw InputError({printable_text(input)}, "", "names in UTF-8", "other bytes");
  }
}

}  // namespace

scene::SourceSpec open_show_source(const std::vector<std::string>& named, const wall::Wall& wall,
                                   const ShowWays& ways, const std::stop_token& stop) {
  movie::CacheUses for_now;
  std::vector<std::string> inputs;
  inputs.reserve(named.size());
  for (const std::string& input : named)
    inputs.push_back(demo_input(input, ways.uses != nullptr ? *ways.uses : for_now, stop));
  scene::SourceSpec source = movie::is_playlist(inputs) ? open_playlist(inputs, wall, ways, stop)
                                                        : open_inputs(inputs, wall, ways, stop);
  source.named.inputs = absolute_inputs(named);
  for (const auto& [name, value] : to_named(ways.live)) source.named.options.emplace(name, value);
  expect_utf8(source, named.front());
  return source;
}

fs::path common_folder(const std::vector<fs::path>& files) {
  std::optional<fs::path> common;
  for (const fs::path& file : files) {
    if (file.empty()) continue;
    const fs::path folder = file.parent_path();
    if (!common) common = folder;
    if (folder == *common) continue;
    const auto end = std::ranges::mismatch(*common, folder).in1;
    fs::path both;
    for (auto part = common->begin(); part != end; ++part) both /= *part;
    common = both;
  }
  return common.value_or("/");
}

scene::SourceSpec describe_input(const std::string& input) {
  return plan_inputs({input}, {}, {}).source;
}

}  // namespace tilewall::cli
