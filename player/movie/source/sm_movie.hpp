// Reads Blockbuster's streaming movies (SM): tiled pictures of 24-bit RGB, each decoded by itself.
//
// Trust: the file may be broken or hostile. Every offset and length is checked against the file and
// the frame before it is used. Threads: immutable; any number of threads may decode.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"
#include "player/movie/source/sm_header.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall {

/// Whether the first bytes are an SM movie's, of any version. Throws InputError for a file that
/// cannot be read.
[[nodiscard]] bool is_sm_movie(const std::filesystem::path& file);

class SmMovie {
 public:
  /// Throws InputError naming the file: see parse_sm_head(), and tiles that cannot be.
  explicit SmMovie(const std::filesystem::path& file);

  [[nodiscard]] const SmHeader& header() const noexcept { return header_; }
  [[nodiscard]] SmTileOrder tile_order() const noexcept { return tile_order_; }
  [[nodiscard]] SizePx tile_px() const noexcept { return tile_px_; }

  /// Of one eye. A rate that the file does not give is 24.
  [[nodiscard]] MovieInfo info() const;

  /// The picture of frame `frame`, of a stereo movie the left eye's. Throws InputError naming the
  /// frame where it is damaged or not in the file. @pre 0 <= frame < info().frames
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

}  // namespace tilewall
