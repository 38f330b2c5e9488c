#include "player/movie/codecs/jpeg_codec.hpp"

#include <turbojpeg.h>

#include <algorithm>
#include <type_traits>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

using TurboJpeg = UniqueHandle<TurboJpegTraits>;

/// @pre chroma is one that JPEG holds
constexpr int turbojpeg_subsampling(Chroma chroma) noexcept {
  return chroma == Chroma::gray ? TJSAMP_GRAY : chroma == Chroma::yuv420 ? TJSAMP_420 : TJSAMP_444;
}

/// A picture's planes from `at` on, as TurboJPEG takes them.
template <typename Sample>
struct PlanePointers {
  Sample* samples[3] = {};
  int strides[3] = {};

  template <typename Picture>
  explicit PlanePointers(Picture& picture, PointPx at = {}) {
    for (std::size_t p = 0; p < picture.planes.size(); ++p) {
      const bool halved = picture.chroma == Chroma::yuv420 && p > 0;
      samples[p] = picture.planes[p].row(halved ? at.y / 2 : at.y) + (halved ? at.x / 2 : at.x);
      strides[p] = static_cast<int>(picture.planes[p].stride_bytes);
    }
  }
};
using SourcePlanes = PlanePointers<const unsigned char>;

/// The plane with even sides; the last row and column of an odd one are repeated.
Plane extended_to_even(const Plane& plane) {
  const SizePx size = plane.size_px;
  Plane even({size.width + size.width % 2, size.height + size.height % 2});
  for (int y = 0; y < even.size_px.height; ++y) {
    const std::uint8_t* from = plane.row(std::min(y, size.height - 1));
    std::copy_n(from, size.width, even.row(y));
    even.row(y)[even.size_px.width - 1] = from[size.width - 1];
  }
  return even;
}

/// All of a picture's planes. TurboJPEG reads luma of 4:2:0 up to even sides, beyond the plane of a
/// picture with odd ones, so such a plane is extended.
struct WholePlanes {
  SourcePlanes planes;
  std::optional<Plane> even_luma;

  explicit WholePlanes(const PlanarPicture& picture) : planes(picture) {
    const bool odd = picture.size_px.width % 2 != 0 || picture.size_px.height % 2 != 0;
    if (picture.chroma != Chroma::yuv420 || !odd) return;
    even_luma = extended_to_even(picture.planes[0]);
    planes.samples[0] = even_luma->samples.data();
    planes.strides[0] = static_cast<int>(even_luma->stride_bytes);
  }
};

[[noreturn]] void fail(const TurboJpeg& turbo) {
  throw JobError(std::string("TurboJPEG: ") + tjGetErrorStr2(turbo.get()));
}

std::size_t rgb_bytes(SizePx size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3;
}

RgbPixels interleaved(const PlanarPicture& picture) {
  RgbPixels rgb;
  rgb.reserve(rgb_bytes(picture.size_px));
  for (int y = 0; y < picture.size_px.height; ++y)
    for (int x = 0; x < picture.size_px.width; ++x)
      for (const Plane& plane : picture.planes) rgb.push_back(plane.row(y)[x]);
  return rgb;
}

}  // namespace

static_assert(std::is_same_v<tjhandle, TurboJpegTraits::Raw>);

void TurboJpegTraits::close(Raw handle) noexcept { tjDestroy(handle); }

JpegDecoder::JpegDecoder() : turbo_(tjInitDecompress()) { TW_CHECK(!turbo_.empty()); }

std::optional<SizePx> JpegDecoder::size_px(std::span<const std::uint8_t> bytes) const noexcept {
  SizePx size;
  int subsampling = 0;
  int colours = 0;
  if (tjDecompressHeader3(turbo_.get(), bytes.data(), bytes.size(), &size.width, &size.height,
                          &subsampling, &colours) != 0)
    return std::nullopt;
  return size;
}

bool JpegDecoder::to_bgrx(std::span<const std::uint8_t> bytes, const ImageView& dst,
                          JpegScans scans) const noexcept {
  // BGRA is BGRX with the last byte guaranteed to be 255. Warnings make the call fail too.
  return tjDecompress2(turbo_.get(), bytes.data(), bytes.size(), dst.pixels, dst.size_px.width,
                       static_cast<int>(dst.stride_bytes), dst.size_px.height, TJPF_BGRA,
                       scans == JpegScans::limited ? TJFLAG_LIMITSCANS : 0) == 0;
}

bool JpegDecoder::to_rgb(std::span<const std::uint8_t> bytes, SizePx size,
                         std::uint8_t* rgb) const noexcept {
  return tjDecompress2(turbo_.get(), bytes.data(), bytes.size(), rgb, size.width, 3 * size.width,
                       size.height, TJPF_RGB, 0) == 0;
}

bool JpegDecoder::to_planes(std::span<const std::uint8_t> bytes, SizePx size, PlanarPicture& dst,
                            PointPx at) const noexcept {
  PlanePointers<unsigned char> planes(dst, at);
  return tjDecompressToYUVPlanes(turbo_.get(), bytes.data(), bytes.size(), planes.samples,
                                 size.width, planes.strides, size.height, 0) == 0;
}

std::string JpegDecoder::error_text() const { return tjGetErrorStr2(turbo_.get()); }

JpegEncoder::JpegEncoder() : turbo_(tjInitCompress()) { TW_CHECK(!turbo_.empty()); }

std::size_t JpegEncoder::max_bytes(SizePx size, Chroma chroma) noexcept {
  return tjBufSize(size.width, size.height, turbojpeg_subsampling(chroma));
}

std::size_t JpegEncoder::encode(const PlanarPicture& picture, PointPx at, SizePx size, int quality,
                                std::span<std::uint8_t> out) const {
  SourcePlanes planes(picture, at);
  unsigned char* buffer = out.data();
  unsigned long bytes = out.size();
  const int result = tjCompressFromYUVPlanes(
      turbo_.get(), planes.samples, size.width, planes.strides, size.height,
      turbojpeg_subsampling(picture.chroma), &buffer, &bytes, quality, TJFLAG_NOREALLOC);
  TW_CHECK(result == 0, "{}", tjGetErrorStr2(turbo_.get()));
  return bytes;
}

std::vector<unsigned char> encode_jpeg(const PlanarPicture& picture, int quality) {
  TW_CHECK(picture.chroma != Chroma::rgb);
  const TurboJpeg turbo(tjInitCompress());
  WholePlanes whole(picture);
  unsigned char* raw = nullptr;
  unsigned long bytes = 0;
  const int failed = tjCompressFromYUVPlanes(
      turbo.get(), whole.planes.samples, picture.size_px.width, whole.planes.strides,
      picture.size_px.height, turbojpeg_subsampling(picture.chroma), &raw, &bytes, quality, 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> jpeg(raw, &tjFree);
  if (failed != 0) fail(turbo);
  return {jpeg.get(), jpeg.get() + bytes};
}

RgbPixels decode_jpeg(std::span<const unsigned char> jpeg, SizePx size) {
  const JpegDecoder decoder;
  RgbPixels rgb(rgb_bytes(size));
  if (!decoder.to_rgb(jpeg, size, rgb.data())) throw JobError("TurboJPEG: " + decoder.error_text());
  return rgb;
}

RgbPixels rgb_of(const PlanarPicture& picture) {
  if (picture.chroma == Chroma::rgb) return interleaved(picture);
  const TurboJpeg turbo(tjInitDecompress());
  RgbPixels rgb(rgb_bytes(picture.size_px));
  WholePlanes whole(picture);
  if (tjDecodeYUVPlanes(turbo.get(), whole.planes.samples, whole.planes.strides,
                        turbojpeg_subsampling(picture.chroma), rgb.data(), picture.size_px.width, 0,
                        picture.size_px.height, TJPF_RGB, 0) != 0)
    fail(turbo);
  return rgb;
}

PlanarPicture planes_of(const ImageView& pixels) {
  const TurboJpeg turbo(tjInitCompress());
  PlanarPicture picture(pixels.size_px, Chroma::yuv420);
  PlanePointers<unsigned char> planes(picture);
  if (tjEncodeYUVPlanes(turbo.get(), pixels.pixels, pixels.size_px.width,
                        static_cast<int>(pixels.stride_bytes), pixels.size_px.height, TJPF_BGRX,
                        planes.samples, planes.strides, TJSAMP_420, 0) != 0)
    fail(turbo);
  return picture;
}

}  // namespace tilewall::movie
