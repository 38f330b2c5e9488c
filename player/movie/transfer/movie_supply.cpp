// A movie file as a supply: decoded one after the other, mapped to a constant rate by time stamps.

#include "player/movie/source/movie_file.hpp"
#include "player/movie/transfer/frame_supply.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

class MovieSupply final : public FrameSupply {
 public:
  MovieSupply(const std::filesystem::path& file, std::optional<Rational> fps)
      : file_(file), movie_(file), info_(movie_.info()) {
    if (fps) {
      info_.frames = static_cast<std::int64_t>(
          static_cast<double>(info_.frames) * fps->value() / info_.fps.value() + 0.5);
      info_.fps = *fps;
    }
    timing_.emplace(movie_.time_base(), info_.fps);
  }

  [[nodiscard]] const MovieInfo& info() const noexcept override { return info_; }

  // A picture's span is known once the next one's stamp is, so one is held back.
  [[nodiscard]] std::optional<SuppliedPicture> next() override {
    while (!ended_) {
      std::optional<DecodedPicture> picture = movie_.next();
      std::optional<FrameSpan> span;
      if (picture) {
        ++decoded_pictures_;
        span = timing_->add(picture->pts, picture->duration);
      } else {
        ended_ = true;
        span = timing_->finish();
      }
      SharedFrame frame = std::exchange(held_, picture ? std::move(picture->frame) : nullptr);
      if (span && span->count > 0) return SuppliedPicture{*span, std::move(frame), 0};
    }
    return std::nullopt;
  }

  [[nodiscard]] SharedFrame load(const SuppliedPicture& picture) override { return picture.frame; }

  [[nodiscard]] std::vector<SharedFrame> samples() override {
    MovieFile movie(file_);
    std::vector<SharedFrame> frames;
    for (const double share : {0.0, 0.5, 0.75}) {
      if (share > 0 && (info_.duration_s <= 1 || !movie.seek(share * info_.duration_s))) break;
      auto picture = movie.next();
      if (!picture) break;
      frames.push_back(std::move(picture->frame));
    }
    if (frames.empty())
      throw InputError({file_.string()}, "", "a video with at least one picture that decodes",
                       "none (" + last_ffmpeg_message() + ")");
    return frames;
  }

  [[nodiscard]] std::string gap_note() const override { return ""; }

  [[nodiscard]] SupplyCounters counters() const override {
    const TimingCounters& timing = timing_->counters();
    const DecodeCounters& decode = movie_.counters();
    return {decoded_pictures_, timing.repeated_frames, timing.dropped_frames,
            decode.damaged_packets + decode.damaged_pictures};
  }

 private:
  const std::filesystem::path file_;
  MovieFile movie_;
  MovieInfo info_;
  std::optional<FrameTiming> timing_;
  SharedFrame held_;
  bool ended_ = false;
  std::int64_t decoded_pictures_ = 0;
};

}  // namespace

std::unique_ptr<FrameSupply> open_movie_supply(const std::filesystem::path& file,
                                               std::optional<Rational> fps) {
  return std::make_unique<MovieSupply>(file, fps);
}

}  // namespace tilewall
