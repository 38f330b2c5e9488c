// A panel's PictureSource of a volume. The host's caster draws the panel's part into shared memory.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "player/picture/picture_source.hpp"

namespace tilewall::volume {

struct VolumeSourceOptions {
  std::filesystem::path socket;  ///< the host service's socket
  std::string volume;            ///< SourceSpec::path: a VolumeJob as JSON
  std::string name;              ///< the volume's name in messages
  // The following are called while the panel waits; any but `abandon` may be empty.
  std::function<bool()> abandon;  ///< true ends the wait, and the picture is not wanted any more
  /// True ends the wait of a draw(), which is abandoned. The caster goes on with the picture, and
  /// a later draw() takes it.
  std::function<bool()> overdue;
  std::function<bool()> abandon_open;  ///< in place of `abandon` while the volume is opened
  /// Version of the scene that is drawn. A picture that is long overdue is not waited for any more
  /// once it changes.
  std::function<std::uint64_t()> version;
  /// Called with a line for the operator when a picture cannot be made.
  std::function<void(const std::string& line)> problem;
};

/// Opens the volume and waits, without a limit, until the caster has loaded its first timestep, or
/// until `abandon_open` returns true. Throws InputError if the caster refuses the volume, JobError
/// if there is no host service or no caster. Frames are timesteps; DrawParameters::shot has camera
/// and style.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_volume_source(
    VolumeSourceOptions options);

}  // namespace tilewall::volume
