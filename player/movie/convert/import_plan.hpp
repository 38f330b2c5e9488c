// What an import will make: decided from the source, the options and the wall before anything is
// written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/frames/planar_picture.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"
#include "player/movie/source/picture_converter.hpp"

namespace tilewall::movie {

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

// A source's identity: what tells that a file is still the one an import began with.

/// Size, modification time and XXH3 of the first and last 64 KiB, as one word; of many files, a
/// hash over all of these. "" entries (gaps) count. Throws InputError for a file that cannot be
/// read.
[[nodiscard]] std::string source_identity(const std::vector<std::filesystem::path>& files);

// How much chroma a movie is stored with.

/// YUV and gray sources keep what they have. RGB sources get 4:4:4 where 4:2:0 at this JPEG quality
/// would cost more than 1 dB on the worst of `samples` (at least one), or where nothing in them has
/// colour edges to measure. `name`: the source, for messages.
[[nodiscard]] Chroma choose_chroma(const std::vector<SharedFrame>& samples, const MovieInfo& info,
                                   int quality, const std::string& name);

/// The same for one RGB picture given both ways.
[[nodiscard]] Chroma choose_chroma_of_rgb(const PlanarPicture& yuv444, const PlanarPicture& yuv420,
                                          int quality);

/// PSNR in dB over RGB of `original` (yuv444) after JPEG at `quality` of `stored`, the same picture
/// as yuv420 or yuv444.
[[nodiscard]] double jpeg_psnr_db(const PlanarPicture& original, const PlanarPicture& stored,
                                  int quality);

}  // namespace tilewall::movie
