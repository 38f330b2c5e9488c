#include "player/movie/shared/shared_movie.hpp"

#include <chrono>
#include <mutex>

#include "player/movie/shared/frame_waiter.hpp"
#include "player/movie/shared/picture_painter.hpp"
#include "player/picture/bgrx.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::movie {
namespace {

class SharedMovie final : public picture::PictureSource {
 public:
  explicit SharedMovie(SharedMovieOptions options)
      : size_px_(options.size_px),
        painter_(options.size_px, options.threads),
        waiter_(std::move(options)) {}

  [[nodiscard]] SizePx size_px() const noexcept override { return size_px_; }
  [[nodiscard]] const picture::DrawCounters& counters() const noexcept override {
    return counters_;
  }
  [[nodiscard]] std::optional<picture::ReadyPictures> ready(std::int64_t frame) override {
    return waiter_.ready(frame);
  }
  void await(std::int64_t frame, LocalInstant until) override {
    const sync::TraceSpan span("wait for decoder");
    waiter_.await(frame, until);
  }
  [[nodiscard]] std::optional<scene::DecoderStatus> decoder_status() const override {
    return waiter_.decoder_status();
  }

  void set_parameters(const picture::DrawParameters& parameters) override {
    waiter_.stay(parameters.keep);
  }
  void reserve(std::int64_t frame) override { waiter_.reserve(frame); }
  void leave() override { waiter_.leave(); }
  [[nodiscard]] bool is_late() override { return waiter_.is_late(); }

  picture::DrawStatus draw(std::int64_t frame, const picture::Placement& placement,
                           const ImageView& picture, const ImageView* last_good) override {
    const RectPx target = painter_.place(placement, picture.size_px);
    picture::fill_black_around(picture, target);
    counters_.damage = scene::FrameDamage::none;
    if (target.empty()) return picture::DrawStatus::whole;
    const FrameWait wait = wait_for(frame);
    if (wait.end == FrameWaitEnd::abandoned) return picture::DrawStatus::abandoned;
    const bool drawn = wait.pin && paint(wait.pin->picture(), picture);
    if (drawn) note_damage(wait.pin->picture());
    waiter_.look_ahead();
    if (drawn) return picture::DrawStatus::whole;
    picture::copy_or_blacken(last_good, picture, target);
    counters_.damage = scene::FrameDamage::repeated;
    ++counters_.damaged_blocks;
    ++counters_.damaged_frames;
    return picture::DrawStatus::damaged;
  }

 private:
  /// Counts a damaged picture, which has been drawn all the same, because no better one will come.
  void note_damage(const PictureView& picture) {
    if (!picture.damaged && !picture.repeats_lost) return;
    counters_.damage =
        picture.repeats_lost ? scene::FrameDamage::repeated : scene::FrameDamage::blocks;
    ++counters_.damaged_frames;
  }

  FrameWait wait_for(std::int64_t frame) {
    const sync::TraceSpan span("wait for decoder");
    return waiter_.wait(frame);
  }

  bool paint(const PictureView& from, const ImageView& picture) {
    const sync::TraceSpan span("scale");
    return painter_.paint(from, picture, counters_);
  }

  const SizePx size_px_;
  picture::DrawCounters counters_;
  PicturePainter painter_;
  FrameWaiter waiter_;
};

}  // namespace

std::unique_ptr<picture::PictureSource> open_shared_movie(SharedMovieOptions options) {
  return std::make_unique<SharedMovie>(std::move(options));
}

}  // namespace tilewall::movie
