// Reads Blockbuster's streaming movies (SM): tiled pictures of 24-bit RGB, each decoded by itself.
//
// Trust: the file may be broken or hostile. Every offset and length is checked against the file and
// the frame before it is used.
//
// Threads: immutable; any number of threads may decode at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"
#include "player/movie/source/sm_header.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {

/// Whether the file begins as an SM movie of any version. Throws InputError if it cannot be opened.
[[nodiscard]] bool is_sm_movie(const std::filesystem::path& file);

class SmMovie {
 public:
  /// Opens the file and reads its tables. Throws InputError as parse_sm_head() does, and for
  /// impossible tile sizes.
  explicit SmMovie(const std::filesystem::path& file);

  [[nodiscard]] const SmHeader& header() const noexcept { return header_; }
  [[nodiscard]] SmTileOrder tile_order() const noexcept { return tile_order_; }
  [[nodiscard]] SizePx tile_px() const noexcept { return tile_px_; }

  /// The movie's data; in stereo, frames are counted once. A missing rate becomes 24 frames/s.
  [[nodiscard]] MovieInfo info() const;

  /// Decodes frame `frame`; in stereo, the left eye's picture. Throws InputError naming the frame
  /// if it is damaged or cut off. @pre 0 <= frame < info().frames
  [[nodiscard]] SharedFrame decode(std::int64_t frame) const;

 private:
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t bytes) const;
  [[nodiscard]] std::string read_picture(std::int64_t frame) const;
  [[nodiscard]] InputError damaged(std::int64_t frame, const std::string& expected,
                                   const std::string& found) const;
  [[nodiscard]] bool tables_agree(SizePx tile_px) const;
  void choose_tile_order();

  std::filesystem::path file_;
  UniqueFd fd_;
  std::uint64_t file_bytes_ = 0;
  SmHeader header_;
  SmTileOrder tile_order_ = SmTileOrder::height_width;
  SizePx tile_px_;
};

}  // namespace tilewall::movie
