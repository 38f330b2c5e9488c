#include "player/rendering/frame_bands.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tilewall::rendering {
namespace {

// Bytes for each pixel of a frame, beside 4 for each of its rays.
constexpr std::size_t drawn_bytes = 9;    // its sums and its colours
constexpr std::size_t stored_bytes = 11;  // the frame before it, which is converted and halved
constexpr int fewest_rows = 64;           // Bands of fewer rows would cast few beams at a time.
/// Side of the middle by which chroma is chosen, with what the filters of its edges read.
constexpr int sampled_side_px = 2048 + 2 * 16;

std::size_t row_bytes(const PictureJob& job, std::size_t pixel_bytes) noexcept {
  const auto across = static_cast<std::size_t>(job.rays_across);
  return static_cast<std::size_t>(job.size_px.width) * (4 * across * across + pixel_bytes);
}

}  // namespace

int band_rows_of(const PictureJob& job) noexcept {
  const int height = job.size_px.height;
  const std::size_t most = job.volume.memory_bytes;
  if (job.is_float || job.is_whole ||
      row_bytes(job, drawn_bytes + stored_bytes) * static_cast<std::size_t>(height) <= most)
    return height;
  // All rows may fit while they are drawn, but not beside the frame before that is stored.
  const auto all = static_cast<std::size_t>(height);
  const std::size_t rows = std::min(most / row_bytes(job, drawn_bytes), (all + 1) / 2) / 2 * 2;
  return static_cast<int>(std::min(all, std::max(rows, std::size_t{fewest_rows})));
}

int storing_threads(const PictureJob& job, int most) noexcept {
  if (is_banded(job)) return 1;
  const std::size_t frame_bytes =
      row_bytes(job, stored_bytes) * static_cast<std::size_t>(job.size_px.height);
  const std::size_t fitting = job.volume.memory_bytes / std::max<std::size_t>(frame_bytes, 1);
  return static_cast<int>(std::clamp<std::size_t>(fitting, 1, static_cast<std::size_t>(most)));
}

bool is_banded(const PictureJob& job) noexcept { return band_rows_of(job) < job.size_px.height; }

RectPx sampled_part(const PictureJob& job) noexcept {
  const SizePx size = job.size_px;
  if (!is_banded(job)) return {0, 0, size.width, size.height};
  const int width = std::min(size.width, sampled_side_px);
  const int height = std::min(size.height, sampled_side_px);
  return {(size.width - width) / 2, (size.height - height) / 2, width, height};
}

FrameBands::FrameBands(const PictureJob& job, DrawPart draw)
    : band_rows_(band_rows_of(job)), draw_(std::move(draw)) {
  size_px_ = job.size_px;
}

void FrameBands::read_row(std::uint8_t* out) {
  if (next_row_ == band_end_) {
    band_.reset();  // freed before the next one is made
    const int rows = std::min(band_rows_, size_px_.height - band_end_);
    band_ = draw_({0, band_end_, size_px_.width, rows});
    band_end_ += rows;
  }
  const int row = next_row_++ - (band_end_ - band_->height);
  std::memcpy(out, band_->data[0] + std::ptrdiff_t{row} * band_->linesize[0],
              static_cast<std::size_t>(size_px_.width) * 3);
}

}  // namespace tilewall::rendering
