// The head of a Blockbuster streaming movie (SM): what the file says of its frames, checked against
// the file's size before anything is believed.
//
// Format: the manual pages sm(4) and sm1(4) of LLNL's Blockbuster, and the files its tools write.
// All numbers are big-endian. Terms: a level is one of up to 8 resolutions, each half as wide and
// high as the one before it; only level 0, the full one, is read. A stereo movie has the left eye's
// pictures at even places, the right eye's at odd ones. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall {

enum class SmCodec { raw = 0, rle = 1, zlib = 2, lzo = 3, jpeg = 4 };

/// Which half of a tile word is the width. The manual says the upper one; Blockbuster's own tools
/// write and read the lower one.
enum class SmTileOrder { height_width, width_height };

/// A picture's bytes in the file; they may reach beyond its end where the file was cut off.
struct SmExtent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct SmHeader {
  int version = 2;
  SmCodec codec = SmCodec::raw;
  bool stereo = false;
  std::optional<Rational> fps;  ///< empty: the file does not say
  SizePx size_px;               ///< of level 0
  int levels = 1;
  std::uint32_t tile_word = 0;     ///< of level 0; version 1 has none: 0
  std::vector<SmExtent> pictures;  ///< of level 0, both eyes'
};

inline constexpr std::size_t sm_head_bytes = 256;  ///< version 2; version 1 has 20

/// The tile that the word means, or empty where it cannot be one: tiles are no larger than the
/// frame, and one as large as it on both sides is the frame.
[[nodiscard]] std::optional<SizePx> sm_tile_px(const SmHeader& header, SmTileOrder order) noexcept;

[[nodiscard]] const char* sm_codec_name(SmCodec codec) noexcept;

/// Bytes of the tables behind the head, which parse_sm_tables() wants. Throws InputError naming
/// `file` and the field: not an SM file, version 3, LZMA, an unknown codec, no frames, sizes out of
/// bounds, tables that the file has no room for.
struct SmHead {
  SmHeader header;  ///< without pictures
  std::uint64_t tables_at = 0;
  std::uint64_t tables_bytes = 0;
  std::int64_t picture_count = 0;  ///< of one level
};
[[nodiscard]] SmHead parse_sm_head(const std::string& bytes, std::uint64_t file_bytes,
                                   const std::string& file);

/// The whole header, with the extents of level 0. @pre `tables` has head.tables_bytes
[[nodiscard]] SmHeader parse_sm_tables(const SmHead& head, const std::string& tables,
                                       std::uint64_t file_bytes);

/// A big-endian number at `at`. @pre it lies within `bytes`
[[nodiscard]] std::uint32_t big_endian_u32(const std::string& bytes, std::size_t at) noexcept;

// The codecs of SM movies: one tile's bytes -> its pixels.

/// Behind the pixels of a tile there must be room for what the LZO decoder writes beyond its end,
/// behind its bytes for what it reads.
inline constexpr std::size_t sm_slack_bytes = 16;

/// R, G, B of a tile of `tile_px`, bottom row first, into `pixels`, which has three bytes a pixel
/// and sm_slack_bytes. `bytes` have sm_slack_bytes behind them. False when they do not make exactly
/// such a tile; what was written by then is undefined. Any thread; nothing is kept.
[[nodiscard]] bool decode_sm_tile(SmCodec codec, std::span<const std::uint8_t> bytes,
                                  SizePx tile_px, std::vector<std::uint8_t>& pixels);

}  // namespace tilewall
