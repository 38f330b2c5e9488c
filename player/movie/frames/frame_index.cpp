#include "player/movie/frames/frame_index.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "player/movie/codecs/tiff_stream.hpp"
#include "player/movie/frames/block_layout.hpp"

namespace tilewall::movie {
namespace {

constexpr std::uint64_t header_bytes = 16;                           // header of a BigTIFF
constexpr std::uint64_t most_read_at_once = std::uint64_t{1} << 20;  // bytes of an index

// Far more than an incompressible block with its headers takes.
std::uint64_t largest_block_bytes(SizePx block_px) {
  return 65536 + 8 * static_cast<std::uint64_t>(block_px.width) *
                     static_cast<std::uint64_t>(block_px.height);
}

std::uint64_t size_of_file(int fd) {
  struct stat status = {};
  return ::fstat(fd, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

template <typename Value>
Value tag(TIFF* tiff, std::uint32_t which) {
  Value value = 0;
  return TIFFGetFieldDefaulted(tiff, which, &value) == 1 ? value : Value{0};
}

std::string directory_problem(TIFF* tiff, const MovieManifest& manifest, const BlockGrid& grid) {
  const auto differs = [&](std::uint32_t which, auto expected, const char* name) -> std::string {
    const auto found = tag<decltype(expected)>(tiff, which);
    return found == expected ? "" : fmt::format("{}: expected {}, found {}", name, expected, found);
  };
  const std::string problems[] = {
      differs(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(grid.level_px.width), "ImageWidth"),
      differs(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(grid.level_px.height), "ImageLength"),
      differs(TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(grid.block_px.width), "TileWidth"),
      differs(TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(grid.block_px.height), "TileLength"),
      differs(TIFFTAG_COMPRESSION, compression_tag(manifest.compression), "Compression"),
      differs(TIFFTAG_SAMPLESPERPIXEL, static_cast<std::uint16_t>(plane_count(manifest.chroma)),
              "SamplesPerPixel"),
      differs(TIFFTAG_BITSPERSAMPLE, std::uint16_t{8}, "BitsPerSample"),
      differs(TIFFTAG_PLANARCONFIG, std::uint16_t{PLANARCONFIG_CONTIG}, "PlanarConfiguration")};
  for (const std::string& problem : problems)
    if (!problem.empty()) return problem;
  const std::uint32_t tiles = TIFFNumberOfTiles(tiff);
  if (tiles != static_cast<std::uint32_t>(grid.count()))
    return fmt::format("tiles: expected {}, found {}", grid.count(), tiles);
  return "";
}

BlockPlace checked_place(std::uint64_t offset, std::uint64_t size, std::uint64_t file_bytes,
                         std::uint64_t largest_bytes) {
  const bool possible = offset >= header_bytes && size > 0 && size <= largest_bytes &&
                        offset <= file_bytes && size <= file_bytes - offset;
  return possible ? BlockPlace{offset, static_cast<std::uint32_t>(size)} : BlockPlace{};
}

// Reads the checked places of a level's blocks; returns the problem, or "".
std::string read_places(TIFF* tiff, const MovieManifest& manifest, int level,
                        std::uint64_t file_bytes, std::vector<BlockPlace>& places) {
  if (TIFFSetDirectory(tiff, static_cast<tdir_t>(level)) == 0)
    return fmt::format("expected directory {}, found none that can be read", level);
  const BlockGrid grid = block_grid(manifest, level);
  if (std::string problem = directory_problem(tiff, manifest, grid); !problem.empty())
    return problem;
  std::uint64_t* offsets = nullptr;  // owned by libtiff; one for each tile
  std::uint64_t* sizes = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_TILEOFFSETS, &offsets) != 1 || offsets == nullptr ||
      TIFFGetField(tiff, TIFFTAG_TILEBYTECOUNTS, &sizes) != 1 || sizes == nullptr)
    return "expected TileOffsets and TileByteCounts, found none that can be read";
  const std::uint64_t largest = largest_block_bytes(manifest.block_px);
  places.resize(static_cast<std::size_t>(grid.count()));
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = checked_place(offsets[i], sizes[i], file_bytes, largest);
  return "";
}

}  // namespace

bool FrameIndex::load(int fd, const MovieManifest& manifest, int level) {
  // libtiff needs two arrays of 8 bytes a block and small tags. A damaged count that would need
  // more is refused.
  const std::int64_t max_alloc_bytes = 65536 + 16LL * block_grid(manifest, 0).count();
  // One read gets the index in front of the file. In files written by libtiff itself, each
  // directory takes reads of its own.
  const FrameLayout layout(manifest);
  const std::uint64_t front_bytes = layout.levels[static_cast<std::size_t>(level)].end;
  TiffStream stream(fd, "rhm", max_alloc_bytes, std::min(front_bytes, most_read_at_once));
  problem_ = stream.get() == nullptr
                 ? "expected a TIFF file, found something else"
                 : read_places(stream.get(), manifest, level, size_of_file(fd), blocks_);
  read_bytes_ = stream.read_bytes();
  return problem_.empty();
}

}  // namespace tilewall::movie
