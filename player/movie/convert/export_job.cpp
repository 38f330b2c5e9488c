#include "player/movie/convert/export_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "player/movie/convert/frame_reading.hpp"
#include "player/movie/convert/image_writer.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/media_output.hpp"
#include "player/movie/convert/transfer_status.hpp"
#include "player/movie/convert/video_encoder.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

namespace fs = std::filesystem;

int core_count() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

void refuse_existing(const ExportOptions& options) {
  std::error_code error;
  if (!fs::exists(options.output, error) || options.overwrite) return;
  if (fs::is_directory(options.output, error) && fs::is_empty(options.output, error)) return;
  throw InputError({options.output.string()}, "output", "a new name (or --overwrite)",
                   "one that exists");
}

// Refuses a movie of which no frame can be read before anything is written.
void require_readable_frame(const ExportOptions& options, const MovieManifest& movie,
                            const FrameRange& range) {
  FrameReading reading(movie, options.movie, range.first, range.last, core_count());
  for (std::int64_t read = 1; reading.next(); ++read) {
    if (reading.damaged_frames() < read) return;
    if (options.stop.stop_requested()) throw JobError("interrupted; nothing was written");
  }
  throw JobError(fmt::format("{}: no frame of {} can be read; 'tilewall info --verify' says why",
                             options.movie.string(), to_string(range)));
}

void throw_if_stopped(const ExportOptions& options) {
  if (options.stop.stop_requested()) throw JobError("interrupted; nothing half-written is left");
}

// The file with the movie's sound; "" if there is none, it cannot be read, or the rate is changed,
// since the sound fits only the movie's own rate.
fs::path sound_of(const ExportOptions& options, const MovieManifest& movie,
                  ProgressSink& progress) {
  if (movie.audio_file.empty()) return "";
  if (options.fps && *options.fps != movie.fps) {
    progress.note(fmt::format("{}: without the movie's sound, which fits to {} frames per second",
                              options.output.string(), to_string(movie.fps)));
    return "";
  }
  fs::path file = options.movie / movie.audio_file;
  const std::string problem = sound_problem(file);
  if (problem.empty()) return file;
  progress.note(fmt::format("{}: without the movie's sound: {}", options.output.string(), problem));
  return "";
}

void note_size(const ExportOptions& options, SizePx movie_px, SizePx video_px,
               ProgressSink& progress) {
  if (movie_px == video_px) return;
  progress.note(fmt::format(
      "{}: {}x{} instead of {}x{}: the sides of such a video are even, so the last {} there twice",
      options.output.string(), video_px.width, video_px.height, movie_px.width, movie_px.height,
      movie_px.height == video_px.height ? "column is"
      : movie_px.width == video_px.width ? "row is"
                                         : "column and row are"));
}

ExportResult export_video(const ExportOptions& options, const MovieManifest& movie,
                          const FrameRange& range, ProgressSink& progress) {
  VideoEncoder encoder(
      options.output,
      {movie.size_px, movie.chroma, options.fps.value_or(movie.fps), options.crf,
       sound_of(options, movie, progress), static_cast<double>(range.first) / movie.fps.value()});
  note_size(options, movie.size_px, encoder.video_px(), progress);
  FrameReading reading(movie, options.movie, range.first, range.last, core_count() + 1);
  ExportResult result;
  TransferProgress so_far{0, range.last - range.first + 1, 0, "frames"};
  auto next_report = std::chrono::steady_clock::now();
  while (const SharedPicture picture = reading.next()) {
    throw_if_stopped(options);
    encoder.add(*picture);
    ++so_far.done;
    if (std::chrono::steady_clock::now() < next_report) continue;
    progress.update(so_far);
    next_report = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  }
  encoder.finish();
  progress.update(so_far);
  result.frames = so_far.done;
  result.damaged_frames = reading.damaged_frames();
  result.size_px = encoder.video_px();
  result.movie_px = movie.size_px;
  result.with_sound = encoder.with_sound();
  result.bytes = fs::file_size(options.output);
  return result;
}

bool is_frame_image(std::string_view name) {
  return frame_number_in(name, ".png") || frame_number_in(name, ".jpg");
}

// An image that a killed export has left unfinished, such as "frame-000001.png.123.tmp".
bool is_unfinished_image(std::string_view name) {
  return name.starts_with("frame-") && name.ends_with(".tmp") &&
         (name.find(".png.") != std::string_view::npos ||
          name.find(".jpg.") != std::string_view::npos);
}

// The folder that images are written to. Unless keep() is called, it is left as it was, without the
// images that were replaced.
class ImageFolder {
 public:
  ImageFolder(fs::path folder, bool overwrite) : folder_(std::move(folder)) {
    std::error_code error;
    made_ = fs::create_directories(folder_, error);
    if (error) throw JobError(folder_.string() + ": cannot make the folder: " + error.message());
    lock_ = lock_output_folder(folder_);
    refuse_other_files(overwrite);
    remove_images();
  }
  ~ImageFolder() {
    if (kept_) return;
    std::error_code ignored;
    for (const fs::path& file : written_) fs::remove(file, ignored);
    if (made_) fs::remove(folder_, ignored);
  }
  ImageFolder(const ImageFolder&) = delete;
  ImageFolder& operator=(const ImageFolder&) = delete;

  // Returns the name of the next image, which is removed unless keep() is called.
  const fs::path& add(std::int64_t frame, bool png) {
    return written_.emplace_back(folder_ /
                                 fmt::format("frame-{:06}.{}", frame, png ? "png" : "jpg"));
  }
  void keep() noexcept { kept_ = true; }

 private:
  void refuse_other_files(bool overwrite) const {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_directory() &&
          (is_unfinished_image(name) || (overwrite && is_frame_image(name))))
        continue;
      throw InputError(
          {folder_.string()}, "output",
          overwrite ? "a folder of nothing but images of frames" : "a new or empty folder",
          "\"" + name + "\" in it");
    }
  }

  void remove_images() const {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      files.push_back(entry.path());
    for (const fs::path& file : files) fs::remove(file);
  }

  const fs::path folder_;
  bool made_ = false;
  bool kept_ = false;
  UniqueFd lock_;
  std::vector<fs::path> written_;
};

// Compresses every image on a thread of its own, at most one per core at a time.
ExportResult export_images(const ExportOptions& options, const MovieManifest& movie,
                           const FrameRange& range, ProgressSink& progress) {
  ImageFolder folder(options.output, options.overwrite);
  FrameReading reading(movie, options.movie, range.first, range.last, core_count());
  ExportResult result;
  result.size_px = result.movie_px = movie.size_px;
  // JPEG blocks hold no RGB, so lossless RGB movies become PNG even if JPEG was chosen.
  const bool png = options.images == ExportImages::png || movie.chroma == Chroma::rgb;
  std::deque<std::future<std::uint64_t>> writing;
  const auto collect = [&](std::size_t at_most) {
    for (; writing.size() > at_most; writing.pop_front()) {
      result.bytes += writing.front().get();
      ++result.frames;
      progress.update({result.frames, range.last - range.first + 1, result.bytes, "frames"});
    }
  };
  for (std::int64_t frame = range.first; frame <= range.last; ++frame) {
    throw_if_stopped(options);
    const fs::path file = folder.add(frame, png);
    writing.push_back(std::async(std::launch::async, [picture = reading.next(), file, png] {
      return png ? write_png(*picture, file) : write_jpeg(*picture, file);
    }));
    collect(static_cast<std::size_t>(core_count()));
  }
  collect(0);
  folder.keep();
  result.damaged_frames = reading.damaged_frames();
  return result;
}

std::string suffix_of(const fs::path& file) {
  std::string suffix = file.extension().string();
  for (char& letter : suffix)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return suffix;
}

bool is_png(const fs::path& file) { return suffix_of(file) == ".png"; }

bool is_image(const fs::path& file) {
  const std::string suffix = suffix_of(file);
  return suffix == ".png" || suffix == ".jpg" || suffix == ".jpeg";
}

// One frame as one image, whose format is that of its name.
ExportResult export_image(const ExportOptions& options, const MovieManifest& movie,
                          const FrameRange& range) {
  if (range.first != range.last)
    throw InputError({"--frames"}, "",
                     fmt::format("one frame for the image {}; several become a folder of images",
                                 options.output.string()),
                     to_string(range));
  if (!is_png(options.output) && movie.chroma == Chroma::rgb)
    throw InputError({"--output"}, "", "a .png for a movie of RGB", options.output.string());
  FrameReading reading(movie, options.movie, range.first, range.last, 1);
  ExportResult result;
  result.size_px = result.movie_px = movie.size_px;
  const SharedPicture picture = reading.next();
  result.bytes = is_png(options.output) ? write_png(*picture, options.output)
                                        : write_jpeg(*picture, options.output);
  result.frames = 1;
  result.damaged_frames = reading.damaged_frames();
  return result;
}

}  // namespace

ExportResult export_movie(const ExportOptions& options, ProgressSink& to) {
  PacedSink progress(to);
  const auto start = std::chrono::steady_clock::now();
  if (!scene::is_wall_movie(options.movie))
    throw InputError({options.movie.string()}, "", "the folder of a wall movie",
                     "no movie.toml in it");
  const MovieManifest movie = load_manifest(options.movie);
  const FrameRange range = frames_within(options.frames, movie.frames);
  refuse_existing(options);
  require_readable_frame(options, movie, range);
  const bool video = !options.output.extension().empty() && !fs::is_directory(options.output);
  ExportResult result = !video                     ? export_images(options, movie, range, progress)
                        : is_image(options.output) ? export_image(options, movie, range)
                                                   : export_video(options, movie, range, progress);
  result.duration_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace tilewall::movie
