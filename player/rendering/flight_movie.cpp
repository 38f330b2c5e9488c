#include "player/rendering/flight_movie.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "player/movie/convert/frame_fetcher.hpp"
#include "player/rendering/volume_painter.hpp"
#include "sync/base/error.hpp"

namespace tilewall::rendering {
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
        painter_(movie.volume, movie.threads,
                 [&progress](const std::string& line) { progress.note(line); }) {
    if (movie.timestep < 0 || movie.timestep >= painter_.timesteps())
      throw InputError({"--timestep"}, "", fmt::format("a timestep under {}", painter_.timesteps()),
                       std::to_string(movie.timestep));
    info_.container = "flight";
    info_.codec = "volume";
    info_.pixel_format = "rgb24";
    info_.stored_px = info_.size_px = movie.size_px;
    info_.fps = movie.fps;
    info_.duration_s = flight_.duration_s();
    constexpr double rounding = 1e-9;
    info_.frames = std::max<std::int64_t>(
        1, std::llround(std::ceil(flight_.duration_s() * movie.fps.value() - rounding)));
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

  [[nodiscard]] std::vector<movie::SharedFrame> samples() override {
    std::vector<movie::SharedFrame> samples;
    for (const std::int64_t frame : {std::int64_t{0}, info_.frames / 2})
      if (frame == 0 || info_.frames > 1) samples.push_back(drawn(frame));
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
    return painter_.drawn_by();
  }

 private:
  movie::SharedFrame drawn(std::int64_t frame) {
    const std::scoped_lock lock(mutex_);
    const double at_s = static_cast<double>(frame) / movie_.fps.value();
    const SizePx size = movie_.size_px;
    bgrx_.resize(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 4);
    const ImageView view{bgrx_.data(), size, static_cast<std::size_t>(size.width) * 4};
    painter_.paint(movie_.timestep, {flight_.camera_at(at_s), movie_.style}, view, stop_);
    movie::AvFrame picture = movie::new_packed_picture(AV_PIX_FMT_RGB24, size);
    for (int y = 0; y < size.height; ++y) {
      const std::uint8_t* from = view.row(y);
      std::uint8_t* to = movie::packed_row(picture, y);
      for (int x = 0; x < size.width; ++x, from += 4, to += 3) {
        to[0] = from[2];
        to[1] = from[1];
        to[2] = from[0];
      }
    }
    ++drawn_;
    return movie::share(std::move(picture));
  }

  const FlightMovie& movie_;
  const render::FlightPath flight_;
  const std::stop_token stop_;
  movie::MovieInfo info_;
  std::int64_t next_ = 0;  // reading thread only
  mutable std::mutex mutex_;
  VolumePainter painter_;  // guarded by mutex_, as the next
  std::vector<std::uint8_t> bgrx_;
  std::int64_t drawn_ = 0;
};

std::string hash_of(const std::string& text) {
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

}  // namespace

movie::ImportResult render_flight(const FlightMovie& flight, const movie::ImportOptions& options,
                                  movie::ProgressSink& progress) {
  FlightFrames frames(flight, options, progress);
  const auto source = [&] {
    return movie::StoredSource{
        flight.path_file, "flight-" + hash_of(path::path_text(flight.path)),
        fmt::format(" volume={} look={} timestep={} drawn_by={}", hash_of(flight.volume_identity),
                    hash_of(scene::to_json(*flight.style).dump()), flight.timestep,
                    frames.drawn_by())};
  };
  return movie::store_pictures(frames, source, options, progress);
}

}  // namespace tilewall::rendering
