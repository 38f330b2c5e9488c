#include "player/rendering/frame_painter.hpp"

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "player/rendering/volume_painter.hpp"

namespace tilewall::rendering {
namespace {

/// Does one piece of work after the other on a thread of its own.
class DrawThread {
 public:
  DrawThread() : thread_([this](const std::stop_token& stop) { serve(stop); }) {}

  /// Waits until `work` is done, and throws what it threw. One caller at a time.
  void run(const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void serve(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return work_ != nullptr; })) {
      try {
        (*work_)();
      } catch (...) {
        error_ = std::current_exception();
      }
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  const std::function<void()>* work_ = nullptr;  // guarded by mutex_; null: nothing to do
  std::exception_ptr error_;                     // guarded by mutex_
  std::jthread thread_;                          // last: joined before what it uses
};

/// Writes row y of the picture, as RGB: each pixel the mean of its rays.
void write_means(const ImageView& view, int y, int across, std::uint8_t* to, int width) {
  const auto rays = static_cast<unsigned>(across * across);
  for (int x = 0; x < width; ++x, to += 3) {
    unsigned sum[3] = {};
    for (int down = 0; down < across; ++down) {
      const std::uint8_t* from = view.row(y * across + down) + std::ptrdiff_t{4} * x * across;
      for (int right = 0; right < across; ++right, from += 4)
        for (int channel = 0; channel < 3; ++channel) sum[channel] += from[2 - channel];
    }
    for (int channel = 0; channel < 3; ++channel)
      to[channel] = static_cast<std::uint8_t>((sum[channel] + rays / 2) / rays);
  }
}

}  // namespace

struct FramePainter::State {
  explicit State(const PictureJob& with) : job(with) {}

  const PictureJob job;
  mutable std::mutex mutex;              // held while a picture is drawn
  std::optional<VolumePainter> painter;  // guarded by mutex; `thread` makes, uses and ends it
  std::vector<std::uint8_t> bgrx;        // guarded by mutex
  DrawThread thread;                     // guarded by mutex
  mutable std::mutex drawn_by_mutex;     // held for a moment only, also while a picture is drawn
  std::string drawn_by;                  // guarded by drawn_by_mutex
};

FramePainter::FramePainter(const PictureJob& job, std::function<void(const std::string&)> note)
    : state_(std::make_unique<State>(job)) {
  state_->thread.run([&] { state_->painter.emplace(job.volume, job.threads, std::move(note)); });
}

FramePainter::~FramePainter() {
  state_->thread.run([this] { state_->painter.reset(); });
}

std::int64_t FramePainter::timesteps() const { return state_->painter->timesteps(); }

movie::SharedFrame FramePainter::draw(const FlightFrame& frame, const std::stop_token& stop) {
  const std::scoped_lock lock(state_->mutex);
  const PictureJob& job = state_->job;
  const int across = job.rays_across;
  const SizePx cast{job.size_px.width * across, job.size_px.height * across};
  state_->bgrx.resize(static_cast<std::size_t>(cast.width) * static_cast<std::size_t>(cast.height) *
                      4);
  const ImageView view{state_->bgrx.data(), cast, static_cast<std::size_t>(cast.width) * 4};
  state_->thread.run([&] { state_->painter->paint(frame.timestep, frame.shot, view, stop); });
  {
    const std::scoped_lock drawn_by_lock(state_->drawn_by_mutex);
    state_->drawn_by = state_->painter->drawn_by();
  }
  movie::AvFrame picture = movie::new_packed_picture(AV_PIX_FMT_RGB24, job.size_px);
  for (int y = 0; y < job.size_px.height; ++y)
    write_means(view, y, across, movie::packed_row(picture, y), job.size_px.width);
  return movie::share(std::move(picture));
}

std::string FramePainter::drawn_by() const {
  const std::scoped_lock lock(state_->drawn_by_mutex);
  return state_->drawn_by;
}

}  // namespace tilewall::rendering
