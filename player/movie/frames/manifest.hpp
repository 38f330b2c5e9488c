// movie.toml: what a wall movie's folder holds. Frames are files "frame-000000.tif", ... beside it.
// README.md in this folder lists the keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "player/movie/frames/planar_picture.hpp"
#include "player/scene/source_spec.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

enum class BlockCompression { jpeg, deflate, zstd };

/// As movie.toml has them: "jpeg", "deflate", "zstd"; "gray", "4:2:0", "4:4:4", "rgb".
[[nodiscard]] std::string_view to_string(BlockCompression compression) noexcept;
[[nodiscard]] std::string_view to_string(Chroma chroma) noexcept;

/// In which order a level's blocks stand in the file: row by row, or panel by panel of a wall.
enum class BlockOrder { rows, panels };

/// jpeg holds gray, yuv420 and yuv444; deflate and zstd are lossless and hold gray and rgb.
struct MovieManifest {
  SizePx size_px;
  Rational fps{24, 1};
  std::int64_t frames = 0;
  Chroma chroma = Chroma::yuv420;
  BlockCompression compression = BlockCompression::jpeg;
  int quality = 85;           ///< JPEG quality, 1..100
  SizePx block_px{512, 512};  ///< multiples of 16
  int levels = 1;             ///< of the pyramid; level k is ceil(size / 2^k)
  BlockOrder order = BlockOrder::rows;
  bool complete = false;   ///< false while an import runs or after one was interrupted
  std::string audio_file;  ///< beside movie.toml; "" = none
  // Where it came from; an import resumes only when all of these and the above match.
  std::string source;                ///< as the user named it; what is no UTF-8 is stored as '?'
  std::string source_identity;       ///< size, modification time and hash of the source file(s)
  std::string import_options;        ///< the options that shape pixels, canonical text
  std::int64_t repeated_frames = 0;  ///< of a variable-rate source
  std::int64_t dropped_frames = 0;
};

/// "frame-000042.tif".
[[nodiscard]] std::string frame_file_name(std::int64_t frame);

/// How many of the frames [0, frames) have a file in `folder`; 0 where it cannot be read. Looks at
/// names only.
[[nodiscard]] std::int64_t count_frame_files(const std::filesystem::path& folder,
                                             std::int64_t frames);

/// Limits of what load_manifest takes: 2^31 samples in a row of blocks, and counts, cannot
/// overflow.
inline constexpr int max_movie_side_px = 1'000'000;
inline constexpr int max_block_side_px = 4096;
inline constexpr std::int64_t max_frames = 100'000'000;

/// Reads and validates folder/movie.toml. Unknown keys are errors. Throws InputError naming file,
/// line and field.
[[nodiscard]] MovieManifest load_manifest(const std::filesystem::path& folder);

/// The same from the file's text, which came from `place`.
[[nodiscard]] MovieManifest parse_manifest(std::string_view text, const std::string& place);

/// Writes folder/movie.toml atomically. Throws JobError.
void save_manifest(const std::filesystem::path& folder, const MovieManifest& manifest);

/// Whether blocks of this compression can hold such pictures.
[[nodiscard]] bool can_hold(BlockCompression compression, Chroma chroma) noexcept;

/// Size of pyramid level `level`.
[[nodiscard]] SizePx level_size_px(SizePx movie_px, int level) noexcept;

/// Number of levels until one is no larger than one block.
[[nodiscard]] int pyramid_levels(SizePx movie_px, SizePx block_px) noexcept;

}  // namespace tilewall::movie
