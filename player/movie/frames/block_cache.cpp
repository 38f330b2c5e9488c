#include "player/movie/frames/block_cache.hpp"

#include <limits>

#include "sync/base/check.hpp"

namespace tilewall::movie {

std::size_t BlockShape::bytes() const noexcept {
  std::size_t bytes = 0;
  for (int plane = 0; plane < plane_count(chroma); ++plane)
    bytes += plane_bytes(plane_size_px(size_px, chroma, plane));
  return bytes;
}

PlanarPicture* BlockCache::find(const BlockKey& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return &place->second->planes;
}

PlanarPicture& BlockCache::add(const BlockKey& key, const BlockShape& shape) {
  TW_CHECK(fits(1, shape));
  const std::size_t bytes = shape.bytes();
  PlanarPicture planes;  // in the memory of the last dropped block of this size
  while (used_bytes_ + bytes > budget_bytes_) {
    const auto oldest = std::prev(entries_.end());
    if (oldest->bytes == bytes) planes = std::move(oldest->planes);
    remove(places_.find(oldest->key));
  }
  planes.reshape(shape.size_px, shape.chroma);
  entries_.push_front({key, bytes, std::move(planes)});
  places_[key] = entries_.begin();
  used_bytes_ += bytes;
  return entries_.front().planes;
}

BlockCache::Places::iterator BlockCache::remove(Places::iterator place) {
  used_bytes_ -= place->second->bytes;
  entries_.erase(place->second);
  return places_.erase(place);
}

void BlockCache::forget(const BlockKey& key) {
  if (const auto place = places_.find(key); place != places_.end()) remove(place);
}

void BlockCache::forget_all_of(std::uint64_t owner) {
  constexpr std::int64_t first_frame = std::numeric_limits<std::int64_t>::min();
  auto place = places_.lower_bound({owner, first_frame, 0, 0});
  while (place != places_.end() && place->first.owner == owner) place = remove(place);
}

}  // namespace tilewall::movie
