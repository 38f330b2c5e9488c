// A timestep of a volume in memory, or a part of it, with what draws it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "player/volume/caster/timestep_caster.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::volume {

/// What a timestep is called.
struct TimestepWords {
  std::string volume;      ///< the file's name
  std::string label;       ///< dataset, or else the file's name; of a series number and time
  std::string value_unit;  ///< "" = unknown
};

/// All of a volume, of which a part may be in memory, and at another fineness.
struct VolumeWhole {
  render::VolumeSize size;  ///< at the finest level
  render::VolumePlace place;
  render::ValueRange values;  ///< that the show's colours are for
  std::optional<render::ValueRange>
      without_outliers;  ///< of these, where nearly all lie; empty where that is wide
};

/// A volume or a part of it, and what draws it. The owner's while it has it.
struct ReadyTimestep {
  ReadyTimestep(render::Volume&& read, int threads, TimestepWords called = {},
                HostGpu* gpu = nullptr)
      : volume(std::move(read)),
        caster(volume, gpu, threads),
        words(std::move(called)),
        whole{volume.size(), volume.place(), volume.value_range(), std::nullopt} {}

  render::Volume volume;
  TimestepCaster caster;
  TimestepWords words;
  VolumeWhole whole;
  int level = 0;      ///< of volume_levels()
  std::string style;  ///< JSON that the caster was set to; "" = none yet
  std::optional<render::TransferFunction> function;  ///< of that style
  render::ValueRange range;                          ///< that it covers
};
using ReadyTimestepPtr = std::shared_ptr<ReadyTimestep>;

/// Bytes that it takes, with all that is kept beside it.
[[nodiscard]] std::size_t bytes_of(const render::Volume& volume);

}  // namespace tilewall::volume
