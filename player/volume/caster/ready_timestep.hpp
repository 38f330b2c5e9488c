// A timestep of a volume in memory, or a part of it, with its caster.
//
// Threads: one owner at a time; the shared pointer hands it from the loading thread to the drawing
// one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "player/volume/caster/low_values.hpp"
#include "player/volume/caster/timestep_caster.hpp"
#include "render/volume/refinement.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::volume {

/// Names for messages and annotations.
struct TimestepWords {
  std::string volume;         ///< the file's name
  std::string label;          ///< dataset or file name; in a series also number and time
  std::string value_unit;     ///< "" = unknown
  std::string quantity{};     ///< what the values are; "" = unknown
  std::string length_unit{};  ///< Unit of the volume's place; "" = unknown
  std::array<render::AxisScale, 3> axis_scales{};  ///< the file's own coordinates
  bool is_anatomical = false;  ///< whether x, y and z are a patient's right, front and top
};

/// The whole volume, of which memory may have a part, or another level.
struct VolumeWhole {
  render::VolumeSize size;    ///< Size at the finest level
  render::VolumePlace place;  ///< Place at the finest level
  render::ValueRange values;  ///< the range of the colours
  /// The part of `values` in which nearly all values lie; empty if there are no outliers.
  std::optional<render::ValueRange> without_outliers;
  /// The least value above 0 for the colours of a logarithm; 0 if there is none.
  float least_above_zero = 0;
  LowValues low;              ///< the timestep's own
  Vec3d stretch = {1, 1, 1};  ///< factors of the spacings in `place`
  /// Values of some cells of all of it, at the overview's level; null: unknown.
  std::shared_ptr<const std::vector<render::ValueRange>> cells{};
};

/// The cells of a VolumeWhole of which `volume` is all.
[[nodiscard]] inline std::shared_ptr<const std::vector<render::ValueRange>> some_cells_of(
    const render::Volume& volume) {
  return std::make_shared<const std::vector<render::ValueRange>>(render::some_cells(volume));
}

/// A volume or a part of it, with its caster and the style that this was set to.
struct ReadyTimestep {
  /// `packed`: the volume's voxels, packed for the processor's kernels; null: this packs them.
  ReadyTimestep(render::Volume&& read, int threads, TimestepWords called = {},
                HostGpu* gpu = nullptr, std::shared_ptr<const render::TiledVoxels> packed = nullptr)
      : volume(std::move(read)),
        caster(volume, gpu, threads, std::move(packed)),
        words(std::move(called)),
        whole{volume.size(), volume.place(),       volume.value_range(), std::nullopt, 0, {},
              {1, 1, 1},     some_cells_of(volume)} {}

  render::Volume volume;
  TimestepCaster caster;
  TimestepWords words;
  VolumeWhole whole;
  int level = 0;                                     ///< index in volume_levels()
  std::string style;                                 ///< the caster's style as JSON; "" = none yet
  double step = 0;                                   ///< world units between that style's samples
  std::optional<render::TransferFunction> function;  ///< transfer function of that style
  render::ValueRange range;                          ///< range of values that it covers
};
using ReadyTimestepPtr = std::shared_ptr<ReadyTimestep>;

/// Memory in bytes that a volume takes while it is shown: shown_bytes() or tiled_bytes().
[[nodiscard]] std::size_t bytes_of(const render::Volume& volume);

}  // namespace tilewall::volume
