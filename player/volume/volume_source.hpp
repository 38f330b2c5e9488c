// A volume as a panel sees it: its host's caster draws the panel's part into memory that both have.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "player/picture/picture_source.hpp"

namespace tilewall::volume {

struct VolumeSourceOptions {
  std::filesystem::path socket;   ///< of the host service
  std::string volume;             ///< what the caster opens: SourceSpec::path
  std::string name;               ///< for messages
  std::function<bool()> abandon;  ///< whether nobody wants the picture that is waited for any more
  /// Takes a line for people when a picture cannot be made.
  std::function<void(const std::string& line)> problem;
};

/// Waits until the caster can show the first timestep, however long it is read, unless nobody wants
/// it any more. Throws InputError where the caster refuses it, JobError where there is no
/// host service. Frames are timesteps; DrawParameters::shot says how they are looked at.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_volume_source(
    VolumeSourceOptions options);

}  // namespace tilewall::volume
