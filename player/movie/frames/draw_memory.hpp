// Memory that all sources of one panel share for drawing, because many may be open at a time, but
// only one draws at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

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

}  // namespace tilewall::movie
