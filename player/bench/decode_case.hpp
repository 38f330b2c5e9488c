// One case of the decode benchmark: one kind of frame, blocks of a wall movie against one JPEG.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/bench/content.hpp"

namespace tilewall::bench {

/// One round's times of each way, taken one after the other. Seconds: wall clock, and CPU of the
/// process.
struct DecodeTimes {
  std::vector<double> wall_s;
  std::vector<double> cpu_s;
};

struct DecodeCase {
  std::string name;         ///< Name such as "photographic_420"
  double bytes_per_px = 0;  ///< Bytes per pixel of the movie's level 0
  /// PSNR of the panel drawn from blocks against the one JPEG, both decoded.
  double jpeg_psnr_db = 0;
  double read_amplification = 0;  ///< Bytes read, index included / (visible pixels x mean bytes)
  double hidden_read_amplification = 0;
  SizePx hidden_block_px;     ///< Block size of the movie made for hidden bezels
  DecodeTimes turbojpeg;      ///< Times for the panel's pixels as one JPEG
  DecodeTimes blocks;         ///< Times with one thread
  DecodeTimes blocks_2;       ///< two threads
  DecodeTimes hidden_bezels;  ///< one thread, of a movie made for the wall with bezels hidden
};

inline constexpr SizePx bench_panel_px{2560, 1600};

/// Writes two wall movies for a 5x3 wall into `folder`: 12800x4800, where panels abut, and one with
/// the pixels behind the bezels. Draws their middle panel `runs` times in each way, interleaved,
/// after one round that does not count. Throws JobError.
[[nodiscard]] DecodeCase run_decode_case(BenchContent content, movie::Chroma chroma, int runs,
                                         const std::filesystem::path& folder);

}  // namespace tilewall::bench
