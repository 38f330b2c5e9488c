#include "player/movie/transfer/chroma_choice.hpp"

#include <turbojpeg.h>

#include <algorithm>
#include <cmath>

#include "player/movie/source/picture_converter.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall {
namespace {

constexpr double worthwhile_db = 1.0;
constexpr int max_sample_side_px = 2048;  // from the middle; decides in tens of milliseconds

struct TurboTraits {
  using Raw = tjhandle;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { tjDestroy(raw); }
};
using Turbo = UniqueHandle<TurboTraits>;

struct PlanePointers {
  const unsigned char* samples[3] = {};
  int strides[3] = {};
  int subsampling = TJSAMP_444;
};

PlanePointers pointers_to(const PlanarPicture& picture) {
  PlanePointers out;
  for (std::size_t plane = 0; plane < picture.planes.size(); ++plane) {
    out.samples[plane] = picture.planes[plane].samples.data();
    out.strides[plane] = static_cast<int>(picture.planes[plane].stride_bytes);
  }
  out.subsampling = picture.chroma == Chroma::yuv420 ? TJSAMP_420 : TJSAMP_444;
  return out;
}

[[noreturn]] void fail(const Turbo& turbo) {
  throw JobError(std::string("TurboJPEG: ") + tjGetErrorStr2(turbo.get()));
}

std::size_t rgb_bytes(SizePx size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3;
}

std::vector<unsigned char> rgb_of_planes(const PlanarPicture& picture) {
  const Turbo turbo(tjInitDecompress());
  std::vector<unsigned char> rgb(rgb_bytes(picture.size_px));
  const PlanePointers planes = pointers_to(picture);
  if (tjDecodeYUVPlanes(turbo.get(), const_cast<const unsigned char**>(planes.samples),
                        planes.strides, planes.subsampling, rgb.data(), picture.size_px.width, 0,
                        picture.size_px.height, TJPF_RGB, 0) != 0)
    fail(turbo);
  return rgb;
}

std::vector<unsigned char> rgb_after_jpeg(const PlanarPicture& picture, int quality) {
  const Turbo encoder(tjInitCompress());
  const PlanePointers planes = pointers_to(picture);
  unsigned char* raw = nullptr;
  unsigned long bytes = 0;
  const int failed = tjCompressFromYUVPlanes(
      encoder.get(), const_cast<const unsigned char**>(planes.samples), picture.size_px.width,
      planes.strides, picture.size_px.height, planes.subsampling, &raw, &bytes, quality, 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> jpeg(raw, &tjFree);
  if (failed != 0) fail(encoder);
  const Turbo decoder(tjInitDecompress());
  std::vector<unsigned char> rgb(rgb_bytes(picture.size_px));
  if (tjDecompress2(decoder.get(), jpeg.get(), bytes, rgb.data(), picture.size_px.width, 0,
                    picture.size_px.height, TJPF_RGB, 0) != 0)
    fail(decoder);
  return rgb;
}

RectF middle_of(SizePx size) {
  const double width = std::min(size.width, max_sample_side_px);
  const double height = std::min(size.height, max_sample_side_px);
  return {std::floor((size.width - width) / 2), std::floor((size.height - height) / 2), width,
          height};
}

PlanarPicture middle_as(Chroma chroma, const AVFrame& frame, const MovieInfo& info,
                        const std::string& name) {
  const RectF middle = middle_of(info.size_px);
  PictureConverter converter({info.size_px,
                              middle,
                              info.orientation,
                              {static_cast<int>(middle.width), static_cast<int>(middle.height)},
                              chroma},
                             name);
  return converter.convert(frame);
}

bool has_colour(const PlanarPicture& yuv444) {
  for (const std::size_t plane : {std::size_t{1}, std::size_t{2}}) {
    const Plane& chroma = yuv444.planes[plane];
    for (int y = 0; y < chroma.size_px.height; ++y) {
      const std::uint8_t* row = chroma.row(y);
      if (std::any_of(row, row + chroma.size_px.width,
                      [&](std::uint8_t sample) { return std::abs(sample - row[0]) > 2; }))
        return true;
    }
  }
  return false;
}

}  // namespace

double jpeg_psnr_db(const PlanarPicture& original, const PlanarPicture& stored, int quality) {
  const std::vector<unsigned char> expected = rgb_of_planes(original);
  const std::vector<unsigned char> found = rgb_after_jpeg(stored, quality);
  double squares = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = static_cast<double>(expected[i]) - found[i];
    squares += difference * difference;
  }
  const double mean = std::max(1e-6, squares / static_cast<double>(expected.size()));
  return 10 * std::log10(255.0 * 255.0 / mean);
}

Chroma choose_chroma(const std::vector<SharedFrame>& samples, const MovieInfo& info, int quality,
                     const std::string& name) {
  bool all_gray = true;
  bool any_rgb = false;
  Chroma native = Chroma::gray;
  for (const SharedFrame& frame : samples) {
    const auto format = static_cast<AVPixelFormat>(frame->format);
    const Chroma own = native_chroma(format, name.c_str());
    all_gray = all_gray && own == Chroma::gray;
    any_rgb = any_rgb || is_rgb(format, name.c_str());
    native = std::max(native, own);  // ordered by how much they hold
  }
  if (all_gray) return Chroma::gray;
  if (!any_rgb) return native;
  bool measured = false;
  for (const SharedFrame& frame : samples) {
    const PlanarPicture full = middle_as(Chroma::yuv444, *frame, info, name);
    if (!has_colour(full)) continue;
    measured = true;
    const PlanarPicture halved = middle_as(Chroma::yuv420, *frame, info, name);
    if (jpeg_psnr_db(full, full, quality) - jpeg_psnr_db(full, halved, quality) > worthwhile_db)
      return Chroma::yuv444;
  }
  return measured ? Chroma::yuv420 : Chroma::yuv444;
}

}  // namespace tilewall
