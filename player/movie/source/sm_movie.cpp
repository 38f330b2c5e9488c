#include "player/movie/source/sm_movie.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/sm_header.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

constexpr std::uint32_t magic =
    0x0f1e2d3c;  // version 1; versions 2 and 3 have the next two numbers
constexpr std::uint32_t magics = 3;
constexpr std::uint64_t max_picture_bytes = std::uint64_t{1} << 30;
constexpr Rational default_fps{24, 1};

std::size_t tile_bytes(SizePx tile_px) noexcept {
  return static_cast<std::size_t>(tile_px.width) * static_cast<std::size_t>(tile_px.height) * 3;
}

// The tiles of level 0. They are numbered by rows, from the lower left corner.
struct TileGrid {
  SizePx frame_px;
  SizePx tile_px;
  [[nodiscard]] int columns() const noexcept {
    return (frame_px.width + tile_px.width - 1) / tile_px.width;
  }
  [[nodiscard]] int rows() const noexcept {
    return (frame_px.height + tile_px.height - 1) / tile_px.height;
  }
  [[nodiscard]] std::size_t count() const noexcept {
    return static_cast<std::size_t>(columns()) * static_cast<std::size_t>(rows());
  }
};

// Places of the tiles in a picture's bytes; empty if they exceed the picture. A picture of several
// tiles begins with their lengths. A picture of one tile is that tile, without a length.
std::optional<std::vector<SmExtent>> tile_extents(const std::string& picture, std::size_t count) {
  if (count == 1) return std::vector<SmExtent>{{0, picture.size()}};
  std::uint64_t at = 4 * std::uint64_t{count};
  if (at > picture.size()) return std::nullopt;
  std::vector<SmExtent> extents;
  extents.reserve(count);
  for (std::size_t tile = 0; tile < count; ++tile) {
    const std::uint32_t bytes = big_endian_u32(picture, 4 * tile);
    if (bytes > picture.size() - at) return std::nullopt;
    extents.push_back({at, bytes});
    at += bytes;
  }
  return extents;
}

// Copies a tile into the picture. Rows run upwards in the file and downwards in the picture.
void place_tile(const std::vector<std::uint8_t>& pixels, const TileGrid& grid, std::size_t tile,
                AvFrame& picture) {
  const auto columns = static_cast<std::size_t>(grid.columns());
  const int left = static_cast<int>(tile % columns) * grid.tile_px.width;
  const int bottom = static_cast<int>(tile / columns) * grid.tile_px.height;
  const int width = std::min(grid.tile_px.width, grid.frame_px.width - left);
  const int height = std::min(grid.tile_px.height, grid.frame_px.height - bottom);
  const std::size_t row_bytes = static_cast<std::size_t>(grid.tile_px.width) * 3;
  for (int y = 0; y < height; ++y)
    std::copy_n(pixels.data() + static_cast<std::size_t>(y) * row_bytes, 3 * width,
                packed_row(picture, grid.frame_px.height - 1 - bottom - y) + 3 * left);
}

}  // namespace

bool is_sm_movie(const std::filesystem::path& file) {
  const UniqueFd fd = open_for_reading(file);
  std::string head(4, '\0');
  const ssize_t got = retry_eintr([&] { return ::pread(fd.get(), head.data(), head.size(), 0); });
  return got == 4 && big_endian_u32(head, 0) - magic < magics;
}

SmMovie::SmMovie(const std::filesystem::path& file) : file_(file), fd_(open_for_reading(file)) {
  struct stat status = {};
  check_sys(::fstat(fd_.get(), &status), "fstat");
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  const std::string start = read(0, std::min<std::uint64_t>(sm_head_bytes, file_bytes_));
  const SmHead head = parse_sm_head(start, file_bytes_, file.string());
  header_ = parse_sm_tables(head, read(head.tables_at, head.tables_bytes), file_bytes_);
  choose_tile_order();
}

// Reads exactly `bytes`; throws InputError if the file has become shorter. @pre they lie within
// file_bytes_
std::string SmMovie::read(std::uint64_t offset, std::uint64_t bytes) const {
  std::string buffer(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = retry_eintr([&] {
      return ::pread(fd_.get(), buffer.data() + done, bytes - done,
                     static_cast<off_t>(offset + done));
    });
    check_sys(got, "pread");
    if (got == 0)
      throw InputError({file_.string()}, "", fmt::format("{} bytes", file_bytes_),
                       fmt::format("only {}", offset + done));
    done += static_cast<std::size_t>(got);
  }
  return buffer;
}

// Whether the first picture has exactly the size that its table of tile lengths gives for tiles of
// this size.
bool SmMovie::tables_agree(SizePx tile_px) const {
  const SmExtent& first = header_.pictures.front();
  const std::size_t count = TileGrid{header_.size_px, tile_px}.count();
  const std::uint64_t table = 4 * std::uint64_t{count};
  if (count == 1) return true;
  if (table > std::min(first.bytes, max_picture_bytes) || first.offset > file_bytes_ ||
      table > file_bytes_ - first.offset)
    return false;
  const std::string lengths = read(first.offset, table);
  std::uint64_t bytes = table;
  for (std::size_t tile = 0; tile < count; ++tile) bytes += big_endian_u32(lengths, 4 * tile);
  return bytes == first.bytes;
}

// The manual and Blockbuster's tools disagree on the order. A first picture whose tile lengths add
// up decides; without one, or if both orders do, it is the tools' order.
void SmMovie::choose_tile_order() {
  std::optional<SmTileOrder> possible;
  for (const SmTileOrder order : {SmTileOrder::height_width, SmTileOrder::width_height}) {
    const auto tile = sm_tile_px(header_, order);
    if (!tile) continue;
    const bool certain = tables_agree(*tile);
    if (certain || !possible) possible = order;
    if (certain) break;
  }
  if (!possible)
    throw InputError(
        {file_.string()}, "tile size",
        fmt::format("one within the frame's {}x{}", header_.size_px.width, header_.size_px.height),
        fmt::format("{:#010x}", header_.tile_word));
  tile_order_ = *possible;
  tile_px_ = *sm_tile_px(header_, tile_order_);
}

MovieInfo SmMovie::info() const {
  MovieInfo info;
  info.container = "sm";
  info.codec = sm_codec_name(header_.codec);
  info.pixel_format = "rgb24";
  info.matrix = info.primaries = info.transfer = "unknown";
  info.range = "pc";
  info.stored_px = info.size_px = header_.size_px;
  info.fps = header_.fps.value_or(default_fps);
  const auto pictures = static_cast<std::int64_t>(header_.pictures.size());
  info.frames = header_.stereo ? (pictures + 1) / 2 : pictures;
  info.duration_s = static_cast<double>(info.frames) / info.fps.value();
  return info;
}

InputError SmMovie::damaged(std::int64_t frame, const std::string& expected,
                            const std::string& found) const {
  return InputError({file_.string()}, fmt::format("frame {}", frame), expected, found);
}

std::string SmMovie::read_picture(std::int64_t frame) const {
  const SmExtent& extent =
      header_.pictures[static_cast<std::size_t>(header_.stereo ? 2 * frame : frame)];
  if (extent.bytes > max_picture_bytes)
    throw damaged(frame, fmt::format("at most {} bytes", max_picture_bytes),
                  std::to_string(extent.bytes));
  if (extent.offset > file_bytes_ || extent.bytes > file_bytes_ - extent.offset)
    throw damaged(frame, fmt::format("{} bytes at {}", extent.bytes, extent.offset),
                  fmt::format("a file of {}", file_bytes_));
  return read(extent.offset, extent.bytes);
}

SharedFrame SmMovie::decode(std::int64_t frame) const {
  std::string bytes = read_picture(frame);
  const TileGrid grid{header_.size_px, tile_px_};
  const auto tiles = tile_extents(bytes, grid.count());
  if (!tiles) throw damaged(frame, "tiles within the frame's bytes", "longer ones");
  bytes.append(sm_slack_bytes, '\0');
  std::vector<std::uint8_t> pixels(tile_bytes(tile_px_) + sm_slack_bytes);
  AvFrame picture = new_packed_picture(AV_PIX_FMT_RGB24, header_.size_px);
  for (std::size_t tile = 0; tile < tiles->size(); ++tile) {
    const auto* const start =
        reinterpret_cast<const std::uint8_t*>(bytes.data()) + (*tiles)[tile].offset;
    if (!decode_sm_tile(header_.codec, {start, (*tiles)[tile].bytes}, tile_px_, pixels))
      throw damaged(frame,
                    fmt::format("intact {} data in tile {}", sm_codec_name(header_.codec), tile),
                    "damage");
    place_tile(pixels, grid, tile, picture);
  }
  return share(std::move(picture));
}

}  // namespace tilewall::movie
