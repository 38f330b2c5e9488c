// What an import will make: decided from the source, the options and the wall before anything is
// written.
#pragma once

#include "player/movie/source/movie_info.hpp"
#include "player/movie/source/picture_converter.hpp"
#include "player/movie/transfer/import_job.hpp"

namespace tilewall {

struct ImportPlan {
  MovieManifest manifest;  ///< frames: an estimate until the source has ended
  ConversionTarget conversion;
  SizePx panel_share_px;         ///< for FrameWriter
  std::int64_t first_frame = 0;  ///< source frame that is stored as frame 0
  std::int64_t last_frame = 0;   ///< the last one to store; INT64_MAX = to the end
  std::string name;              ///< the source, for messages
};

/// Throws InputError naming the option whose value no source could take.
void check_import_options(const ImportOptions& options);

/// Throws InputError naming the option and what the source has. @pre the options were checked
[[nodiscard]] ImportPlan plan_import(const ImportOptions& options, const MovieInfo& info,
                                     Chroma chroma);

}  // namespace tilewall
