#include "player/panel/back_buffer.hpp"

#include <utility>

#include "sync/trace/trace.hpp"

namespace tilewall::panel {

BackBuffer::BackBuffer(present::Presenter& presenter, PictureRing& ring, const std::string& panel,
                       std::function<std::string()> clock)
    : presenter_(presenter),
      ring_(ring),
      clock_(std::move(clock)),
      overlay_(panel, ring.image(0).size_px) {}

void BackBuffer::prepare(const DecodedPicture& picture, PictureMarks marks,
                         const scene::Scene& scene) {
  const bool same = prepared_ && prepared_->epoch == picture.epoch &&
                    prepared_->tick == picture.tick && prepared_->buffer == picture.buffer &&
                    marks_ == marks;
  if (same) return;
  const LocalInstant began = local_now();
  marks_ = std::move(marks);
  inset_ = paint_inset(picture, scene);
  presenter_.prepare(ring_.image(picture.buffer), inset_);
  prepared_ = picture;
  prepared_at_ = local_now();
  present_time_ += prepared_at_ - began;
  sync::trace_span("prepare", began, prepared_at_, {picture.frame, picture.tick});
}

void BackBuffer::prepare_again(const HeldPicture& held, PictureMarks marks,
                               const scene::Scene& scene) {
  marks_ = std::move(marks);
  inset_ = paint_inset(held.picture(), scene);
  prepared_.reset();
  presenter_.prepare(held.image(), inset_);
}

SwapTime BackBuffer::swap() {
  const LocalInstant began = local_now();
  const LocalInstant swapped = presenter_.swap();
  present_time_ += swapped - began;
  return {began, swapped};
}

present::Inset BackBuffer::paint_inset(const DecodedPicture& picture, const scene::Scene& scene) {
  if (!marks_.figures)
    return marks_.hint.empty() ? present::Inset{} : overlay_.paint_hint(marks_.hint);
  return overlay_.paint({picture.frame, ring_.ready(), ring_.buffers(), picture.level, clock_(),
                         scene::to_text(scene.decimation, picture.tick)},
                        local_now(), marks_.hint);
}

}  // namespace tilewall::panel
