// One panel of a wall movie drawn from the page cache, from the disk, and from the disk read ahead.
#pragma once

#include <filesystem>

namespace tilewall {

/// Frames per second, one thread, medians.
struct PanelFromDisk {
  double cached_fps = 0;
  double cold_fps = 0;        ///< no page of the movie in memory
  double read_ahead_fps = 0;  ///< likewise, each frame asked for while the one before is decoded
};

/// Writes a wall movie of a 2x1 wall of 2560x1600 into `folder` and draws its first panel, by
/// turns. Throws JobError.
[[nodiscard]] PanelFromDisk measure_panel_from_disk(const std::filesystem::path& folder, int runs);

}  // namespace tilewall
