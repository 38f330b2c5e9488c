// Decoded blocks, as planes: what a view that moves over a frame comes back to need not be read and
// decoded again, whichever scale it is then drawn at.
//
// Planes, not pixels: they serve both a scaled picture and one drawn pixel for pixel, and take 1.5
// bytes a pixel (4:2:0) where pixels take 4. A 2560x1600 picture out of them costs 3.8 cpu-ms, out
// of pixels 1.2 (Sapphire Rapids class).
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

#include "player/movie/frames/planar_picture.hpp"

namespace tilewall::movie {

struct BlockKey {
  std::uint64_t owner = 0;  ///< the source, by BlockCache::new_owner()
  std::int64_t frame = 0;
  int level = 0;
  int block = 0;
  auto operator<=>(const BlockKey&) const = default;
};

/// What size and kind all blocks of a movie have.
struct BlockShape {
  SizePx size_px;
  Chroma chroma = Chroma::yuv420;
  [[nodiscard]] std::size_t bytes() const noexcept;  ///< of its planes
};

/// Of several sources that draw one after the other. One thread at a time, but for new_owner(); the
/// planes themselves may be read and written by several.
class BlockCache {
 public:
  /// Never holds more than `budget_bytes` of planes.
  explicit BlockCache(std::size_t budget_bytes) noexcept : budget_bytes_(budget_bytes) {}

  /// A number for BlockKey that no other source has. Any thread.
  [[nodiscard]] std::uint64_t new_owner() noexcept { return ++owners_; }

  /// Whether there is room for so many blocks at once.
  [[nodiscard]] bool fits(std::size_t blocks, const BlockShape& shape) const noexcept {
    return blocks <= budget_bytes_ / shape.bytes();
  }

  /// Null where the block is not there. Valid until it is forgotten, or as much as fits was found
  /// or added after it.
  [[nodiscard]] PlanarPicture* find(const BlockKey& key);

  /// A place for a block that is not there, its samples undefined; those used longest ago make
  /// room. Valid as of find(). @pre fits(1, shape)
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
  Entries entries_;  // the one used last in front
  Places places_;
};

}  // namespace tilewall::movie
