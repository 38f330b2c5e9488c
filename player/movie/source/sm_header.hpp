// Parses the header and tables of a Blockbuster streaming movie (SM), and decodes its tiles. The
// numbers of the file are compared with its size before they are used.
//
// Format: the manual pages sm(4) and sm1(4) of LLNL's Blockbuster, and the files its tools write.
// All numbers are big-endian. A level is one of up to 8 resolutions, each half as wide and high as
// the one before it; only level 0, the full resolution, is read. In a stereo movie the pictures
// with even numbers are the left eye's, the others the right eye's.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

enum class SmCodec { raw = 0, rle = 1, zlib = 2, lzo = 3, jpeg = 4 };

/// Order of the halves of a tile word, upper half first. The manual documents width, height;
/// Blockbuster's own tools write and read height, width.
enum class SmTileOrder { height_width, width_height };

/// Place of a picture in the file, or of a tile in a picture. A picture's may reach beyond the end
/// of a file that was cut off.
struct SmExtent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct SmHeader {
  int version = 2;
  SmCodec codec = SmCodec::raw;
  bool stereo = false;
  std::optional<Rational> fps;  ///< frames/s; empty if the file has no rate
  SizePx size_px;               ///< size of level 0
  int levels = 1;
  std::uint32_t tile_word = 0;     ///< tile size of level 0 as the file has it; 0 in version 1
  std::vector<SmExtent> pictures;  ///< pictures of level 0, of both eyes
};

inline constexpr std::size_t sm_head_bytes =
    256;  ///< header of version 2; that of version 1 has 20

/// The tile size by the header's tile word; empty if the word cannot have this order. Tiles are not
/// larger than the frame. A tile at least as large on both sides is the frame itself.
[[nodiscard]] std::optional<SizePx> sm_tile_px(const SmHeader& header, SmTileOrder order) noexcept;

[[nodiscard]] const char* sm_codec_name(SmCodec codec) noexcept;

/// The header, and the place of the tables behind it.
struct SmHead {
  SmHeader header;  ///< without pictures
  std::uint64_t tables_at = 0;
  std::uint64_t tables_bytes = 0;
  std::int64_t picture_count = 0;  ///< pictures of one level
};

/// Parses a file's first bytes: sm_head_bytes, or all of a shorter file. Throws InputError naming
/// `file` and the field if it is no SM file, has version 3, LZMA or an unknown codec, no frames,
/// sizes out of bounds, or tables that do not fit into `file_bytes`.
[[nodiscard]] SmHead parse_sm_head(const std::string& bytes, std::uint64_t file_bytes,
                                   const std::string& file);

/// Adds the extents of level 0 to the header. @pre `tables` has head.tables_bytes
[[nodiscard]] SmHeader parse_sm_tables(const SmHead& head, const std::string& tables,
                                       std::uint64_t file_bytes);

/// The big-endian number at byte `at`. @pre it lies within `bytes`
[[nodiscard]] std::uint32_t big_endian_u32(const std::string& bytes, std::size_t at) noexcept;

/// FFmpeg's LZO decoder reads and writes up to this many bytes beyond the ends of its buffers.
inline constexpr std::size_t sm_slack_bytes = 16;

/// Decodes a tile of `tile_px` to R, G, B, bottom row first. False if `bytes` do not make exactly
/// such a tile; `pixels` are then undefined. Any thread. @pre `pixels` has three bytes a pixel and
/// sm_slack_bytes more; sm_slack_bytes readable bytes follow `bytes`
[[nodiscard]] bool decode_sm_tile(SmCodec codec, std::span<const std::uint8_t> bytes,
                                  SizePx tile_px, std::vector<std::uint8_t>& pixels);

}  // namespace tilewall::movie
