#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/frames/block_codec.hpp"
#include "sync/base/check.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {
namespace {

constexpr int deflate_level = 6;
constexpr int zstd_level = 3;

struct DeflateTraits {
  using Raw = libdeflate_compressor*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw compressor) noexcept { libdeflate_free_compressor(compressor); }
};
struct ZstdTraits {
  using Raw = ZSTD_CCtx*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw context) noexcept { ZSTD_freeCCtx(context); }
};

// Copies `size_px` samples from `origin` on; beyond the plane, its edge samples are repeated.
void copy_padded(const Plane& from, PointPx origin, SizePx size_px, Plane& to) {
  const int inside = std::min(size_px.width, from.size_px.width - origin.x);
  for (int y = 0; y < size_px.height; ++y) {
    const std::uint8_t* src = from.row(std::min(origin.y + y, from.size_px.height - 1)) + origin.x;
    std::uint8_t* dst = to.row(y);
    std::memcpy(dst, src, static_cast<std::size_t>(inside));
    std::memset(dst + inside, src[inside - 1], static_cast<std::size_t>(size_px.width - inside));
  }
}

// Interleaves the planes' rows and stores each sample's difference from its left neighbour (TIFF's
// predictor 2).
void difference_row(const PlanarPicture& block, int y, std::uint8_t* dst) {
  const std::size_t samples = block.planes.size();
  for (std::size_t p = 0; p < samples; ++p) {
    const std::uint8_t* src = block.planes[p].row(y);
    std::uint8_t left = 0;
    for (int x = 0; x < block.size_px.width; ++x) {
      dst[static_cast<std::size_t>(x) * samples + p] = static_cast<std::uint8_t>(src[x] - left);
      left = src[x];
    }
  }
}

}  // namespace

struct BlockEncoder::State {
  MovieManifest manifest;
  PlanarPicture padded;  // a block on the right or lower edge; any block of a lossless movie
  std::vector<std::uint8_t> differences;
  std::vector<std::uint8_t> bytes;
  std::optional<JpegEncoder> jpeg;
  UniqueHandle<DeflateTraits> deflate;
  UniqueHandle<ZstdTraits> zstd;

  explicit State(const MovieManifest& movie)
      : manifest(movie), padded(movie.block_px, movie.chroma) {
    TW_CHECK(can_hold(movie.compression, movie.chroma));
    const auto samples = static_cast<std::size_t>(movie.block_px.width) *
                         static_cast<std::size_t>(movie.block_px.height) * padded.planes.size();
    switch (movie.compression) {
      case BlockCompression::jpeg:
        jpeg.emplace();
        bytes.resize(JpegEncoder::max_bytes(movie.block_px, movie.chroma));
        return;
      case BlockCompression::deflate:
        deflate = UniqueHandle<DeflateTraits>(libdeflate_alloc_compressor(deflate_level));
        TW_CHECK(!deflate.empty());
        bytes.resize(libdeflate_zlib_compress_bound(deflate.get(), samples));
        break;
      case BlockCompression::zstd:
        zstd = UniqueHandle<ZstdTraits>(ZSTD_createCCtx());
        TW_CHECK(!zstd.empty());
        bytes.resize(ZSTD_compressBound(samples));
        break;
    }
    differences.resize(samples);
  }

  void pad(const PlanarPicture& picture, PointPx origin) {
    for (std::size_t p = 0; p < padded.planes.size(); ++p) {
      const bool halved = picture.chroma == Chroma::yuv420 && p > 0;
      const PointPx plane_origin = halved ? PointPx{origin.x / 2, origin.y / 2} : origin;
      copy_padded(picture.planes[p], plane_origin, padded.planes[p].size_px, padded.planes[p]);
    }
  }

  std::size_t compress_jpeg(const PlanarPicture& picture, PointPx origin) {
    return jpeg->encode(picture, origin, manifest.block_px, manifest.quality, bytes);
  }

  std::size_t compress_lossless() {
    const std::size_t row_bytes =
        static_cast<std::size_t>(padded.size_px.width) * padded.planes.size();
    for (int y = 0; y < padded.size_px.height; ++y)
      difference_row(padded, y, differences.data() + static_cast<std::size_t>(y) * row_bytes);
    const std::size_t size =
        manifest.compression == BlockCompression::deflate
            ? libdeflate_zlib_compress(deflate.get(), differences.data(), differences.size(),
                                       bytes.data(), bytes.size())
            : ZSTD_compressCCtx(zstd.get(), bytes.data(), bytes.size(), differences.data(),
                                differences.size(), zstd_level);
    TW_CHECK(size > 0 && size <= bytes.size(), "{}", size);
    return size;
  }
};

BlockEncoder::BlockEncoder(const MovieManifest& manifest)
    : state_(std::make_unique<State>(manifest)) {}

BlockEncoder::~BlockEncoder() = default;

std::span<const std::uint8_t> BlockEncoder::encode(const PlanarPicture& picture, PointPx origin) {
  State& state = *state_;
  TW_DCHECK(picture.chroma == state.manifest.chroma);
  const SizePx block = state.manifest.block_px;
  const bool whole = origin.x + block.width <= picture.size_px.width &&
                     origin.y + block.height <= picture.size_px.height;
  const bool lossless = state.manifest.compression != BlockCompression::jpeg;
  if (lossless || !whole) state.pad(picture, origin);
  const std::size_t size = lossless ? state.compress_lossless()
                           : whole  ? state.compress_jpeg(picture, origin)
                                    : state.compress_jpeg(state.padded, {0, 0});
  return {state.bytes.data(), size};
}

}  // namespace tilewall::movie
