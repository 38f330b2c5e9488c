#include <libdeflate.h>
#include <zstd.h>

#include <cstring>
#include <optional>
#include <vector>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/codecs/jpeg_header.hpp"
#include "player/movie/codecs/jpeg_part.hpp"
#include "player/movie/frames/block_codec.hpp"
#include "player/movie/frames/planes_to_bgrx.hpp"
#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

struct InflateTraits {
  using Raw = libdeflate_decompressor*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw decompressor) noexcept { libdeflate_free_decompressor(decompressor); }
};
struct UnzstdTraits {
  using Raw = ZSTD_DCtx*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw context) noexcept { ZSTD_freeDCtx(context); }
};

// Undoes TIFF's predictor 2, and sorts the interleaved samples into planes.
void sum_row(const std::uint8_t* differences, int width, std::size_t samples, PlanarPicture& dst,
             PointPx at) {
  for (std::size_t p = 0; p < samples; ++p) {
    std::uint8_t* out = dst.planes[p].row(at.y) + at.x;
    std::uint8_t value = 0;
    for (int x = 0; x < width; ++x) {
      value =
          static_cast<std::uint8_t>(value + differences[static_cast<std::size_t>(x) * samples + p]);
      out[x] = value;
    }
  }
}

}  // namespace

struct BlockDecoder::State {
  MovieManifest manifest;
  std::optional<JpegDecoder> jpeg;
  JpegPartDecoder jpeg_part;
  UniqueHandle<InflateTraits> inflate;
  UniqueHandle<UnzstdTraits> unzstd;
  std::vector<std::uint8_t> differences;  // a lossless block's samples as TIFF stores them
  PlanarPicture planes;                   // a lossless block's planes

  explicit State(const MovieManifest& movie) : manifest(movie) {
    const auto block_pixels = static_cast<std::size_t>(movie.block_px.width) *
                              static_cast<std::size_t>(movie.block_px.height);
    if (movie.compression == BlockCompression::jpeg) {
      jpeg.emplace();
      return;
    }
    inflate = UniqueHandle<InflateTraits>(libdeflate_alloc_decompressor());
    unzstd = UniqueHandle<UnzstdTraits>(ZSTD_createDCtx());
    TW_CHECK(!inflate.empty() && !unzstd.empty());
    planes = PlanarPicture(movie.block_px, movie.chroma);
    differences.resize(block_pixels * planes.planes.size());
  }

  // TurboJPEG would scale or cut a block of another size without an error.
  [[nodiscard]] bool is_block(std::span<const std::uint8_t> bytes) const {
    const auto header = read_jpeg_header(bytes);
    return header && header->baseline && header->size_px == manifest.block_px &&
           header->chroma == manifest.chroma;
  }

  bool lossless_to_planes(std::span<const std::uint8_t> bytes, PlanarPicture& dst, PointPx at) {
    const std::size_t size = differences.size();
    const bool whole =
        manifest.compression == BlockCompression::deflate
            ? libdeflate_zlib_decompress(inflate.get(), bytes.data(), bytes.size(),
                                         differences.data(), size, nullptr) == LIBDEFLATE_SUCCESS
            : ZSTD_decompressDCtx(unzstd.get(), differences.data(), size, bytes.data(),
                                  bytes.size()) == size;
    if (!whole) return false;
    const std::size_t samples = dst.planes.size();
    const int width = manifest.block_px.width;
    for (int y = 0; y < manifest.block_px.height; ++y)
      sum_row(differences.data() +
                  static_cast<std::size_t>(y) * static_cast<std::size_t>(width) * samples,
              width, samples, dst, {at.x, at.y + y});
    return true;
  }

  bool lossless_to_bgrx(std::span<const std::uint8_t> bytes, const RectPx& part,
                        const ImageView& dst) {
    if (!lossless_to_planes(bytes, planes, {0, 0})) return false;
    planes_to_bgrx(planes, part, dst);
    return true;
  }
};

BlockDecoder::BlockDecoder(const MovieManifest& manifest)
    : state_(std::make_unique<State>(manifest)) {}

BlockDecoder::~BlockDecoder() = default;
BlockDecoder::BlockDecoder(BlockDecoder&&) noexcept = default;
BlockDecoder& BlockDecoder::operator=(BlockDecoder&&) noexcept = default;

bool BlockDecoder::to_bgrx(std::span<const std::uint8_t> bytes, const RectPx& part,
                           const ImageView& dst) {
  if (bytes.empty()) return false;
  if (state_->manifest.compression != BlockCompression::jpeg)
    return state_->lossless_to_bgrx(bytes, part, dst);
  if (!state_->is_block(bytes)) return false;
  const SizePx block = state_->manifest.block_px;
  const bool whole = part == RectPx{0, 0, block.width, block.height};
  return whole ? state_->jpeg->to_bgrx(bytes, dst)
               : state_->jpeg_part.decode(bytes, block, part, dst);
}

bool BlockDecoder::to_planes(std::span<const std::uint8_t> bytes, PlanarPicture& dst, PointPx at) {
  if (bytes.empty()) return false;
  if (state_->manifest.compression != BlockCompression::jpeg)
    return state_->lossless_to_planes(bytes, dst, at);
  return state_->is_block(bytes) &&
         state_->jpeg->to_planes(bytes, state_->manifest.block_px, dst, at);
}

}  // namespace tilewall::movie
