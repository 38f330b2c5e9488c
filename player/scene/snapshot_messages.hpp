// Messages about the pictures of a wall snapshot. A panel tells the director which picture it has
// copied ({"type": "snapshot"}), the director asks for its rows in bands, a few at a time, and the
// panel answers each with these rows as the message's blob. So reports go between the bands, and
// no more than a few bands wait anywhere.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "wallconfigs/geometry.hpp"

namespace tilewall::scene {

/// A picture among those that a panel keeps for snapshots.
struct SnapshotName {
  std::uint64_t number = 0;  ///< Number of the director's order; 0: a frame of the command line
  std::int64_t wanted_frame = 0;  ///< Frame of the command line; 0 where there is a number
  auto operator<=>(const SnapshotName&) const = default;
};

/// Rows of a picture, {"type": "snapshot_band"}. Director -> panel: they are wanted. Panel ->
/// director: they are the blob, BGRX without gaps; no rows: the panel has no such picture.
struct SnapshotBand {
  SnapshotName name;
  int first_row = 0;
  int rows = 0;
  bool operator==(const SnapshotBand&) const = default;
};

/// Panel -> director, {"type": "snapshot"}: a picture that was copied for a snapshot.
struct TakenSnapshot {
  SnapshotName name;
  std::int64_t shown_frame = 0;
  std::uint64_t epoch = 0;  ///< Scene::epoch of the tick
  std::int64_t tick = 0;
  SizePx size_px{};
  bool operator==(const TakenSnapshot&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const SnapshotBand& band);
[[nodiscard]] nlohmann::json to_json(const TakenSnapshot& taken);
/// Director -> panel: the picture is not needed any longer.
[[nodiscard]] nlohmann::json snapshot_done_message(const SnapshotName& name);

// Each throws InputError naming the field that is missing or wrong.
[[nodiscard]] SnapshotName snapshot_name_from_json(const nlohmann::json& json);
[[nodiscard]] SnapshotBand snapshot_band_from_json(const nlohmann::json& json);
[[nodiscard]] TakenSnapshot taken_snapshot_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
