#include "tests/support/sm_writer.hpp"

#include <libdeflate.h>
#include <turbojpeg.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace tilewall::test {
using namespace movie;
namespace {

using Bytes = std::vector<std::uint8_t>;

void append_number(std::string& out, std::uint64_t value, int bytes) {
  for (int i = bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

// SM stores rows from the bottom up.
Bytes tile_pixels(const SmSpec& spec, int picture, SizePx frame, SizePx tile, PointPx lower_left) {
  Bytes pixels;
  for (int y = 0; y < tile.height; ++y)
    for (int x = 0; x < tile.width; ++x) {
      const PointPx at{lower_left.x + x, frame.height - 1 - lower_left.y - y};
      const bool inside = at.x < frame.width && at.y >= 0;
      const int step = spec.size_px.width / frame.width;  // lower levels: every other pixel
      const Rgb colour = inside ? sm_colour(picture, {at.x * step, at.y * step}) : Rgb{};
      pixels.insert(pixels.end(), colour.begin(), colour.end());
    }
  return pixels;
}

Bytes run_lengths(const Bytes& pixels) {
  Bytes out;
  for (std::size_t at = 0; at < pixels.size();) {
    std::size_t run = 1;
    while (run < 255 && at + 3 * run < pixels.size() &&
           std::equal(&pixels[at], &pixels[at] + 3, &pixels[at + 3 * run]))
      ++run;
    out.push_back(static_cast<std::uint8_t>(run));
    out.insert(out.end(), &pixels[at], &pixels[at] + 3);
    at += 3 * run;
  }
  return out;
}

Bytes deflated(const Bytes& pixels) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
  Bytes out(libdeflate_zlib_compress_bound(compressor, pixels.size()));
  out.resize(
      libdeflate_zlib_compress(compressor, pixels.data(), pixels.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

// LZO1X with literals alone, which every decoder takes. @pre more than 3 + 15 pixels' bytes
Bytes lzo_literals(const Bytes& pixels) {
  Bytes out;
  std::size_t rest = pixels.size() - 18;
  out.push_back(0);
  for (; rest > 255; rest -= 255) out.push_back(0);
  out.push_back(static_cast<std::uint8_t>(rest));
  out.insert(out.end(), pixels.begin(), pixels.end());
  out.insert(out.end(), {0x11, 0, 0});
  return out;
}

Bytes jpeg(const Bytes& pixels, SizePx size) {
  const tjhandle turbo = tjInitCompress();
  unsigned char* data = nullptr;
  unsigned long bytes = 0;
  if (tjCompress2(turbo, pixels.data(), size.width, 0, size.height, TJPF_RGB, &data, &bytes,
                  TJSAMP_444, 95, 0) != 0)
    throw std::runtime_error(tjGetErrorStr2(turbo));
  const Bytes out(data, data + bytes);
  tjFree(data);
  tjDestroy(turbo);
  return out;
}

std::string encoded(SmCodec codec, const Bytes& pixels, SizePx tile) {
  switch (codec) {
    case SmCodec::raw:
      return text_of(pixels);
    case SmCodec::rle:
      return text_of(run_lengths(pixels));
    case SmCodec::zlib:
      return text_of(deflated(pixels));
    case SmCodec::lzo:
      return text_of(lzo_literals(pixels));
    default:
      return text_of(jpeg(pixels, tile));
  }
}

std::string picture_bytes(const SmSpec& spec, int picture, SizePx frame, SizePx tile) {
  std::string table;
  std::string tiles;
  int count = 0;
  for (int y = 0; y < frame.height; y += tile.height)
    for (int x = 0; x < frame.width; x += tile.width, ++count) {
      const std::string bytes =
          encoded(spec.codec, tile_pixels(spec, picture, frame, tile, {x, y}), tile);
      append_number(table, bytes.size(), 4);
      tiles += bytes;
    }
  return count == 1 ? tiles : table + tiles;
}

std::string head_bytes(const SmSpec& spec) {
  std::string head;
  append_number(head, 0x0f1e2d3cu + static_cast<unsigned>(spec.version - 1), 4);
  append_number(head,
                static_cast<std::uint64_t>(spec.fps_twentieths) << 22 |
                    (spec.stereo ? 0x100u : 0u) | static_cast<unsigned>(spec.codec),
                4);
  for (const int value : {spec.pictures, spec.size_px.width, spec.size_px.height})
    append_number(head, static_cast<std::uint64_t>(value), 4);
  if (spec.version == 1) return head;
  append_number(head, static_cast<std::uint64_t>(spec.levels), 4);
  for (int level = 0; level < spec.levels; ++level) {
    const SizePx tile = level == 0
                            ? spec.tile_px
                            : SizePx{spec.size_px.width >> level, spec.size_px.height >> level};
    const bool width_first = spec.order == SmTileOrder::width_height;
    append_number(head, static_cast<std::uint64_t>(width_first ? tile.width : tile.height), 2);
    append_number(head, static_cast<std::uint64_t>(width_first ? tile.height : tile.width), 2);
  }
  head.resize(sm_head_bytes, '\0');
  return head;
}

}  // namespace

Rgb sm_colour(int picture, PointPx at) noexcept {
  return {static_cast<std::uint8_t>(40 + 60 * picture), static_cast<std::uint8_t>(5 * at.x),
          static_cast<std::uint8_t>(7 * at.y)};
}

std::string sm_bytes(const SmSpec& spec) {
  std::vector<std::string> pictures;
  for (int level = 0; level < spec.levels; ++level)
    for (int picture = 0; picture < spec.pictures; ++picture) {
      const SizePx frame{spec.size_px.width >> level, spec.size_px.height >> level};
      pictures.push_back(picture_bytes(spec, picture, frame, level == 0 ? spec.tile_px : frame));
    }
  const std::string head = head_bytes(spec);
  std::string offsets;
  std::string lengths;
  std::string data;
  const std::size_t data_at = head.size() + pictures.size() * (spec.version == 1 ? 8 : 12);
  for (const std::string& picture : pictures) {
    append_number(offsets, data_at + data.size(), 8);
    if (spec.version == 2) append_number(lengths, picture.size(), 4);
    data += picture;
  }
  return head + offsets + lengths + data;
}

void write_sm(const SmSpec& spec, const std::filesystem::path& file) {
  std::ofstream(file, std::ios::binary) << sm_bytes(spec);
}

}  // namespace tilewall::test
