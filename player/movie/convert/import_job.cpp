#include "player/movie/convert/import_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "player/movie/convert/frame_pipeline.hpp"
#include "player/movie/convert/huge_import.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/movie/convert/media_output.hpp"
#include "player/movie/convert/transfer_status.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

std::string import_audio(const ImportOptions& options, const ImportPlan& plan,
                         const FrameFetcher& fetcher, const ImportFolder& folder,
                         ProgressSink& progress) {
  if (fetcher.info().audio_codec.empty()) return "";
  const double period_s = 1 / plan.manifest.fps.value();
  AudioSpan span;
  if (options.frames)
    span = {static_cast<double>(options.frames->first) * period_s,
            static_cast<double>(options.frames->last + 1) * period_s};
  std::string file = extract_audio(options.inputs.front(), folder.path(), span);
  if (file.empty())
    progress.note(fmt::format("{}: its sound ({}) cannot be kept beside the movie", plan.name,
                              fetcher.info().audio_codec));
  return file;
}

/// Writes the sound of a complete movie again where it was lost; true if it did.
bool restore_sound(const ImportOptions& options, const ImportPlan& plan,
                   const FrameFetcher& fetcher, const ImportFolder& folder,
                   ProgressSink& progress) {
  const std::string& file = folder.existing().audio_file;
  if (file.empty() || sound_problem(folder.path() / file).empty()) return false;
  return !import_audio(options, plan, fetcher, folder, progress).empty();
}

void note_counts(const ImportPlan& plan, const ImportResult& result, ProgressSink& progress) {
  const MovieManifest& movie = result.manifest;
  if (movie.repeated_frames + movie.dropped_frames > 0)
    progress.note(
        fmt::format("{}: brought to {} frames per second by time stamps: {} repeated, {} dropped",
                    plan.name, to_string(movie.fps), movie.repeated_frames, movie.dropped_frames));
  if (result.damaged_frames == 0) return;
  constexpr std::size_t max_named = 10;
  const std::size_t named = std::min(max_named, result.problems.size());
  for (std::size_t i = 0; i < named; ++i) progress.note(result.problems[i]);
  progress.note(
      fmt::format("{}: {} damaged picture{}; each is stored as far as it can be decoded, or the "
                  "last good one in its place{}",
                  plan.name, result.damaged_frames, result.damaged_frames == 1 ? "" : "s",
                  result.problems.size() > named ? "; --json or 'info --verify' names more" : ""));
}

void refuse_empty(const ImportOptions& options, const ImportPlan& plan, const ImportFolder& folder,
                  const FrameFetcher& fetcher) {
  std::error_code ignored;
  std::filesystem::remove(folder.path() / audio_file_name, ignored);
  folder.remove_manifest();
  if (options.frames)
    throw InputError({"--frames"}, "",
                     fmt::format("frames from 0 to about {}", fetcher.info().frames - 1),
                     to_string(*options.frames));
  throw InputError({plan.name}, "", "a video with at least one picture that decodes", "none");
}

}  // namespace

ImagesLook look_at_images(const std::vector<std::string>& inputs) {
  const auto rows = open_huge_image(inputs);
  if (!rows) {
    const std::unique_ptr<FrameFetcher> fetcher = open_fetcher(inputs, {});
    return {fetcher->info(), fetcher->judged_pictures(), fetcher->damage().lines};
  }
  ImagesLook look;
  MovieInfo& info = look.info;
  info.container = "image";
  info.codec = std::filesystem::path(inputs.front()).extension().string();
  if (!info.codec.empty()) info.codec.erase(0, 1);
  info.stored_px = info.size_px = rows->size_px();
  info.frames = 1;
  return look;
}

std::string to_string(const FrameRange& range) {
  return range.last == max_frames - 1 ? fmt::format("{}-", range.first)
                                      : fmt::format("{}-{}", range.first, range.last);
}

FrameRange frames_within(const std::optional<FrameRange>& asked, std::int64_t frames) {
  const FrameRange all = {0, frames - 1};
  if (!asked) return all;
  const bool is_open = asked->last == max_frames - 1;  // "A-"
  if (asked->first > all.last || (!is_open && asked->last > all.last))
    throw InputError({"--frames"}, "", fmt::format("frames from 0 to {}", all.last),
                     to_string(*asked));
  return {asked->first, std::min(asked->last, all.last)};
}

Sandbox sandbox_to_read(const std::vector<std::string>& inputs) {
  Sandbox sandbox;
  sandbox.writes_files = true;  // the outputs, which may be files, get progress
  std::set<std::filesystem::path> known;
  for (const std::string& input : inputs) {
    bool is_new = false;
    for (std::filesystem::path& folder : folders_to_read(input))
      if (known.insert(folder).second) {
        is_new = true;
        sandbox.readable.push_back(std::move(folder));
      }
    if (!is_new) continue;
    for (std::filesystem::path& file : linked_files(input))
      sandbox.readable.push_back(std::move(file));
  }
  return sandbox;
}

Sandbox sandbox_to_import(const ImportOptions& options) {
  Sandbox sandbox = sandbox_to_read(options.inputs);
  sandbox.replaceable = {options.output};
  return sandbox;
}

ImportResult import_movie(const ImportOptions& options, ProgressSink& progress) {
  check_import_options(options);
  if (auto rows = open_huge_image(options.inputs))
    return import_huge_image(options, std::move(rows), progress);
  const std::unique_ptr<FrameFetcher> fetcher = open_fetcher(options.inputs, options.fps);
  return store_pictures(
      *fetcher, [&options] { return source_of(options); }, options, progress);
}

ImportResult store_pictures(FrameFetcher& fetcher, const std::function<StoredSource()>& source,
                            const ImportOptions& options, ProgressSink& progress) {
  const auto start = std::chrono::steady_clock::now();
  check_import_options(options);
  const std::vector<SharedFrame> samples = fetcher.samples();
  const StoredSource stored_source = source();
  MovieInfo judged = fetcher.info();
  if (fetcher.is_by_rows()) judged.size_px = {samples.front()->width, samples.front()->height};
  const Chroma chroma = options.files == FrameFiles::exr
                            ? Chroma::rgb
                            : choose_chroma(samples, judged, options.quality, stored_source.name,
                                            options.is_portable);
  ImportPlan plan = plan_import(options, stored_source, fetcher.info(), chroma);
  const ImportFolder folder(options.output, options.files, plan.manifest, options.overwrite);
  ImportResult result;
  result.hdr = hdr_light_of(*samples.front());
  if (folder.complete()) {
    result.manifest = folder.existing();
    result.already_complete = !restore_sound(options, plan, fetcher, folder, progress);
    return result;
  }
  if (const std::string note = fetcher.note(); !note.empty()) progress.note(note);
  if (result.hdr)
    progress.note(
        fmt::format("{}: {}: {}", plan.name, to_string(*result.hdr), treatment_of(options.hdr)));
  // One that is made by rows takes long, so the first frame that is stored tells its size.
  if (!fetcher.is_by_rows())
    require_space(folder.path(), measure_frame_bytes(plan, folder.path(), samples),
                  plan.manifest.frames - folder.frames_there());
  folder.save(plan.manifest);
  plan.manifest.audio_file = import_audio(options, plan, fetcher, folder, progress);
  StatusSink status(folder.path(), PicturedFrames{plan.manifest, plan.files}, progress);
  const PipelineResult stored = run_pipeline(plan, folder, fetcher, options, status);
  if (stored.frames == 0) refuse_empty(options, plan, folder, fetcher);
  const FetcherCounters counters = fetcher.counters();
  plan.manifest.frames = stored.frames;
  plan.manifest.repeated_frames = counters.repeated_frames;
  plan.manifest.dropped_frames = counters.dropped_frames;
  plan.manifest.complete = true;
  folder.save(plan.manifest);
  result.manifest = plan.manifest;
  result.written_frames = stored.written_frames;
  result.written_bytes = stored.written_bytes;
  result.decoded_pictures = counters.decoded_pictures;
  result.damaged_frames = counters.damaged_frames;
  result.problems = fetcher.damage().lines;
  result.duration_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  note_counts(plan, result, progress);
  return result;
}

}  // namespace tilewall::movie
