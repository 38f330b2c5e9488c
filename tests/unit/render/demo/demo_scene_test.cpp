#include "render/demo/demo_scene.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "render/demo/noise.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;

namespace {

const DemoScene& scene() {
  static const DemoScene made;
  return made;
}

TestPicture scene_at(double phase, SizePx size) {
  TestPicture picture(size);
  scene().paint_rows(phase, picture.view(), 0, size.height);
  return picture;
}

struct Difference {
  int worst = 0;
  double mean = 0;
};

Difference difference(const ImageView& a, const ImageView& b) {
  Difference out;
  for (int y = 0; y < a.size_px.height; ++y) {
    for (int i = 0; i < a.size_px.width * 4; ++i) {
      const int step = std::abs(a.row(y)[i] - b.row(y)[i]);
      out.worst = std::max(out.worst, step);
      out.mean += step;
    }
  }
  out.mean /= a.size_px.width * a.size_px.height * 4.0;
  return out;
}

}  // namespace

TEST_CASE("the demo's end is its beginning, and in between it moves", "[render]") {
  const SizePx size = {320, 120};
  const TestPicture first = scene_at(0, size);
  const Difference seam = difference(first.view(), scene_at(1, size).view());
  CHECK(seam.worst <= 3);
  CHECK(seam.mean < 0.05);
  const Difference step = difference(first.view(), scene_at(1.0 / 240, size).view());
  CHECK(step.mean > 0.1);
  CHECK(step.mean < 6);
  CHECK(difference(first.view(), scene_at(0.5, size).view()).mean > 4);
}

TEST_CASE("rows of the demo painted apart are those of the whole picture", "[render]") {
  const SizePx size = {200, 93};
  const TestPicture whole = scene_at(0.3, size);
  TestPicture parts(size);
  for (int y = 0; y < size.height; y += 31) scene().paint_rows(0.3, parts.view(), y, y + 31);
  CHECK(same_pixels(whole.view(), parts.view()));
  CHECK(parts.padding_untouched());
}

TEST_CASE("the demo paints every pixel at any size", "[render]") {
  for (const SizePx size : {SizePx{1, 1}, {3, 200}, {200, 3}, {64, 64}}) {
    CAPTURE(size.width, size.height);
    const TestPicture picture = scene_at(0.7, size);
    paint_demo_caption("00:07.000  168", picture.view());
    CHECK(picture.padding_untouched());
    CHECK(picture.all_painted());
  }
}

TEST_CASE("noise repeats where it says so, without a seam", "[render]") {
  for (const float x : {0.0F, 0.37F, 3.99F, -2.25F}) {
    for (const float y : {0.5F, 1.01F, 2.999F}) {
      CAPTURE(x, y);
      const float here = fractal_noise({x, y, 7, 4}, 5, 1);
      CHECK(here == Approx(fractal_noise({x + 7, y, 7, 4}, 5, 1)).margin(1e-3));
      CHECK(here == Approx(fractal_noise({x, y - 4, 7, 4}, 5, 1)).margin(1e-3));
      CHECK(std::abs(here) <= 1);
    }
  }
  CHECK(fractal_noise({0.3F, 0.3F, 7, 4}, 5, 1) != fractal_noise({0.3F, 0.3F, 7, 4}, 5, 2));
}
