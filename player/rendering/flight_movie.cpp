#include "player/rendering/flight_movie.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <thread>
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
    static_cast<void>(movie::frames_within(options.frames, info_.frames));
  }

  [[nodiscard]] const movie::MovieInfo& info() const noexcept override { return info_; }

  [[nodiscard]] std::optional<movie::SuppliedPicture> next() override {
    if (next_ >= info_.frames) return std::nullopt;
    const std::int64_t frame = next_++;
    return movie::SuppliedPicture{{frame, 1}, nullptr, static_cast<std::size_t>(frame)};
  }

  [[nodiscard]] movie::SharedFrame load(const movie::SuppliedPicture& picture) override {
    return drawn(static_cast<std::int64_t>(picture.list_index));
  }

  [[nodiscard]] bool is_by_rows() const override { return is_banded(movie_.pictures); }

  [[nodiscard]] std::unique_ptr<movie::ImageRows> load_rows(
      const movie::SuppliedPicture& picture) override {
    const auto frame = static_cast<std::int64_t>(picture.list_index);
    return std::make_unique<FrameBands>(movie_.pictures, [this, frame](const RectPx& part) {
      const std::scoped_lock lock(mutex_);
      const bool is_last = part.bottom() == movie_.pictures.size_px.height;
      const FlightFrame next = frame_of(frame + 1);
      if (is_last) ++drawn_;
      return painter_.draw_part(frame_of(frame), part, stop_, is_last ? &next : nullptr);
    });
  }

  [[nodiscard]] std::vector<movie::SharedFrame> samples() override {
    std::vector<movie::SharedFrame> samples;
    for (const std::int64_t frame : sampled_frames(info_.frames))
      samples.push_back(is_by_rows() ? painter_.draw_sample(frame_of(frame), stop_) : drawn(frame));
    return samples;
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
  movie::SharedFrame drawn(std::int64_t frame) {
    const std::scoped_lock lock(mutex_);
    const FlightFrame next = frame_of(frame + 1);
    ++drawn_;
    return painter_.draw(frame_of(frame), stop_, &next);
  }

  [[nodiscard]] FlightFrame frame_of(std::int64_t number) const {
    return frame_at(movie_, flight_, number, painter_.timesteps());
  }

  const FlightMovie& movie_;
  const render::FlightPath flight_;
  const std::stop_token stop_;
  movie::MovieInfo info_;
  std::int64_t next_ = 0;  // reading thread only
  FramePainter painter_;
  mutable std::mutex mutex_;  // guards the next one, and is held while a picture is drawn
  std::int64_t drawn_ = 0;
};

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

}  // namespace tilewall::rendering
