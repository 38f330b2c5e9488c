// The detail of a volume that is wanted and held: a box, or tiles of a volume in bricks.
//
// Threads: values and functions without state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "player/volume/caster/ready_timestep.hpp"
#include "player/volume/caster/tile_loader.hpp"
#include "player/volume/volume_levels.hpp"

namespace tilewall::volume {

/// A volume for the choice's box without any loaded tile. @pre choice.tiles is not null.
[[nodiscard]] render::Volume empty_tiled_volume(const VolumeLevel& level,
                                                const DetailChoice& choice,
                                                render::ValueScale scale);

/// Sets the tiles that the timestep's next pictures take to those that the choice needs. Its style
/// is to be set anew where they are others than before.
void show_tiles(ReadyTimestep& timestep, const DetailChoice& choice);

/// Whether all needed tiles are loaded.
[[nodiscard]] bool has_tiles(const render::Volume& volume, const render::TileNeeds& needs) noexcept;

/// Which box of voxels serves a picture: one that holds what it needs, or the very one that it asks
/// for. Places are rounded by the box, so pictures of other boxes may differ in their last bit.
enum class BoxReuse { larger, same };

/// The tiles that are expected to be wanted next, as far as they are read ahead.
struct ExpectedDetail {
  DetailChoice choice;
  bool is_read = false;  ///< no more is read ahead
  StagedTiles staged = {};
};

/// The detail that is wanted, and how far it is read.
///
/// Threads: no locking; the owner's mutex guards it.
struct WantedDetail {
  std::int64_t timestep = 0;
  DetailChoice choice;
  ReadyTimestepPtr ready = {};  ///< the tiles or the box that are loaded; null = nothing
  bool failed = false;          ///< it cannot be read
  std::string fault = {};       ///< the reason, if failed
  bool complete = false;        ///< `ready` has all of the choice
  /// Next detail of the same volume; null: nothing is expected.
  std::shared_ptr<ExpectedDetail> next = {};

  /// Whether `wanted` is what was expected.
  [[nodiscard]] bool expects(const DetailChoice& wanted) const noexcept {
    return next && wanted.tiles && next->choice.tiles == wanted.tiles;
  }
  /// Whether it has, or will have, all that `wanted` needs of timestep `of`.
  [[nodiscard]] bool serves(std::int64_t of, const DetailChoice& wanted,
                            BoxReuse reuse = BoxReuse::larger) const;
  /// Whether both are tiles of the same volume, so that loaded tiles can stay.
  [[nodiscard]] bool can_become(std::int64_t of, const DetailChoice& wanted) const;
};

}  // namespace tilewall::volume
