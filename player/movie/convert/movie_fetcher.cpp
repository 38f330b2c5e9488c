// Fetches the pictures of a movie file. They are decoded in order, and mapped to frames of constant
// rate by their time stamps.

#include <fmt/format.h>

#include "player/movie/convert/frame_fetcher.hpp"
#include "player/movie/source/frame_cursor.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

class MovieFetcher final : public FrameFetcher {
 public:
  MovieFetcher(const std::filesystem::path& file, std::optional<Rational> fps)
      : file_(file), cursor_(file, fps) {}

  [[nodiscard]] const MovieInfo& info() const noexcept override { return cursor_.info(); }

  [[nodiscard]] std::optional<SuppliedPicture> next() override {
    auto picture = cursor_.next();
    if (!picture) return std::nullopt;
    note_damage(*picture);
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

  [[nodiscard]] FetcherCounters counters() const override {
    const TimingCounters& timing = cursor_.timing_counters();
    const DecodeCounters& decode = cursor_.decode_counters();
    return {cursor_.decoded_pictures(), timing.repeated_frames, timing.dropped_frames,
            decode.damaged_packets + decode.damaged_pictures, 0};
  }

  [[nodiscard]] std::int64_t judged_pictures() const override { return 0; }

  [[nodiscard]] DamageLines damage() const override {
    DamageLines found;
    for (const FrameSpan& span : damaged_)
      found.lines.push_back(fmt::format(
          "{}: {}: damaged or lost", file_.string(),
          span.count == 1 ? fmt::format("frame {}", span.first)
                          : fmt::format("frames {}..{}", span.first, span.first + span.count - 1)));
    found.left_out = more_damaged_;
    return found;
  }

 private:
  // Notes damaged frames; consecutive ones share a line.
  void note_damage(const TimedPicture& picture) {
    const bool marked = (picture.frame->flags & AV_FRAME_FLAG_CORRUPT) != 0;
    if (!marked && !picture.repeats_lost) return;
    FrameSpan span = picture.span;
    if (!marked && span.count > 1)
      span = {span.first + 1, span.count - 1};  // the repeats only: the picture itself is intact
    if (!damaged_.empty() && damaged_.back().first + damaged_.back().count == span.first)
      damaged_.back().count += span.count;
    else if (damaged_.size() < DamageLines::max_lines)
      damaged_.push_back(span);
    else
      ++more_damaged_;
  }

  const std::filesystem::path file_;
  FrameCursor cursor_;
  std::vector<FrameSpan> damaged_;
  std::int64_t more_damaged_ = 0;  // damaged pictures without a line
};

}  // namespace

std::unique_ptr<FrameFetcher> open_movie_fetcher(const std::filesystem::path& file,
                                                 std::optional<Rational> fps) {
  return std::make_unique<MovieFetcher>(file, fps);
}

}  // namespace tilewall::movie
