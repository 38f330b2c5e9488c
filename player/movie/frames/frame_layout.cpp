#include <tiff.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <span>

#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_index.hpp"

namespace tilewall::movie {
namespace {

// BigTIFF, in the machine's byte order, which is little endian.
static_assert(std::endian::native == std::endian::little);
constexpr std::uint64_t file_header_bytes = 16;
constexpr std::uint64_t entry_bytes = 20;
static_assert(entry_bytes == 2 * sizeof(std::uint16_t) + 2 * sizeof(std::uint64_t));
constexpr std::uint64_t rational_bytes = 8;
constexpr std::array<std::uint32_t, 6> full_range = {0, 255, 128, 255, 128, 255};

bool has_colour_range(const MovieManifest& manifest) {
  return manifest.compression == BlockCompression::jpeg && manifest.chroma != Chroma::gray;
}

std::uint64_t entry_count(const MovieManifest& manifest) {
  constexpr std::uint64_t always = 13;
  if (has_colour_range(manifest)) return always + 3;
  return manifest.compression == BlockCompression::jpeg ? always : always + 1;
}

std::uint64_t directory_bytes(const MovieManifest& manifest) {
  return 8 + entry_count(manifest) * entry_bytes + 8;
}

std::uint64_t aligned(std::uint64_t offset) { return (offset + 7) / 8 * 8; }

std::uint16_t photometric_tag(Chroma chroma) {
  if (chroma == Chroma::gray) return PHOTOMETRIC_MINISBLACK;
  return chroma == Chroma::rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_YCBCR;
}

/// Writes consecutive numbers into the bytes of an index.
class Pen {
 public:
  Pen(std::span<std::uint8_t> bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}

  template <std::integral Number>
  void put(Number number) {
    std::memcpy(bytes_.data() + at_, &number, sizeof number);
    at_ += sizeof number;
  }

  void short_entry(std::uint16_t tag, std::initializer_list<std::uint16_t> values) {
    begin_entry(tag, TIFF_SHORT, values.size());
    for (const std::uint16_t value : values) put(value);
    at_ += 8 - 2 * values.size();
  }

  void long_entry(std::uint16_t tag, std::uint32_t value) {
    begin_entry(tag, TIFF_LONG, 1);
    put(value);
    at_ += 4;
  }

  /// An entry whose values are at offset `at` of the file, or follow in the entry itself if they
  /// fit.
  void array_entry(std::uint16_t tag, TIFFDataType type, std::uint64_t count, std::uint64_t at) {
    begin_entry(tag, type, count);
    put(at);
  }

 private:
  void begin_entry(std::uint16_t tag, TIFFDataType type, std::uint64_t count) {
    put(tag);
    put(static_cast<std::uint16_t>(type));
    put(count);
  }

  std::span<std::uint8_t> bytes_;
  std::uint64_t at_;
};

// TIFF stores arrays of up to 8 bytes in the directory's entry itself.
constexpr std::int64_t most_inline_offsets = 1;
constexpr std::int64_t most_inline_sizes = 2;

/// Offset of the value in the entry TileOffsets. The value of TileByteCounts is one entry later.
std::uint64_t inline_offset_at(const MovieManifest& manifest, std::uint64_t directory) {
  const std::uint64_t entries_before = manifest.compression == BlockCompression::jpeg ? 11 : 12;
  constexpr std::uint64_t value_at = 12;
  return directory + 8 + entries_before * entry_bytes + value_at;
}

void write_directory(const MovieManifest& manifest, const FrameLayout& layout, int level,
                     std::span<std::uint8_t> index) {
  const FrameLayout::Level& at = layout.levels[static_cast<std::size_t>(level)];
  const SizePx size = level_size_px(manifest.size_px, level);
  const bool jpeg = manifest.compression == BlockCompression::jpeg;
  const auto planes = static_cast<std::uint16_t>(plane_count(manifest.chroma));
  const auto blocks = static_cast<std::uint64_t>(at.blocks);
  Pen pen(index, at.directory);
  pen.put(entry_count(manifest));  // TIFF requires the entries in ascending order of their tags
  pen.long_entry(TIFFTAG_SUBFILETYPE, level == 0 ? 0 : FILETYPE_REDUCEDIMAGE);
  pen.long_entry(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(size.width));
  pen.long_entry(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(size.height));
  if (planes == 3)
    pen.short_entry(TIFFTAG_BITSPERSAMPLE, {8, 8, 8});
  else
    pen.short_entry(TIFFTAG_BITSPERSAMPLE, {8});
  pen.short_entry(TIFFTAG_COMPRESSION, {compression_tag(manifest.compression)});
  pen.short_entry(TIFFTAG_PHOTOMETRIC, {photometric_tag(manifest.chroma)});
  pen.short_entry(TIFFTAG_ORIENTATION, {ORIENTATION_TOPLEFT});
  pen.short_entry(TIFFTAG_SAMPLESPERPIXEL, {planes});
  pen.short_entry(TIFFTAG_PLANARCONFIG, {PLANARCONFIG_CONTIG});
  if (!jpeg) pen.short_entry(TIFFTAG_PREDICTOR, {PREDICTOR_HORIZONTAL});
  pen.long_entry(TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(manifest.block_px.width));
  pen.long_entry(TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(manifest.block_px.height));
  pen.array_entry(TIFFTAG_TILEOFFSETS, TIFF_LONG8, blocks,
                  at.blocks > most_inline_offsets ? at.offsets : 0);
  pen.array_entry(TIFFTAG_TILEBYTECOUNTS, TIFF_LONG, blocks,
                  at.blocks > most_inline_sizes ? at.sizes : 0);
  if (has_colour_range(manifest)) {
    const std::uint16_t step = manifest.chroma == Chroma::yuv420 ? 2 : 1;
    pen.short_entry(TIFFTAG_YCBCRSUBSAMPLING, {step, step});
    pen.short_entry(TIFFTAG_YCBCRPOSITIONING, {YCBCRPOSITION_CENTERED});
    pen.array_entry(TIFFTAG_REFERENCEBLACKWHITE, TIFF_RATIONAL, full_range.size(),
                    layout.colour_range);
  }
  const bool last = level + 1 == manifest.levels;
  pen.put(last ? std::uint64_t{0} : layout.levels[static_cast<std::size_t>(level) + 1].directory);
}

}  // namespace

FrameLayout::FrameLayout(const MovieManifest& manifest) {
  std::uint64_t end = file_header_bytes;
  for (int level = 0; level < manifest.levels; ++level) {
    const std::uint64_t directory = aligned(end);
    levels.push_back({directory, 0, 0, 0, block_grid(manifest, level).count()});
    end = directory + directory_bytes(manifest);
  }
  end = aligned(end);
  if (has_colour_range(manifest)) {
    colour_range = end;
    end += full_range.size() * rational_bytes;
  }
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    const auto blocks = static_cast<std::uint64_t>(level->blocks);
    level->offsets = inline_offset_at(manifest, level->directory);
    level->sizes = level->offsets + entry_bytes;
    if (level->blocks > most_inline_offsets) {
      level->offsets = aligned(end);
      end = level->offsets + 8 * blocks;
    }
    if (level->blocks > most_inline_sizes) {
      level->sizes = end;
      end += 4 * blocks;
    }
    level->end = end;
  }
  index_bytes = end;
}

std::vector<std::uint8_t> empty_frame_index(const MovieManifest& manifest,
                                            const FrameLayout& layout) {
  std::vector<std::uint8_t> index(layout.index_bytes);
  Pen header(index, 0);
  header.put(std::uint16_t{TIFF_LITTLEENDIAN});
  header.put(std::uint16_t{TIFF_VERSION_BIG});
  header.put(std::uint16_t{8});  // bytes of an offset
  header.put(std::uint16_t{0});
  header.put(layout.levels.front().directory);
  for (int level = 0; level < manifest.levels; ++level)
    write_directory(manifest, layout, level, index);
  if (layout.colour_range == 0) return index;
  Pen range(index, layout.colour_range);
  for (const std::uint32_t value : full_range) {
    range.put(value);
    range.put(std::uint32_t{1});
  }
  return index;
}

}  // namespace tilewall::movie
