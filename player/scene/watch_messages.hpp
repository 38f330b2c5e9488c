// Messages about live pictures of what the panels show, for clients that watch the wall.
//
// Director -> panel: WatchOrder. Panel -> director: SwappedPicture, with a JPEG as the message's
// blob; the director forwards it to the clients that watch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "player/scene/source_status.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::scene {

/// Limits of a picture's longer side.
inline constexpr int least_watched_px = 96;
inline constexpr int most_watched_px = 512;

/// Limit of a picture's JPEG. One of 512x512 pixels of noise has less.
inline constexpr std::size_t most_picture_bytes = std::size_t{1} << 20;

/// Director -> panel, {"type": "watch"}: which pictures the panel sends from now on. A panel sends
/// its present picture after each order, and then one after a swap, if it has shown another since.
struct WatchOrder {
  bool pictures = false;          ///< false: none; the rest has no meaning then
  int side_px = most_watched_px;  ///< the longer side at most
  int quality = 75;               ///< Quality of the JPEG, 1 to 100
  /// From a picture to the next one at least. The first one of a changed scene waits for a fifth of
  /// it, but not less than 200 ms.
  std::int64_t interval_ms = 0;
  std::int64_t bytes_per_s = 0;  ///< mean rate at most; large pictures come less often; above 0
  std::int64_t delay_ms = 0;     ///< before the first picture, so that panels take turns
  bool operator==(const WatchOrder&) const = default;
};

/// Panel -> director, {"type": "picture"}: a picture that the panel swapped, upright as the viewer
/// sees it.
struct SwappedPicture {
  std::int64_t tick = 0;
  std::int64_t frame = 0;  ///< frame of the first region; a timestep where that is live
  SizePx size_px{};        ///< Size of the JPEG
  FrameDamage damage = FrameDamage::none;
  std::int64_t stamp_ns = 0;  ///< global time when the swap returned
  bool operator==(const SwappedPicture&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const WatchOrder& order);
[[nodiscard]] nlohmann::json to_json(const SwappedPicture& picture);

// Both throw InputError naming the field that is missing or wrong.
[[nodiscard]] WatchOrder watch_order_from_json(const nlohmann::json& json);
[[nodiscard]] SwappedPicture swapped_picture_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
