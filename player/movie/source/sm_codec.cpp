#include "player/movie/source/sm_header.hpp"

extern "C" {
#include <libavutil/lzo.h>
}
#include <libdeflate.h>

#include <algorithm>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "sync/base/check.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {
namespace {

static_assert(sm_slack_bytes >= AV_LZO_INPUT_PADDING && sm_slack_bytes >= AV_LZO_OUTPUT_PADDING);

struct InflateTraits {
  using Raw = libdeflate_decompressor*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { libdeflate_free_decompressor(raw); }
};

using Bytes = std::span<const std::uint8_t>;
using Pixels = std::span<std::uint8_t>;  // one tile, without sm_slack_bytes

bool copy_raw(Bytes bytes, Pixels pixels) {
  if (bytes.size() < pixels.size()) return false;
  std::copy_n(bytes.begin(), pixels.size(), pixels.begin());
  return true;
}

// Expands run-length coding: groups of a count and R, G, B.
bool expand_runs(Bytes bytes, Pixels pixels) {
  std::size_t done = 0;
  for (std::size_t at = 0; done < pixels.size(); at += 4) {
    if (at + 4 > bytes.size()) return false;
    const std::size_t run = bytes[at];
    if (run * 3 > pixels.size() - done) return false;
    for (std::size_t i = 0; i < run; ++i, done += 3) std::copy_n(&bytes[at + 1], 3, &pixels[done]);
  }
  return true;
}

bool inflate(Bytes bytes, Pixels pixels) {
  const UniqueHandle<InflateTraits> inflater(libdeflate_alloc_decompressor());
  TW_CHECK(!inflater.empty());
  return libdeflate_zlib_decompress(inflater.get(), bytes.data(), bytes.size(), pixels.data(),
                                    pixels.size(), nullptr) == LIBDEFLATE_SUCCESS;
}

bool expand_lzo(Bytes bytes, Pixels pixels) {
  int room = static_cast<int>(pixels.size());
  int left = static_cast<int>(bytes.size());
  const int damage = av_lzo1x_decode(pixels.data(), &room, bytes.data(), &left);
  return (damage & ~AV_LZO_INPUT_DEPLETED) == 0 && room == 0;
}

bool decode_jpeg_tile(Bytes bytes, SizePx tile_px, Pixels pixels) {
  const JpegDecoder decoder;
  return decoder.size_px(bytes) == tile_px && decoder.to_rgb(bytes, tile_px, pixels.data());
}

}  // namespace

bool decode_sm_tile(SmCodec codec, std::span<const std::uint8_t> bytes, SizePx tile_px,
                    std::vector<std::uint8_t>& pixels) {
  const std::size_t size =
      static_cast<std::size_t>(tile_px.width) * static_cast<std::size_t>(tile_px.height) * 3;
  TW_CHECK(pixels.size() >= size + sm_slack_bytes);
  const Pixels out(pixels.data(), size);
  switch (codec) {
    case SmCodec::raw:
      return copy_raw(bytes, out);
    case SmCodec::rle:
      return expand_runs(bytes, out);
    case SmCodec::zlib:
      return inflate(bytes, out);
    case SmCodec::lzo:
      return expand_lzo(bytes, out);
    default:
      return decode_jpeg_tile(bytes, tile_px, out);
  }
}

}  // namespace tilewall::movie
