// A movie file as a supply: decoded one after the other, mapped to a constant rate by time stamps.

#include "player/movie/source/frame_cursor.hpp"
#include "player/movie/transfer/frame_supply.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

class MovieSupply final : public FrameSupply {
 public:
  MovieSupply(const std::filesystem::path& file, std::optional<Rational> fps)
      : file_(file), cursor_(file, fps) {}

  [[nodiscard]] const MovieInfo& info() const noexcept override { return cursor_.info(); }

  [[nodiscard]] std::optional<SuppliedPicture> next() override {
    auto picture = cursor_.next();
    if (!picture) return std::nullopt;
    return SuppliedPicture{picture->span, std::move(picture->frame), 0};
  }

  [[nodiscard]] SharedFrame load(const SuppliedPicture& picture) override { return picture.frame; }

  [[nodiscard]] std::vector<SharedFrame> samples() override {
    MovieFile movie(file_);
    std::vector<SharedFrame> frames;
    for (const double share : {0.0, 0.5, 0.75}) {
      if (share > 0 && (info().duration_s <= 1 || !movie.seek(share * info().duration_s))) break;
      auto picture = movie.next();
      if (!picture) break;
      frames.push_back(std::move(picture->frame));
    }
    if (frames.empty())
      throw InputError({file_.string()}, "", "a video with at least one picture that decodes",
                       "none (" + last_ffmpeg_message() + ")");
    return frames;
  }

  [[nodiscard]] std::string note() const override { return ""; }

  [[nodiscard]] SupplyCounters counters() const override {
    const TimingCounters& timing = cursor_.timing_counters();
    const DecodeCounters& decode = cursor_.decode_counters();
    return {cursor_.decoded_pictures(), timing.repeated_frames, timing.dropped_frames,
            decode.damaged_packets + decode.damaged_pictures};
  }

 private:
  const std::filesystem::path file_;
  FrameCursor cursor_;
};

}  // namespace

std::unique_ptr<FrameSupply> open_movie_supply(const std::filesystem::path& file,
                                               std::optional<Rational> fps) {
  return std::make_unique<MovieSupply>(file, fps);
}

}  // namespace tilewall
