// The codecs of SM movies: one tile's bytes -> its pixels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "player/movie/source/sm_header.hpp"

namespace tilewall {

/// Behind the pixels of a tile there must be room for what the LZO decoder writes beyond its end,
/// behind its bytes for what it reads.
inline constexpr std::size_t sm_slack_bytes = 16;

/// R, G, B of a tile of `tile_px`, bottom row first, into `pixels`, which has three bytes a pixel
/// and sm_slack_bytes. `bytes` have sm_slack_bytes behind them. False when they do not make exactly
/// such a tile; what was written by then is undefined. Any thread; nothing is kept.
[[nodiscard]] bool decode_sm_tile(SmCodec codec, std::span<const std::uint8_t> bytes,
                                  SizePx tile_px, std::vector<std::uint8_t>& pixels);

}  // namespace tilewall
