#include "player/movie/shared/picture_painter.hpp"

#include <atomic>
#include <utility>

#include "player/movie/frames/worker_pool.hpp"
#include "player/picture/bgrx.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::movie {
namespace {

void tell_refusal(const ScaleJob& job) {
  const PlaneFormat& format = job.format;
  log_line(
      "tilewall: zimg cannot convert {}x{} px (family {}, {} bits, subsampling {}:{}, matrix "
      "{}, transfer {}, primaries {}, {} range) to {}x{} px of RGB: these pictures are not shown",
      job.source_px.width, job.source_px.height, static_cast<int>(format.family), format.depth_bits,
      format.subsample_w_log2, format.subsample_h_log2, static_cast<int>(format.matrix),
      static_cast<int>(format.transfer), static_cast<int>(format.primaries),
      format.full_range ? "full" : "limited", job.target_px.width, job.target_px.height);
}

}  // namespace

PicturePainter::PicturePainter(SizePx displayed_px, int threads)
    : displayed_px_(displayed_px), scaler_(threads), pool_(threads) {}

const RectPx& PicturePainter::place(const picture::Placement& placement, SizePx picture_px) {
  if (placement_ != placement || picture_px_ != picture_px) {
    placement_ = placement;
    picture_px_ = picture_px;
    fit_ = fit_image(displayed_px_, 0, placement, picture_px);
  }
  return fit_.target_px;
}

void PicturePainter::prepare(const PictureView& from) {
  Job job;
  job.orientation = from.orientation;
  job.scale.source_px = padded_size_px(from.size_px, from.format);
  job.scale.format = from.format;
  job.scale.shown_px =
      stored_rect_px(fit_.source_px, displayed_px_, from.size_px, from.orientation);
  job.scale.target_px = turned({fit_.target_px.width, fit_.target_px.height}, from.orientation);
  if (job_ == job) return;
  job_ = job;
  scaler_.prepare(job.scale);
  const SizePx target = job.scale.target_px;
  unturned_.resize(from.orientation.upright()
                       ? 0
                       : std::size_t{4} * static_cast<std::size_t>(target.width) *
                             static_cast<std::size_t>(target.height));
}

bool PicturePainter::paint(const PictureView& from, const ImageView& picture,
                           picture::DrawCounters& counters) {
  prepare(from);
  const ImageView upright = picture::part_of(picture, fit_.target_px);
  const SizePx target_px = job_->scale.target_px;
  ImageView target = upright;
  if (!from.orientation.upright())
    target = {unturned_.data(), target_px,
              std::size_t{4} * static_cast<std::size_t>(target_px.width)};
  std::atomic<bool> scaled{true};
  run_timed(pool_, counters, scaler_.bands(), [&](int band, int worker) {
    if (!scaler_.run(band, worker, from.planes, target)) scaled = false;
  });
  if (scaler_.refused() && !std::exchange(refusal_told_, true)) tell_refusal(job_->scale);
  if (!from.orientation.upright()) turn_pixels(target, upright, from.orientation);
  counters.decoded_px +=
      static_cast<std::uint64_t>(target_px.width) * static_cast<std::uint64_t>(target_px.height);
  return scaled;
}

}  // namespace tilewall::movie
