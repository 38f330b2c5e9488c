// Reads and writes movie.toml, which describes the frames of a wall movie's folder. They are files
// "frame-000000.tif", ... beside it. FORMAT.md in this folder lists the keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/scene/source_spec.hpp"
#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

enum class BlockCompression { jpeg, deflate, zstd };

/// The words of movie.toml: "jpeg", "deflate", "zstd"; "gray", "4:2:0", "4:4:4", "rgb".
[[nodiscard]] std::string_view to_string(BlockCompression compression) noexcept;
[[nodiscard]] std::string_view to_string(Chroma chroma) noexcept;

/// Order of a level's blocks in the file: row by row, or panel by panel of a wall.
enum class BlockOrder { rows, panels };

/// Format of a wall movie. Blocks of jpeg hold gray, yuv420 or yuv444; those of deflate and zstd
/// are lossless, and hold gray or rgb.
struct MovieManifest {
  SizePx size_px;
  Rational fps{24, 1};
  std::int64_t frames = 0;
  Chroma chroma = Chroma::yuv420;
  BlockCompression compression = BlockCompression::jpeg;
  int quality = 85;           ///< JPEG quality, 1..100
  SizePx block_px{512, 512};  ///< multiples of 16
  int levels = 1;             ///< levels of the pyramid; level k has ceil(size / 2^k) pixels
  BlockOrder order = BlockOrder::rows;
  bool complete = false;   ///< false while an import runs, or after one was interrupted
  std::string audio_file;  ///< name of a file beside movie.toml; "" = no sound
  // The origin. An import resumes only if these and the fields above match.
  std::string source;                ///< the user's name of it; bytes that are no UTF-8 become '?'
  std::string source_identity;       ///< size, modification time and hash of the source file(s)
  std::string import_options;        ///< the options that change pixels, as canonical text
  std::int64_t repeated_frames = 0;  ///< frames repeated from a source with a variable rate
  std::int64_t dropped_frames = 0;   ///< pictures dropped from a source with a variable rate
};

/// "frame-000042.tif".
[[nodiscard]] std::string frame_file_name(std::int64_t frame);

/// The number of frames in [0, frames) that have a file in `folder`; 0 if the folder cannot be
/// read. The files are not opened.
[[nodiscard]] std::int64_t count_frame_files(const std::filesystem::path& folder,
                                             std::int64_t frames);

/// Limits of load_manifest(). With them, neither the samples of a row of blocks (below 2^31) nor
/// counts can overflow.
inline constexpr int max_movie_side_px = 1'000'000;
inline constexpr int max_block_side_px = 4096;
inline constexpr std::int64_t max_frames = 100'000'000;

/// Reads and validates folder/movie.toml. Unknown keys are errors. Throws InputError naming file,
/// line and field.
[[nodiscard]] MovieManifest load_manifest(const std::filesystem::path& folder);

/// Parses and validates the text of a movie.toml; `place` is its name in error messages. Throws as
/// load_manifest() does.
[[nodiscard]] MovieManifest parse_manifest(std::string_view text, const std::string& place);

/// The text of movie.toml, which parse_manifest() reads.
[[nodiscard]] std::string manifest_text(const MovieManifest& manifest);

/// Writes folder/movie.toml atomically. Throws JobError naming the file.
void save_manifest(const std::filesystem::path& folder, const MovieManifest& manifest);

// The same of a file with another name.
[[nodiscard]] MovieManifest load_manifest_file(const std::filesystem::path& file);
void save_manifest_file(const std::filesystem::path& file, const MovieManifest& manifest);

/// Whether blocks of this compression can hold pictures of this chroma.
[[nodiscard]] bool can_hold(BlockCompression compression, Chroma chroma) noexcept;

/// Size of pyramid level `level`.
[[nodiscard]] SizePx level_size_px(SizePx movie_px, int level) noexcept;

/// Number of levels down to the first one that is no larger than a block.
[[nodiscard]] int pyramid_levels(SizePx movie_px, SizePx block_px) noexcept;

}  // namespace tilewall::movie
