// What the stages of an import cost alone, each on all cores: the limit that an import is measured
// against.
#pragma once

#include <filesystem>

#include "player/movie/convert/import_job.hpp"

namespace tilewall::movie {

/// Seconds a frame, every core busy with this one stage.
struct StageSeconds {
  double decode_s = 0;
  double scale_s = 0;  ///< colour and scaling into the stored planes
  double encode_s =
      0;  ///< JPEG of every stored level as one picture each, by TurboJPEG; nothing written

  /// A perfect import has all cores at work on one of the three at any time.
  [[nodiscard]] double limit_fps() const noexcept { return 1 / (decode_s + scale_s + encode_s); }
};

/// Measures once, over the first `frames` frames that options.inputs (one movie) has; the pictures
/// that are scaled and encoded are some of them, kept in memory. Throws InputError.
[[nodiscard]] StageSeconds measure_import_stages(const ImportOptions& options, int frames);

}  // namespace tilewall::movie
