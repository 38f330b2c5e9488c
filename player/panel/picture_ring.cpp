#include "player/panel/picture_ring.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "sync/base/check.hpp"

namespace tilewall::panel {

namespace {

// 64 MiB hold four pictures of 2560x1600. More would break the limit of 250 MiB for a panel.
constexpr std::size_t ring_budget_bytes = std::size_t{64} << 20;
constexpr std::size_t min_buffers = 3;
constexpr std::size_t max_buffers = 8;
constexpr std::size_t picture_alignment_bytes = 64;  // one cache line, for full-width stores

std::size_t stride_bytes(SizePx size) { return static_cast<std::size_t>(size.width) * 4; }

std::size_t picture_bytes(SizePx size) {
  const std::size_t bytes = stride_bytes(size) * static_cast<std::size_t>(size.height);
  return (bytes + picture_alignment_bytes - 1) / picture_alignment_bytes * picture_alignment_bytes;
}

}  // namespace

std::size_t ring_buffers(SizePx picture_px) noexcept {
  return std::clamp(ring_budget_bytes / std::max<std::size_t>(picture_bytes(picture_px), 1),
                    min_buffers, max_buffers);
}

void PictureRing::FreeDeleter::operator()(std::uint8_t* memory) const noexcept {
  std::free(memory);
}

PictureRing::PictureRing(SizePx picture_px, std::size_t buffers) : picture_px_(picture_px) {
  for (std::size_t i = 0; i < buffers; ++i) {
    void* memory = std::aligned_alloc(picture_alignment_bytes, picture_bytes(picture_px));
    TW_CHECK(memory != nullptr, "{} bytes", picture_bytes(picture_px));
    memory_.emplace_back(static_cast<std::uint8_t*>(memory));
    free_.push_back(i);
  }
}

ImageView PictureRing::image(std::size_t buffer) const noexcept {
  return {memory_[buffer].get(), picture_px_, stride_bytes(picture_px_)};
}

std::optional<std::size_t> PictureRing::acquire(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!has_free_.wait(lock, stop, [&] { return !free_.empty(); })) return std::nullopt;
  return take_free();
}

std::optional<std::size_t> PictureRing::acquire_until(LocalInstant end,
                                                      const std::stop_token& stop) {
  const std::chrono::steady_clock::time_point until(end.since_epoch);
  std::unique_lock lock(mutex_);
  if (!has_free_.wait_until(lock, stop, until, [&] { return !free_.empty(); })) return std::nullopt;
  return take_free();
}

std::size_t PictureRing::take_free() {
  const std::size_t buffer = free_.front();
  free_.pop_front();
  if (shown_ == buffer) shown_.reset();
  return buffer;
}

void PictureRing::push(const DecodedPicture& picture) {
  {
    const std::scoped_lock lock(mutex_);
    ready_.push_back(picture);
  }
  has_ready_.notify_one();
}

void PictureRing::give_back(std::size_t buffer) {
  {
    const std::scoped_lock lock(mutex_);
    free_.push_front(buffer);
  }
  has_free_.notify_one();
}

void PictureRing::drop(std::size_t buffer) {
  {
    const std::scoped_lock lock(mutex_);
    free_.push_back(buffer);
  }
  has_free_.notify_one();
}

std::optional<DecodedPicture> PictureRing::front(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  if (!has_ready_.wait_for(lock, limit, [&] { return !ready_.empty(); })) return std::nullopt;
  return ready_.front();
}

std::optional<DecodedPicture> PictureRing::second() {
  const std::scoped_lock lock(mutex_);
  if (ready_.size() < 2) return std::nullopt;
  return ready_[1];
}

void PictureRing::drop_behind_front(const std::function<bool(const DecodedPicture&)>& outdated) {
  {
    const std::scoped_lock lock(mutex_);
    if (ready_.empty()) return;
    const auto kept = std::stable_partition(
        ready_.begin() + 1, ready_.end(), [&](const auto& picture) { return !outdated(picture); });
    for (auto picture = kept; picture != ready_.end(); ++picture) free_.push_back(picture->buffer);
    ready_.erase(kept, ready_.end());
  }
  has_free_.notify_one();
}

std::size_t PictureRing::ready() {
  const std::scoped_lock lock(mutex_);
  return ready_.size();
}

void PictureRing::pop_front() {
  {
    const std::scoped_lock lock(mutex_);
    TW_CHECK(!ready_.empty());
    free_.push_back(ready_.front().buffer);
    ready_.pop_front();
  }
  has_free_.notify_one();
}

void PictureRing::pop_shown() {
  {
    const std::scoped_lock lock(mutex_);
    TW_CHECK(!ready_.empty());
    shown_ = ready_.front().buffer;
  }
  pop_front();
}

std::optional<std::size_t> PictureRing::take_shown() {
  const std::scoped_lock lock(mutex_);
  if (!shown_ || std::erase(free_, *shown_) == 0) return std::nullopt;
  return shown_;
}

bool nothing_follows(const sync::TickGrid& tick_grid, std::int64_t tick) noexcept {
  return tick_grid.paused() || (tick_grid.count && tick >= *tick_grid.count - 1);
}

void HeldPicture::note_shown(const DecodedPicture& picture, const ImageView& image,
                             const scene::Scene& scene) {
  picture_.reset();
  if (!scene.hints || picture.epoch != scene.epoch ||
      !nothing_follows(scene.tick_grid, picture.tick))
    return;
  size_px_ = image.size_px;
  const std::size_t row_bytes = static_cast<std::size_t>(size_px_.width) * 4;
  pixels_.resize(row_bytes * static_cast<std::size_t>(size_px_.height));
  for (int y = 0; y < size_px_.height; ++y)
    std::copy_n(image.row(y), row_bytes, this->image().row(y));
  picture_ = picture;
}

void HeldPicture::note_hint(std::string hint, std::optional<GlobalInstant> until) {
  hint_ = std::move(hint);
  if (until) hint_until_ = *until;
}

ImageView HeldPicture::image() const noexcept {
  return {pixels_.data(), size_px_, static_cast<std::size_t>(size_px_.width) * 4};
}

}  // namespace tilewall::panel
