// Memory that all sources of one panel share for drawing, because many may be open at a time, but
// only one draws at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/frames/block_cache.hpp"

namespace tilewall::movie {

/// Memory for blocks that are kept while views move over frames. 2560x1600 shrunk by nearly 2 in
/// 4:4:4 needs 57 MiB. A larger cache would, with the ring of pictures and the window, exceed a
/// panel's 250 MiB.
inline constexpr std::size_t kept_blocks_bytes = std::size_t{80} << 20;

/// Threads: one at a time, the one that draws and that destroys the sources.
struct DrawMemory {
  /// Names a rectangle of whole blocks of one source's frame.
  struct Contents {
    std::uint64_t owner;  ///< BlockKey::owner
    std::int64_t frame;
    int level;
    RectPx window_px;
    bool operator==(const Contents&) const = default;
  };

  BlockCache kept{kept_blocks_bytes};
  PlanarPicture window;                  ///< planes from which a scaled picture is made
  std::optional<Contents> window_holds;  ///< empty: the window cannot be used again
};
using DrawMemoryPtr = std::shared_ptr<DrawMemory>;

/// One source's share of the memory: its kept blocks, which are forgotten at its end, and the
/// window while it draws. Threads: as DrawMemory.
class OwnBlocks {
 public:
  OwnBlocks(DrawMemoryPtr memory, const BlockShape& shape)
      : memory_(std::move(memory)), shape_(shape), owner_(memory_->kept.new_owner()) {}
  ~OwnBlocks() { forget_all(); }
  OwnBlocks(const OwnBlocks&) = delete;
  OwnBlocks& operator=(const OwnBlocks&) = delete;

  /// Whether so many blocks can be kept at once.
  [[nodiscard]] bool fit(std::size_t blocks) const noexcept {
    return memory_->kept.fits(blocks, shape_);
  }

  // As the functions of BlockCache. The owner of a key is this source.
  [[nodiscard]] PlanarPicture* find(const BlockKey& key) { return memory_->kept.find(own(key)); }
  [[nodiscard]] PlanarPicture& add(const BlockKey& key) {
    return memory_->kept.add(own(key), shape_);
  }
  void forget(const BlockKey& key) { memory_->kept.forget(own(key)); }
  void forget_all() { memory_->kept.forget_all_of(owner_); }

  [[nodiscard]] PlanarPicture& window() noexcept { return memory_->window; }

  /// Gives the window this size; its samples become undefined.
  void open_window(SizePx size) {
    memory_->window_holds.reset();
    memory_->window.reshape(size, shape_.chroma);
  }

  /// Whether the window holds this rectangle of a frame's level since note_window().
  [[nodiscard]] bool window_holds(std::int64_t frame, int level, const RectPx& window_px) const {
    return memory_->window_holds == DrawMemory::Contents{owner_, frame, level, window_px};
  }
  void note_window(std::int64_t frame, int level, const RectPx& window_px) {
    memory_->window_holds = DrawMemory::Contents{owner_, frame, level, window_px};
  }

 private:
  [[nodiscard]] BlockKey own(BlockKey key) const noexcept {
    key.owner = owner_;
    return key;
  }

  const DrawMemoryPtr memory_;
  const BlockShape shape_;
  const std::uint64_t owner_;  // BlockKey::owner
};

}  // namespace tilewall::movie
