// Which chroma an imported movie is stored with.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "player/movie/convert/import_plan.hpp"

using namespace tilewall;
using namespace tilewall::movie;

namespace {

/// A frame of 64x32 whose planes are all one gray.
SharedFrame gray_frame(AVPixelFormat format) {
  AvFrame frame = new_frame();
  frame.get()->format = format;
  frame.get()->width = 64;
  frame.get()->height = 32;
  REQUIRE(av_frame_get_buffer(frame.get(), 0) == 0);
  for (const AVBufferRef* buffer : frame.get()->buf)
    if (buffer != nullptr) std::memset(buffer->data, 128, buffer->size);
  return share(std::move(frame));
}

/// From blue on the left to red on the right, or columns of red and blue by turns.
SharedFrame coloured_frame(bool is_striped) {
  const SharedFrame frame = gray_frame(AV_PIX_FMT_RGB24);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 64; ++x) {
      std::uint8_t* const pixel =
          frame->data[0] + std::ptrdiff_t{y} * frame->linesize[0] + std::ptrdiff_t{3} * x;
      const int red = is_striped ? x % 2 * 255 : 4 * x;
      pixel[0] = static_cast<std::uint8_t>(red);
      pixel[1] = 0;
      pixel[2] = static_cast<std::uint8_t>(255 - red);
    }
  return frame;
}

Chroma chosen(const std::vector<SharedFrame>& samples) {
  MovieInfo info;
  info.size_px = info.stored_px = {64, 32};
  return choose_chroma(samples, info, 90, "test");
}

}  // namespace

TEST_CASE("YUV and gray sources keep the chroma that they have, the most of all frames",
          "[source]") {
  const SharedFrame gray = gray_frame(AV_PIX_FMT_GRAY8);
  const SharedFrame halved = gray_frame(AV_PIX_FMT_YUV420P);
  const SharedFrame full = gray_frame(AV_PIX_FMT_YUV444P);
  CHECK(chosen({gray}) == Chroma::gray);
  CHECK(chosen({gray, gray}) == Chroma::gray);
  CHECK(chosen({halved}) == Chroma::yuv420);
  CHECK(chosen({gray, halved}) == Chroma::yuv420);
  CHECK(chosen({halved, gray}) == Chroma::yuv420);
  CHECK(chosen({full}) == Chroma::yuv444);
  CHECK(chosen({halved, full, gray}) == Chroma::yuv444);
}

TEST_CASE("RGB sources keep full chroma only where halving it shows", "[source]") {
  const SharedFrame smooth = coloured_frame(false);
  const SharedFrame striped = coloured_frame(true);
  CHECK(chosen({smooth}) == Chroma::yuv420);
  CHECK(chosen({striped}) == Chroma::yuv444);
  CHECK(chosen({smooth, striped}) == Chroma::yuv444);               // the worst decides
  CHECK(chosen({gray_frame(AV_PIX_FMT_RGB24)}) == Chroma::yuv444);  // nothing to measure by
}

// Levels of a flat picture survive JPEG as they are.
TEST_CASE("the ratio of signal to noise is told in decibels", "[movie]") {
  const auto flat = [](std::uint8_t luma) {
    PlanarPicture picture({64, 32}, Chroma::yuv444);
    for (std::size_t plane = 0; plane < 3; ++plane)
      std::fill(picture.planes[plane].samples.begin(), picture.planes[plane].samples.end(),
                plane == 0 ? luma : std::uint8_t{128});
    return picture;
  };
  CHECK(jpeg_psnr_db(flat(128), flat(138), 95) == Approx(10 * std::log10(255 * 255 / 100.0)));
  CHECK(jpeg_psnr_db(flat(128), flat(123), 95) == Approx(10 * std::log10(255 * 255 / 25.0)));
  CHECK(jpeg_psnr_db(flat(128), flat(128), 95) == Approx(10 * std::log10(255 * 255 / 1e-6)));
}
