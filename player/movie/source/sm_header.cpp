#include "player/movie/source/sm_header.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr std::uint32_t magic_version_1 = 0x0f1e2d3c;  // the last digit counts the versions
constexpr std::uint32_t codec_mask = 0x000000ff;
constexpr std::uint32_t stereo_flag = 0x00000100;
constexpr std::uint32_t lzma_codec = 5;
constexpr int fps_shift = 22;
constexpr int fps_parts = 20;  // the upper ten bits of the flags hold the rate in 1/20 frames/s
constexpr std::size_t head_bytes_version_1 = 20;
constexpr std::uint32_t max_levels = 8;
constexpr std::uint32_t max_pictures = 10'000'000;
constexpr std::uint32_t max_side_px = 65'535;
constexpr std::uint64_t max_picture_px = 268'000'000;
constexpr std::size_t tile_words_at = 24;

[[noreturn]] void refuse(const std::string& file, const char* field, const std::string& expected,
                         const std::string& found) {
  throw InputError({file}, field, expected, found);
}

int version_of(const std::string& bytes, const std::string& file) {
  const std::uint32_t version =
      bytes.size() < 4 ? 0 : big_endian_u32(bytes, 0) - magic_version_1 + 1;
  if (version == 3) refuse(file, "version", "1 or 2 of the SM format", "3");
  if (version != 1 && version != 2) refuse(file, "", "an SM movie (Blockbuster)", "another file");
  return static_cast<int>(version);
}

SmCodec codec_of(std::uint32_t flags, const std::string& file) {
  const std::uint32_t number = flags & codec_mask;
  const char* const expected = "raw (0), RLE (1), zlib (2), LZO (3) or JPEG (4)";
  if (number == lzma_codec) refuse(file, "codec", expected, "LZMA (5)");
  if (number > lzma_codec) refuse(file, "codec", expected, std::to_string(number));
  return static_cast<SmCodec>(number);
}

SizePx size_of(const std::string& bytes, const std::string& file) {
  const std::uint32_t width = big_endian_u32(bytes, 12);
  const std::uint32_t height = big_endian_u32(bytes, 16);
  if (std::min(width, height) < 1 || std::max(width, height) > max_side_px ||
      std::uint64_t{width} * height > max_picture_px)
    refuse(file, "size",
           fmt::format("sides from 1 to {} and at most {} pixels", max_side_px, max_picture_px),
           fmt::format("{}x{}", width, height));
  return {static_cast<int>(width), static_cast<int>(height)};
}

std::int64_t picture_count_of(const std::string& bytes, const std::string& file) {
  const std::uint32_t count = big_endian_u32(bytes, 8);
  if (count < 1 || count > max_pictures)
    refuse(file, "frames", fmt::format("1 to {}", max_pictures), std::to_string(count));
  return count;
}

int levels_of(const std::string& bytes, const std::string& file) {
  const std::uint32_t levels = big_endian_u32(bytes, 20);
  if (levels < 1 || levels > max_levels)
    refuse(file, "resolutions", fmt::format("1 to {}", max_levels), std::to_string(levels));
  return static_cast<int>(levels);
}

std::uint64_t big_endian_u64(const std::string& bytes, std::size_t at) noexcept {
  return std::uint64_t{big_endian_u32(bytes, at)} << 32 | big_endian_u32(bytes, at + 4);
}

// Bytes of the tables: an offset of 8 bytes for each picture of each level and, in version 2, a
// length of 4.
std::uint64_t table_bytes(const SmHeader& header, std::int64_t pictures) noexcept {
  return static_cast<std::uint64_t>(pictures) * static_cast<std::uint64_t>(header.levels) *
         (header.version == 1 ? 8 : 12);
}

}  // namespace

std::uint32_t big_endian_u32(const std::string& bytes, std::size_t at) noexcept {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

const char* sm_codec_name(SmCodec codec) noexcept {
  constexpr const char* names[] = {"raw", "rle", "zlib", "lzo", "jpeg"};
  return names[static_cast<int>(codec)];
}

std::optional<SizePx> sm_tile_px(const SmHeader& header, SmTileOrder order) noexcept {
  const SizePx frame = header.size_px;
  if (header.version == 1) return frame;
  const int upper = static_cast<int>(header.tile_word >> 16);
  const int lower = static_cast<int>(header.tile_word & 0xffff);
  const SizePx tile =
      order == SmTileOrder::height_width ? SizePx{lower, upper} : SizePx{upper, lower};
  if (tile.width < 1 || tile.height < 1) return std::nullopt;
  if (tile.width >= frame.width && tile.height >= frame.height) return frame;
  if (tile.width > frame.width || tile.height > frame.height) return std::nullopt;
  return tile;
}

SmHead parse_sm_head(const std::string& bytes, std::uint64_t file_bytes, const std::string& file) {
  SmHead head;
  SmHeader& header = head.header;
  header.version = version_of(bytes, file);
  head.tables_at = header.version == 1 ? head_bytes_version_1 : sm_head_bytes;
  if (bytes.size() < head.tables_at)
    refuse(file, "", fmt::format("a header of {} bytes", head.tables_at),
           fmt::format("a file of {}", bytes.size()));
  const std::uint32_t flags = big_endian_u32(bytes, 4);
  header.codec = codec_of(flags, file);
  header.stereo = (flags & stereo_flag) != 0;
  if (flags >> fps_shift > 0) header.fps = reduced(flags >> fps_shift, fps_parts);
  header.size_px = size_of(bytes, file);
  head.picture_count = picture_count_of(bytes, file);
  if (header.version == 2) {
    header.levels = levels_of(bytes, file);
    header.tile_word = big_endian_u32(bytes, tile_words_at);
  }
  head.tables_bytes = table_bytes(header, head.picture_count);
  if (head.tables_bytes > file_bytes - head.tables_at)
    refuse(file, "frames",
           fmt::format("a table of {} frames in {} resolutions", head.picture_count, header.levels),
           fmt::format("a file of {} bytes", file_bytes));
  return head;
}

SmHeader parse_sm_tables(const SmHead& head, const std::string& tables, std::uint64_t file_bytes) {
  SmHeader header = head.header;
  const auto count = static_cast<std::size_t>(head.picture_count);
  const std::size_t lengths_at = count * static_cast<std::size_t>(header.levels) * 8;
  header.pictures.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    SmExtent& extent = header.pictures[i];
    extent.offset = big_endian_u64(tables, 8 * i);
    if (header.version == 2) {
      extent.bytes = big_endian_u32(tables, lengths_at + 4 * i);
      continue;
    }
    const std::uint64_t end = i + 1 < count ? big_endian_u64(tables, 8 * (i + 1)) : file_bytes;
    extent.bytes = end > extent.offset ? end - extent.offset : 0;
  }
  return header;
}

}  // namespace tilewall::movie
