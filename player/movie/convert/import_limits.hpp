// Measures the stages of an import separately, each on all cores, for the rate that a perfect
// import would reach.
#pragma once

#include <filesystem>

#include "player/movie/convert/import_job.hpp"

namespace tilewall::movie {

/// Seconds per frame, with all cores at work on one stage.
struct StageSeconds {
  double decode_s = 0;
  double scale_s = 0;   ///< conversion of colour and size to the stored planes
  double encode_s = 0;  ///< every level as one JPEG by TurboJPEG, without writing it

  /// Frames per second of an import that keeps all cores at work.
  [[nodiscard]] double limit_fps() const noexcept { return 1 / (decode_s + scale_s + encode_s); }
};

/// Measures once, over the first `frames` pictures of the one movie in options.inputs. Some of them
/// are kept in memory for the other stages. Throws InputError.
[[nodiscard]] StageSeconds measure_import_stages(const ImportOptions& options, int frames);

}  // namespace tilewall::movie
