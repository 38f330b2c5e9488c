#include "player/rendering/flight_movie.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "player/movie/convert/frame_fetcher.hpp"
#include "player/rendering/flight_identity.hpp"
#include "player/rendering/frame_bands.hpp"
#include "sync/base/error.hpp"

namespace tilewall::rendering {

namespace {

std::int64_t frames_of(const render::FlightPath& flight, Rational fps) {
  constexpr double rounding = 1e-9;
  return std::max<std::int64_t>(
      1, std::llround(std::ceil(flight.duration_s() * fps.value() - rounding)));
}

}  // namespace

movie::MovieInfo info_of(const FlightMovie& movie, const render::FlightPath& flight) {
  movie::MovieInfo info;
  info.container = "flight";
  info.codec = "volume";
  info.pixel_format = "rgb24";
  info.stored_px = info.size_px = movie.pictures.size_px;
  info.fps = movie.fps;
  info.duration_s = flight.duration_s();
  info.frames = frames_of(flight, movie.fps);
  if (info.frames > movie::max_frames)
    throw InputError({movie.path_file}, "duration_s",
                     fmt::format("at most {} frames", movie::max_frames),
                     std::to_string(info.frames));
  return info;
}

void check_timesteps(const FlightMovie& movie, std::int64_t timesteps) {
  const auto check = [timesteps](double timestep, const std::string& place,
                                 const std::string& field) {
    if (timestep < 0 || timestep >= static_cast<double>(timesteps))
      throw InputError({place}, field, fmt::format("a timestep under {}", timesteps),
                       fmt::format("{:g}", timestep));
  };
  check(static_cast<double>(movie.timestep), "--timestep", "");
  for (std::size_t i = 0; i < movie.path.keys.size(); ++i)
    if (const auto& timestep = movie.path.keys[i].timestep)
      check(*timestep, movie.path_file, fmt::format("key[{}].timestep", i));
}

FlightFrame frame_at(const FlightMovie& movie, const render::FlightPath& flight,
                     std::int64_t number, std::int64_t timesteps) {
  const int moments = movie.shutter > 0 ? shutter_moments : 1;
  const bool is_mixed = movie.pictures.volume.steps_between > 1;
  FlightFrame frame{number, {}};
  for (int i = 0; i < moments; ++i) {
    // In the middle of equal parts of the open time.
    const double open = movie.shutter > 0 ? movie.shutter * (i + 0.5) / moments : 0;
    const double at_s = (static_cast<double>(number) + open) / movie.fps.value();
    const double timestep = std::min(
        path::timestep_at(movie.path, flight, at_s).value_or(static_cast<double>(movie.timestep)),
        static_cast<double>(timesteps - 1));
    frame.moments.push_back({is_mixed ? timestep : path::last_whole(timestep),
                             {flight.camera_at(at_s), path::style_at(movie.styles, flight, at_s)}});
  }
  return frame;
}

std::vector<std::int64_t> sampled_frames(std::int64_t frames) {
  return frames > 1 ? std::vector<std::int64_t>{0, frames / 2} : std::vector<std::int64_t>{0};
}

namespace {

constexpr double sampled_s = 7;  // An estimate renders frames for this long.
constexpr std::size_t most_sampled_frames = 500;

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Frames of the flight, drawn as the workers of an import ask for them: one at a time, on all
/// cores, while the others convert and write theirs.
class FlightFrames final : public movie::FrameFetcher {
 public:
  FlightFrames(const FlightMovie& movie, const movie::ImportOptions& options,
               movie::ProgressSink& progress)
      : movie_(movie),
        flight_(path::flight_of(movie.path, movie.path_file)),
        stop_(options.stop),
        info_(info_of(movie, flight_)),
        painter_(movie.pictures, [&progress](const std::string& line) { progress.note(line); }) {
    check_timesteps(movie, painter_.timesteps());
  }

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

  [[nodiscard]] bool is_by_rows() const override { return is_banded(movie_.pictures); }

  [[nodiscard]] std::unique_ptr<movie::ImageRows> load_rows(
      const movie::SuppliedPicture& picture) override {
    const std::int64_t frame = flight_frame(static_cast<std::int64_t>(picture.list_index));
    const auto began = std::chrono::steady_clock::now();
    return std::make_unique<FrameBands>(movie_.pictures, [this, frame, began](const RectPx& part) {
      const std::scoped_lock lock(mutex_);
      const bool is_last = part.bottom() == movie_.pictures.size_px.height;
      const FlightFrame next = frame_of(frame + 1);
      movie::SharedFrame band = painter_.draw_part(frame_of(frame), part, stop_,
                                                   is_last && chosen_.empty() ? &next : nullptr);
      if (is_last) count_drawn(began);
      return band;
    });
  }

  [[nodiscard]] std::vector<movie::SharedFrame> samples() override {
    std::vector<movie::SharedFrame> samples;
    slowest_sample_s_ = 0;
    for (const std::int64_t number : sampled_frames(info_.frames)) {
      const auto began = std::chrono::steady_clock::now();
      const std::int64_t frame = flight_frame(number);
      samples.push_back(is_by_rows() ? painter_.draw_sample(frame_of(frame), stop_) : drawn(frame));
      slowest_sample_s_ = std::max(slowest_sample_s_, seconds_since(began));
    }
    return samples;
  }

  /// Seconds that a frame takes like the slowest of the last samples(), which may be parts.
  [[nodiscard]] double slowest_sample_s() const {
    const RectPx part = sampled_part(movie_.pictures);
    const SizePx whole = movie_.pictures.size_px;
    return slowest_sample_s_ * whole.width * whole.height / part.width / part.height;
  }

  [[nodiscard]] std::string note() const override { return ""; }
  [[nodiscard]] std::int64_t judged_pictures() const override { return 0; }
  [[nodiscard]] movie::FetcherCounters counters() const override {
    const std::scoped_lock lock(mutex_);
    movie::FetcherCounters counters;
    counters.decoded_pictures = drawn_;
    return counters;
  }
  [[nodiscard]] movie::DamageLines damage() const override { return {}; }

  [[nodiscard]] std::string drawn_by() const { return painter_.drawn_by(); }

 private:
  [[nodiscard]] std::int64_t flight_frame(std::int64_t frame) const {
    return chosen_.empty() ? frame : chosen_[static_cast<std::size_t>(frame)];
  }

  movie::SharedFrame drawn(std::int64_t frame) {
    const std::scoped_lock lock(mutex_);
    const auto began = std::chrono::steady_clock::now();
    const FlightFrame next = frame_of(frame + 1);
    movie::SharedFrame picture =
        painter_.draw(frame_of(frame), stop_, chosen_.empty() ? &next : nullptr);
    count_drawn(began);
    return picture;
  }

  [[nodiscard]] FlightFrame frame_of(std::int64_t number) const {
    return frame_at(movie_, flight_, number, painter_.timesteps());
  }

  /// @pre the caller has locked mutex_
  void count_drawn(std::chrono::steady_clock::time_point began) {
    ++drawn_;
    draw_times_s_.push_back(seconds_since(began));
  }

  const FlightMovie& movie_;
  const render::FlightPath flight_;
  const std::stop_token stop_;
  movie::MovieInfo info_;
  std::vector<std::int64_t> chosen_;  // empty: all frames
  std::int64_t next_ = 0;             // reading thread only
  double slowest_sample_s_ = 0;       // caller's thread only
  FramePainter painter_;
  mutable std::mutex mutex_;  // guards the next two, and is held while a picture is drawn
  std::vector<double> draw_times_s_;
  std::int64_t drawn_ = 0;
};

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
  std::ignore = frames.samples();
  std::ignore = frames.take_draw_times();
  const double slowest_s = std::max(frames.slowest_sample_s(), 1e-4);
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
  movie::ImportOptions bounded = options;
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bounded.workers = storing_threads(flight.pictures, options.workers > 0 ? options.workers : cores);
  return movie::store_pictures(
      frames,
      [&] {
        movie::StoredSource source = source_of(flight, frames.drawn_by());
        check_same_flight(options, source);
        return source;
      },
      bounded, progress);
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
      frames, [&] { return source_of(flight, frames.drawn_by()); }, sampled, notes);
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
