// Plans an import: decides size, blocks, chroma and frames from the source, the options and the
// wall, before anything is written.
//
// Threads: pure functions, except for source_identity(), which reads files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/convert/import_job.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"
#include "player/movie/source/picture_converter.hpp"

namespace tilewall::movie {

struct ImportPlan {
  MovieManifest manifest;        ///< its number of frames is an estimate until the source has ended
  ConversionTarget conversion;   ///< for PictureConverter
  SizePx panel_share_px;         ///< for FrameWriter
  std::int64_t first_frame = 0;  ///< source frame that is stored as frame 0
  std::int64_t last_frame = 0;   ///< last source frame that is stored; INT64_MAX = to the end
  FrameFiles files = FrameFiles::movie;
  std::string name;  ///< the source's name in messages
};

/// Throws InputError naming the option if a value is impossible for any source.
void check_import_options(const ImportOptions& options);

/// The source that options.inputs name. Throws InputError naming a file that cannot be read.
[[nodiscard]] StoredSource source_of(const ImportOptions& options);

/// Plans the import of a source. Throws InputError naming the option if it does not fit the source.
/// @pre the options were checked
[[nodiscard]] ImportPlan plan_import(const ImportOptions& options, const StoredSource& source,
                                     const MovieInfo& info, Chroma chroma);

/// A word that tells whether the files are still those that an import began with: size,
/// modification time and XXH3 of the first and last 64 KiB; for several files, a hash over these.
/// Gaps ("") count too. Throws InputError naming a file that cannot be read.
[[nodiscard]] std::string source_identity(const std::vector<std::filesystem::path>& files);

/// The chroma with which a movie is stored. YUV and gray sources keep theirs. RGB sources get 4:4:4
/// if 4:2:0 at this JPEG quality would cost more than 1 dB in the worst of `samples`, or if none of
/// them has colour to measure it by. `name` is the source's name in messages; `is_portable` as in
/// ConversionTarget. @pre there is a sample
[[nodiscard]] Chroma choose_chroma(const std::vector<SharedFrame>& samples, const MovieInfo& info,
                                   int quality, const std::string& name, bool is_portable = false);

/// The chroma for one RGB picture, which is given in both forms.
[[nodiscard]] Chroma choose_chroma_of_rgb(const PlanarPicture& yuv444, const PlanarPicture& yuv420,
                                          int quality);

/// PSNR in dB over RGB between `original` (yuv444) and `stored` after JPEG of `quality`. `stored`
/// is the same picture as yuv420 or yuv444.
[[nodiscard]] double jpeg_psnr_db(const PlanarPicture& original, const PlanarPicture& stored,
                                  int quality);

}  // namespace tilewall::movie
