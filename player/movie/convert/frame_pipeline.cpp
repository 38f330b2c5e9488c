#include "player/movie/convert/frame_pipeline.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "player/movie/convert/huge_import.hpp"
#include "player/movie/convert/image_writer.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "sync/base/bounded_queue.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr std::chrono::milliseconds report_every{100};
constexpr std::chrono::seconds check_space_every{2};
constexpr std::int64_t max_queued_bytes = std::int64_t{256} << 20;
constexpr std::int64_t max_float_bytes = std::int64_t{2} << 30;  // of pictures that become files
constexpr std::int64_t float_pixel_bytes = 48;  // of a picture, and of its file while that is made

// Number of pictures in the queue, by its bytes at 3 a pixel: a decoded 8K picture takes 100 MB, so
// a fixed number would exceed the memory. Each worker holds one picture more.
std::size_t queue_capacity(const MovieInfo& info, int workers) {
  const std::int64_t picture_bytes =
      std::int64_t{3} * std::max(1, info.stored_px.width) * std::max(1, info.stored_px.height);
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(max_queued_bytes / picture_bytes, 1, 2 * workers));
}

}  // namespace

int affordable_workers(FrameFiles files, SizePx size_px, int workers) noexcept {
  if (files != FrameFiles::exr) return workers;
  const std::int64_t picture_bytes =
      float_pixel_bytes * std::max(1, size_px.width) * std::max(1, size_px.height);
  return static_cast<int>(std::clamp<std::int64_t>(max_float_bytes / picture_bytes, 1, workers));
}

std::int64_t least_measured_frames(bool is_by_rows) noexcept { return is_by_rows ? 1 : 8; }

FrameFileWriter::FrameFileWriter(const ImportPlan& plan)
    : plan_(plan),
      converter_(plan.conversion, plan.name),
      writer_(plan.manifest, plan.panel_share_px) {}

std::uint64_t FrameFileWriter::write(const AVFrame& picture, const std::filesystem::path& file) {
  switch (plan_.files) {
    case FrameFiles::exr:
      return write_exr(picture, file);
    case FrameFiles::png:
      return write_png(converter_.convert(picture), file);
    case FrameFiles::movie:
      break;
  }
  return writer_.write(converter_.convert(picture), file).bytes;
}

std::uint64_t FrameFileWriter::write(ImageRows& rows, const std::filesystem::path& file) {
  const SizePx size = rows.size_px();
  BandConverter bands(rows,
                      {{0, 0, size.width, size.height},
                       plan_.manifest.size_px,
                       plan_.manifest.chroma,
                       plan_.conversion.is_portable},
                      plan_.name);
  HugeFrameWriter writer(plan_.manifest, plan_.panel_share_px, file);
  for (PlanarPicture band = bands.next(); !band.planes.empty(); band = bands.next())
    writer.add_rows(band);
  return writer.finish().bytes;
}

namespace {

class Pipeline {
 public:
  Pipeline(const ImportPlan& plan, const ImportFolder& folder, FrameFetcher& fetcher, int workers)
      : plan_(plan),
        folder_(folder),
        fetcher_(fetcher),
        workers_(workers),
        queue_(queue_capacity(fetcher.info(), workers)) {}

  PipelineResult run(const std::stop_token& stop, ProgressSink& progress) {
    // Threads wait on a stop source of the pipeline's own, because an exception stops them too.
    const std::stop_callback forward(stop, [this] { stop_.request_stop(); });
    {
      std::vector<std::jthread> threads;
      threads.emplace_back([this] { guarded([this] { read(); }); });
      for (int i = 0; i < workers_; ++i)
        threads.emplace_back([this] { guarded([this] { work(); }); });
      report_until_done(progress);
    }  // joins all threads, so that nothing below needs a lock
    if (error_) std::rethrow_exception(error_);
    if (stop.stop_requested()) throw JobError("interrupted; run the same command again to resume");
    progress.update(now());
    return {frames_, written_frames_, written_bytes_};
  }

 private:
  // Runs a thread's body. Only the first exception is kept: it has stopped the others.
  template <typename Body>
  void guarded(Body&& body) {
    try {
      body();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_.request_stop();
    }
    const std::scoped_lock lock(mutex_);
    ++ended_threads_;
    ended_.notify_all();
  }

  // The reading thread. A movie's pictures depend on each other, so one thread takes them in order;
  // FFmpeg decodes on threads of its own. Listed pictures are passed on undecoded.
  void read() {
    while (auto picture = fetcher_.next()) {
      if (stop_.stop_requested()) return;
      if (!clip(picture->span)) {
        if (picture->span.first > plan_.last_frame) break;
        continue;
      }
      frames_ = picture->span.first + picture->span.count;
      // A resumed import decodes the movie again, but skips everything after that.
      if (all_there(picture->span)) {
        done_frames_ += picture->span.count;
      } else if (!queue_.push(std::move(picture), stop_.get_token())) {
        return;
      }
      if (frames_ > plan_.last_frame - plan_.first_frame) break;
    }
    // One end mark for each worker, as a worker that takes one ends.
    for (int i = 0; i < workers_; ++i)
      if (!queue_.push(std::nullopt, stop_.get_token())) return;
  }

  // Cuts the span to the frames that are stored, and renumbers it from the first of them. False if
  // none is stored; the span then stays as it is, for read() to see whether it lies behind the
  // last.
  [[nodiscard]] bool clip(FrameSpan& span) const {
    const std::int64_t first = std::max(span.first, plan_.first_frame);
    const std::int64_t end = span.first + span.count;
    // last_frame may be INT64_MAX, so it is incremented only if a span ends behind it.
    const std::int64_t until = end - 1 > plan_.last_frame ? plan_.last_frame + 1 : end;
    if (first >= until) return false;
    span = {first - plan_.first_frame, until - first};
    return true;
  }

  [[nodiscard]] bool all_there(const FrameSpan& span) const {
    for (std::int64_t frame = span.first; frame < span.first + span.count; ++frame)
      if (!folder_.has_frame(frame)) return false;
    return true;
  }

  // A worker's thread. The writer is its own, as it keeps buffers for one picture.
  void work() {
    FrameFileWriter writer(plan_);
    for (;;) {
      const auto item = queue_.pop(stop_.get_token());
      if (!item || !*item) return;  // stopped, or an end mark
      const SuppliedPicture& picture = **item;
      if (fetcher_.is_by_rows())
        store(writer, *fetcher_.load_rows(picture), picture.span);
      else
        store(writer, *fetcher_.load(picture), picture.span);
    }
  }

  // `picture`: an AVFrame, or the rows of a picture.
  template <typename Picture>
  void store(FrameFileWriter& writer, Picture& picture, const FrameSpan& span) {
    std::filesystem::path written;
    for (std::int64_t frame = span.first; frame < span.first + span.count; ++frame) {
      // An interrupted import may have stored a part of the span.
      if (folder_.has_frame(frame)) {
        ++done_frames_;
        continue;
      }
      const std::filesystem::path file = folder_.frame_file(frame);
      // A repeated frame is a hard link to the first one. Where the file system has none, it is
      // written again.
      if (written.empty() || ::link(written.c_str(), file.c_str()) != 0) {
        written_bytes_ += writer.write(picture, file);
        written = file;
      }
      newest_ = frame;
      ++written_frames_;
      ++done_frames_;
    }
  }

  // The caller's thread. The lock is released while it reports and looks at the disk, since ending
  // threads need it.
  void report_until_done(ProgressSink& progress) {
    std::unique_lock lock(mutex_);
    auto next_check = std::chrono::steady_clock::now() + check_space_every;
    while (!ended_.wait_for(lock, report_every, [&] { return ended_threads_ == workers_ + 1; })) {
      lock.unlock();
      progress.update(now());
      if (std::chrono::steady_clock::now() > next_check) {
        guard_space();
        next_check = std::chrono::steady_clock::now() + check_space_every;
      }
      lock.lock();
    }
  }

  // Stops the import as soon as it is clear that the disk will not hold it. The estimate before the
  // import came from a few pictures; this one comes from the frames written so far.
  void guard_space() {
    const std::int64_t written = written_frames_;
    if (written < least_measured_frames(fetcher_.is_by_rows()) || stop_.stop_requested()) return;
    const double frame_bytes = static_cast<double>(written_bytes_) / static_cast<double>(written);
    try {
      require_space(folder_.path(), frame_bytes, plan_.manifest.frames - done_frames_);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_.request_stop();
    }
  }

  [[nodiscard]] TransferProgress now() const {
    return {done_frames_, std::max<std::int64_t>(plan_.manifest.frames, done_frames_),
            written_bytes_, "frames", newest_};
  }

  const ImportPlan& plan_;
  const ImportFolder& folder_;
  FrameFetcher& fetcher_;
  const int workers_;
  BoundedQueue<std::optional<SuppliedPicture>> queue_;
  std::stop_source stop_;
  std::int64_t frames_ = 0;  // reading thread only; read by run() after that thread was joined
  std::atomic<std::int64_t> newest_{-1};  // stored frame
  std::atomic<std::int64_t> done_frames_{0};
  std::atomic<std::int64_t> written_frames_{0};
  std::atomic<std::uint64_t> written_bytes_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  int ended_threads_ = 0;     // guarded by mutex_
  std::exception_ptr error_;  // guarded by mutex_: the first exception
};

}  // namespace

namespace {

// Bytes of the picture's file, which is removed again. Its name is that of a killed import's
// leftovers, so that it never counts as a frame, and the next import removes it.
double measured_bytes(FrameFileWriter& writer, const std::filesystem::path& folder,
                      const AVFrame& picture) {
  const std::filesystem::path file = folder / fmt::format("frame-sample.tif.{}.tmp", ::getpid());
  const auto bytes = static_cast<double>(writer.write(picture, file));
  std::filesystem::remove(file);
  return bytes;
}

}  // namespace

double measure_frame_bytes(const ImportPlan& plan, const std::filesystem::path& folder,
                           const std::vector<SharedFrame>& samples) {
  FrameFileWriter writer(plan);
  double bytes = 0;
  for (const SharedFrame& sample : samples) bytes += measured_bytes(writer, folder, *sample);
  return bytes / static_cast<double>(samples.size());
}

PipelineResult run_pipeline(const ImportPlan& plan, const ImportFolder& folder,
                            FrameFetcher& fetcher, const ImportOptions& options,
                            ProgressSink& progress) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int workers = fetcher.is_by_rows()
                          ? 1
                          : affordable_workers(plan.files, plan.manifest.size_px,
                                               options.workers > 0 ? options.workers : cores);
  return Pipeline(plan, folder, fetcher, workers).run(options.stop, progress);
}

}  // namespace tilewall::movie
