// The memory that all sources of one panel draw with: they draw one after the other, and many may
// be open at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "player/movie/frames/block_cache.hpp"
#include "player/movie/frames/planar_picture.hpp"

namespace tilewall::movie {

/// Of blocks kept while views move over frames. 2560x1600 shrunk by nearly 2 in 4:4:4 needs 57 MiB;
/// more than this, beside the ring of pictures and the window, would break a panel's 250 MiB.
inline constexpr std::size_t kept_blocks_bytes = std::size_t{80} << 20;

/// One thread at a time: the one that draws, and destroys the sources.
struct DrawMemory {
  /// Whole blocks of one source's frame.
  struct Contents {
    std::uint64_t owner;  ///< as in BlockKey
    std::int64_t frame;
    int level;
    RectPx window_px;
    bool operator==(const Contents&) const = default;
  };

  BlockCache kept{kept_blocks_bytes};
  PlanarPicture window;                  ///< what a scaled picture is made of
  std::optional<Contents> window_holds;  ///< empty: nothing that can be used again
};
using DrawMemoryPtr = std::shared_ptr<DrawMemory>;

}  // namespace tilewall::movie
