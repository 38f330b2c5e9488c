#include "player/movie/codecs/jpeg_planes.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "player/movie/codecs/turbojpeg_handle.hpp"
#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

struct PlanePointers {
  const unsigned char* samples[3] = {};
  int strides[3] = {};
  int subsampling = TJSAMP_444;
  std::optional<Plane> even_luma;  ///< owns samples[0] if luma had to be extended
};

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

/// The planes as TurboJPEG expects them. It reads luma of 4:2:0 up to even sides, beyond the plane
/// of a picture with odd ones, so such a plane is extended.
PlanePointers pointers_to(const PlanarPicture& picture) {
  PlanePointers out;
  for (std::size_t plane = 0; plane < picture.planes.size(); ++plane) {
    out.samples[plane] = picture.planes[plane].samples.data();
    out.strides[plane] = static_cast<int>(picture.planes[plane].stride_bytes);
  }
  out.subsampling = picture.chroma == Chroma::gray     ? TJSAMP_GRAY
                    : picture.chroma == Chroma::yuv420 ? TJSAMP_420
                                                       : TJSAMP_444;
  const bool odd = picture.size_px.width % 2 != 0 || picture.size_px.height % 2 != 0;
  if (picture.chroma == Chroma::yuv420 && odd) {
    out.even_luma = extended_to_even(picture.planes[0]);
    out.samples[0] = out.even_luma->samples.data();
    out.strides[0] = static_cast<int>(out.even_luma->stride_bytes);
  }
  return out;
}

[[noreturn]] void fail(const TurboJpegHandle& turbo) {
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

std::vector<unsigned char> encode_jpeg(const PlanarPicture& picture, int quality) {
  TW_CHECK(picture.chroma != Chroma::rgb);
  const TurboJpegHandle turbo(tjInitCompress());
  PlanePointers planes = pointers_to(picture);
  unsigned char* raw = nullptr;
  unsigned long bytes = 0;
  const int failed =
      tjCompressFromYUVPlanes(turbo.get(), planes.samples, picture.size_px.width, planes.strides,
                              picture.size_px.height, planes.subsampling, &raw, &bytes, quality, 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> jpeg(raw, &tjFree);
  if (failed != 0) fail(turbo);
  return {jpeg.get(), jpeg.get() + bytes};
}

RgbPixels decode_jpeg(std::span<const unsigned char> jpeg, SizePx size) {
  const TurboJpegHandle turbo(tjInitDecompress());
  RgbPixels rgb(rgb_bytes(size));
  if (tjDecompress2(turbo.get(), jpeg.data(), jpeg.size(), rgb.data(), size.width, 0, size.height,
                    TJPF_RGB, 0) != 0)
    fail(turbo);
  return rgb;
}

RgbPixels rgb_of(const PlanarPicture& picture) {
  if (picture.chroma == Chroma::rgb) return interleaved(picture);
  const TurboJpegHandle turbo(tjInitDecompress());
  RgbPixels rgb(rgb_bytes(picture.size_px));
  PlanePointers planes = pointers_to(picture);
  if (tjDecodeYUVPlanes(turbo.get(), planes.samples, planes.strides, planes.subsampling, rgb.data(),
                        picture.size_px.width, 0, picture.size_px.height, TJPF_RGB, 0) != 0)
    fail(turbo);
  return rgb;
}

}  // namespace tilewall::movie
