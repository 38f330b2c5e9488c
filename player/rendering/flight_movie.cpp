#include "player/rendering/flight_movie.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "player/movie/convert/frame_fetcher.hpp"
#include "player/rendering/volume_painter.hpp"
#include "sync/base/error.hpp"

namespace tilewall::rendering {
namespace {

constexpr double sampled_s = 7;  // An estimate renders frames for this long.
constexpr std::size_t most_sampled_frames = 500;

std::int64_t frames_of(const render::FlightPath& flight, Rational fps) {
  constexpr double rounding = 1e-9;
  return std::max<std::int64_t>(
      1, std::llround(std::ceil(flight.duration_s() * fps.value() - rounding)));
}

/// Does one piece of work after the other on a thread of its own: a GPU's context belongs to one
/// thread, and an import's workers are several.
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

/// Frames of the flight, drawn as the workers of an import ask for them: one at a time, on all
/// cores, while the others convert and write theirs.
class FlightFrames final : public movie::FrameFetcher {
 public:
  FlightFrames(const FlightMovie& movie, const movie::ImportOptions& options,
               movie::ProgressSink& progress)
      : movie_(movie), flight_(path::flight_of(movie.path, movie.path_file)), stop_(options.stop) {
    thread_.run([&] {
      painter_.emplace(movie.volume, movie.threads,
                       [&progress](const std::string& line) { progress.note(line); });
    });
    check_timesteps();
    info_.container = "flight";
    info_.codec = "volume";
    info_.pixel_format = "rgb24";
    info_.stored_px = info_.size_px = movie.size_px;
    info_.fps = movie.fps;
    info_.duration_s = flight_.duration_s();
    info_.frames = frames_of(flight_, movie.fps);
    if (info_.frames > movie::max_frames)
      throw InputError({movie.path_file}, "duration_s",
                       fmt::format("at most {} frames", movie::max_frames),
                       std::to_string(info_.frames));
  }
  ~FlightFrames() override {
    thread_.run([this] { painter_.reset(); });
  }
  FlightFrames(const FlightFrames&) = delete;
  FlightFrames& operator=(const FlightFrames&) = delete;

  /// Only these frames of the flight are drawn, one after the other.
  void choose(std::vector<std::int64_t> frames) {
    chosen_ = std::move(frames);
    info_.frames = static_cast<std::int64_t>(chosen_.size());
  }

  /// Seconds that each picture took, since the last call.
  [[nodiscard]] std::vector<double> take_draw_times() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(draw_times_s_, {});
  }

  [[nodiscard]] const movie::MovieInfo& info() const noexcept override { return info_; }

  [[nodiscard]] std::optional<movie::SuppliedPicture> next() override {
    if (next_ >= info_.frames) return std::nullopt;
    const std::int64_t frame = next_++;
    return movie::SuppliedPicture{{frame, 1}, nullptr, static_cast<std::size_t>(frame)};
  }

  [[nodiscard]] movie::SharedFrame load(const movie::SuppliedPicture& picture) override {
    return drawn(flight_frame(static_cast<std::int64_t>(picture.list_index)));
  }

  [[nodiscard]] std::vector<movie::SharedFrame> samples() override {
    std::vector<movie::SharedFrame> samples;
    for (const std::int64_t frame : {std::int64_t{0}, info_.frames / 2})
      if (frame == 0 || info_.frames > 1) samples.push_back(drawn(flight_frame(frame)));
    return samples;
  }

  [[nodiscard]] std::string note() const override { return ""; }
  [[nodiscard]] std::int64_t judged_pictures() const override { return 0; }
  [[nodiscard]] movie::FetcherCounters counters() const override {
    movie::FetcherCounters counters;
    counters.decoded_pictures = drawn_;
    return counters;
  }
  [[nodiscard]] movie::DamageLines damage() const override { return {}; }

  /// The same kernels draw the same bytes; others may round differently.
  [[nodiscard]] std::string drawn_by() const {
    const std::scoped_lock lock(mutex_);
    return painter_->drawn_by();
  }

 private:
  void check_timesteps() const {
    const auto check = [this](double timestep, const std::string& place, const std::string& field) {
      if (timestep < 0 || timestep >= static_cast<double>(painter_->timesteps()))
        throw InputError({place}, field, fmt::format("a timestep under {}", painter_->timesteps()),
                         fmt::format("{:g}", timestep));
    };
    check(static_cast<double>(movie_.timestep), "--timestep", "");
    for (std::size_t i = 0; i < movie_.path.keys.size(); ++i)
      if (const auto& timestep = movie_.path.keys[i].timestep)
        check(*timestep, movie_.path_file, fmt::format("key[{}].timestep", i));
  }

  [[nodiscard]] std::int64_t flight_frame(std::int64_t frame) const {
    return chosen_.empty() ? frame : chosen_[static_cast<std::size_t>(frame)];
  }

  movie::SharedFrame drawn(std::int64_t frame) {
    const std::scoped_lock lock(mutex_);
    const auto began = std::chrono::steady_clock::now();
    const double at_s = static_cast<double>(frame) / movie_.fps.value();
    const int across = movie_.rays_across;
    const SizePx cast{movie_.size_px.width * across, movie_.size_px.height * across};
    bgrx_.resize(static_cast<std::size_t>(cast.width) * static_cast<std::size_t>(cast.height) * 4);
    const ImageView view{bgrx_.data(), cast, static_cast<std::size_t>(cast.width) * 4};
    const std::int64_t timestep =
        std::min(path::timestep_at(movie_.path, flight_, at_s).value_or(movie_.timestep),
                 painter_->timesteps() - 1);
    thread_.run([&] {
      painter_->paint(timestep,
                      {flight_.camera_at(at_s), path::style_at(movie_.styles, flight_, at_s)}, view,
                      stop_);
    });
    movie::AvFrame picture = movie::new_packed_picture(AV_PIX_FMT_RGB24, movie_.size_px);
    for (int y = 0; y < movie_.size_px.height; ++y)
      write_means(view, y, across, movie::packed_row(picture, y), movie_.size_px.width);
    ++drawn_;
    draw_times_s_.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    return movie::share(std::move(picture));
  }

  /// Writes row y of the picture, as RGB: each pixel the mean of its rays.
  static void write_means(const ImageView& view, int y, int across, std::uint8_t* to, int width) {
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

  const FlightMovie& movie_;
  const render::FlightPath flight_;
  const std::stop_token stop_;
  movie::MovieInfo info_;
  std::vector<std::int64_t> chosen_;  // empty: all frames
  std::int64_t next_ = 0;             // reading thread only
  mutable std::mutex mutex_;
  std::optional<VolumePainter> painter_;  // guarded by mutex_; thread_ makes, uses and ends it
  DrawThread thread_;                     // guarded by mutex_, as the next
  std::vector<std::uint8_t> bgrx_;
  std::vector<double> draw_times_s_;
  std::int64_t drawn_ = 0;
};

std::string hash_of(const std::string& text) {
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

/// All digits of the styles, each once in a row.
std::string exact_text(const path::KeyStyles& styles) {
  std::string text;
  for (std::size_t i = 0; i < styles.size(); ++i)
    if (i == 0 || styles[i] != styles[i - 1])
      text += fmt::format("{}{}\n", i, scene::to_json(*styles[i]).dump());
  return text;
}

movie::StoredSource source_of(const FlightMovie& flight, const FlightFrames& frames) {
  return {flight.path_file, "flight-" + hash_of(path::path_text(flight.path)),
          fmt::format(" volume={} look={} timestep={} samples={} drawn_by={}",
                      hash_of(flight.volume_identity), hash_of(exact_text(flight.styles)),
                      flight.timestep, flight.rays_across * flight.rays_across, frames.drawn_by())};
}

/// `count` frames, spread evenly over `all` from `first` on.
std::vector<std::int64_t> spread(std::size_t count, std::int64_t first, std::int64_t all) {
  std::vector<std::int64_t> frames(count);
  for (std::size_t i = 0; i < count; ++i)
    frames[i] =
        first + static_cast<std::int64_t>((static_cast<double>(i) + 0.5) *
                                          static_cast<double>(all) / static_cast<double>(count));
  return frames;
}

/// Shows no progress of the part that is rendered for an estimate.
class NotesAlone final : public movie::ProgressSink {
 public:
  explicit NotesAlone(movie::ProgressSink& to) : to_(to) {}
  void update(const movie::TransferProgress& /*progress*/) override {}
  void note(const std::string& line) override { to_.note(line); }

 private:
  movie::ProgressSink& to_;
};

/// A folder beside the movie's, which goes at the end.
class SampleFolder {
 public:
  explicit SampleFolder(const std::filesystem::path& output)
      : path_((output.has_filename() ? output : output.parent_path()).string() +
              fmt::format(".estimate-{}", ::getpid())) {}
  ~SampleFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SampleFolder(const SampleFolder&) = delete;
  SampleFolder& operator=(const SampleFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  const std::filesystem::path path_;
};

/// How many frames can be drawn in the time of an estimate.
std::size_t affordable_frames(FlightFrames& frames) {
  std::ignore = frames.samples();  // reads the volume
  std::ignore = frames.take_draw_times();
  std::ignore = frames.samples();
  double slowest_s = 1e-4;
  for (const double one_s : frames.take_draw_times()) slowest_s = std::max(slowest_s, one_s);
  const double count = std::clamp(sampled_s / slowest_s, 1.0, double{most_sampled_frames});
  return std::min(static_cast<std::size_t>(count), static_cast<std::size_t>(frames.info().frames));
}

/// Standard error of the sum of `count` values, of which these are a sample.
double error_of_sum(const std::vector<double>& sample, double count) {
  const auto size = static_cast<double>(sample.size());
  double mean = 0;
  for (const double value : sample) mean += value / size;
  double squares = 0;
  for (const double value : sample) squares += (value - mean) * (value - mean);
  return size < 2 ? 0 : count * std::sqrt(squares / (size - 1) / size);
}

}  // namespace

movie::ImportResult render_flight(const FlightMovie& flight, const movie::ImportOptions& options,
                                  movie::ProgressSink& progress) {
  FlightFrames frames(flight, options, progress);
  return movie::store_pictures(
      frames, [&] { return source_of(flight, frames); }, options, progress);
}

FlightEstimate estimate_flight(const FlightMovie& flight, const movie::ImportOptions& options,
                               movie::ProgressSink& progress) {
  NotesAlone notes(progress);
  FlightFrames frames(flight, options, notes);
  FlightEstimate estimate;
  estimate.frames = frames.info().frames;
  const std::int64_t first = options.frames ? options.frames->first : 0;
  if (options.frames)
    estimate.frames =
        std::clamp<std::int64_t>(estimate.frames - first, 1, options.frames->last - first + 1);
  const std::size_t count =
      std::min(affordable_frames(frames), static_cast<std::size_t>(estimate.frames));
  frames.choose(spread(count, std::min(first, frames.info().frames - 1), estimate.frames));
  const SampleFolder folder(options.output);
  movie::ImportOptions sampled = options;
  sampled.frames.reset();
  sampled.output = folder.path();
  const movie::ImportResult result = movie::store_pictures(
      frames, [&] { return source_of(flight, frames); }, sampled, notes);
  const std::vector<double> times = frames.take_draw_times();
  const auto all = static_cast<double>(estimate.frames);
  estimate.sampled_frames = static_cast<std::int64_t>(count);
  // The pictures by which chroma and space are chosen are drawn in the same time.
  estimate.seconds = result.duration_s / static_cast<double>(times.size()) * all;
  estimate.error_s = error_of_sum(times, all);
  estimate.bytes = static_cast<double>(result.written_bytes) / static_cast<double>(count) * all;
  return estimate;
}

}  // namespace tilewall::rendering
