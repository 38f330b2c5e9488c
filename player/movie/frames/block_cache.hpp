// Keeps decoded blocks as planes, so that a view that moves over a frame and comes back need not
// read and decode them again, at any scale.
//
// Blocks are kept as planes rather than pixels, because planes serve scaled pictures as well as
// those drawn pixel for pixel, and take 1.5 bytes a pixel (4:2:0) instead of 4. Drawing a picture
// of 2560x1600 from planes costs 3.8 cpu-ms, from pixels 1.2 (Sapphire Rapids class).
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

#include "player/movie/codecs/planar_picture.hpp"

namespace tilewall::movie {

struct BlockKey {
  std::uint64_t owner = 0;  ///< the source, by BlockCache::new_owner()
  std::int64_t frame = 0;
  int level = 0;
  int block = 0;
  auto operator<=>(const BlockKey&) const = default;
};

/// Size and chroma of the blocks of a movie.
struct BlockShape {
  SizePx size_px;
  Chroma chroma = Chroma::yuv420;
  [[nodiscard]] std::size_t bytes() const noexcept;  ///< memory of one block's planes
};

/// A cache of blocks of several sources, which drops the least recently used blocks first.
///
/// Threads: one at a time, except for new_owner(). Several threads may read and write the planes.
class BlockCache {
 public:
  /// `budget_bytes` = most bytes of planes that the cache holds.
  explicit BlockCache(std::size_t budget_bytes) noexcept : budget_bytes_(budget_bytes) {}

  /// A new owner's number for BlockKey::owner. Any thread.
  [[nodiscard]] std::uint64_t new_owner() noexcept { return ++owners_; }

  /// Whether the budget holds this many blocks at once.
  [[nodiscard]] bool fits(std::size_t blocks, const BlockShape& shape) const noexcept {
    return blocks <= budget_bytes_ / shape.bytes();
  }

  /// The block, which becomes the most recently used one; null if it is not in the cache. The
  /// pointer is valid until the block is forgotten or dropped: at the earliest when find() and
  /// add() have touched other blocks of the whole budget.
  [[nodiscard]] PlanarPicture* find(const BlockKey& key);

  /// Adds a block with undefined samples, and drops least recently used ones to make room. The
  /// reference is valid as long as a pointer of find(). @pre fits(1, shape); the block is not in
  /// the cache
  [[nodiscard]] PlanarPicture& add(const BlockKey& key, const BlockShape& shape);

  void forget(const BlockKey& key);
  void forget_all_of(std::uint64_t owner);

  [[nodiscard]] std::size_t used_bytes() const noexcept { return used_bytes_; }

 private:
  struct Entry {
    BlockKey key;
    std::size_t bytes;
    PlanarPicture planes;
  };
  using Entries = std::list<Entry>;
  using Places = std::map<BlockKey, Entries::iterator>;

  Places::iterator remove(Places::iterator place);

  const std::size_t budget_bytes_;
  std::size_t used_bytes_ = 0;
  std::atomic<std::uint64_t> owners_{0};
  Entries entries_;  // the most recently used one in front
  Places places_;
};

}  // namespace tilewall::movie
