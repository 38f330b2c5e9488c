#include "render/demo/demo_scene.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "render/demo/galaxy.hpp"
#include "render/demo/noise.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;
using namespace tilewall::render;

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

// The values were computed from Perlin's formula by another program, in double precision.
TEST_CASE("noise is Perlin's, with sixteen gradients", "[render]") {
  struct Case {
    float x, y, seed_1, seed_9, octaves_3;
  };
  for (const Case& at : {Case{0.25F, 0.5F, 0.579897F, -0.664570F, 0.404276F},
                         {2.75F, 1.25F, -0.242638F, -0.304922F, -0.165069F},
                         {-0.5F, 3.25F, 0.461734F, -0.028731F, 0.081496F},
                         {6.5F, 3.75F, 0.183256F, -0.203731F, 0.153499F},
                         {-7.25F, -4.5F, -0.240508F, -0.028731F, -0.139224F}}) {
    CAPTURE(at.x, at.y);
    const NoisePlace place{at.x, at.y, 7, 4};
    CHECK(gradient_noise(place, 1) == Approx(at.seed_1).margin(1e-5));
    CHECK(gradient_noise(place, 9) == Approx(at.seed_9).margin(1e-5));
    CHECK(fractal_noise(place, 3, 1) == Approx(at.octaves_3).margin(1e-5));
  }
}

TEST_CASE("the galaxy fades towards its rim and is the same after half a turn", "[render]") {
  const Galaxy galaxy(200);
  const auto light = [&](double radius, double angle) {
    const Float4 texel = galaxy.at(static_cast<float>(radius * std::cos(angle)),
                                   static_cast<float>(radius * std::sin(angle)));
    return texel[0] + texel[1] + texel[2];
  };
  double brightest = 0;
  for (int i = 0; i < 64; ++i) {
    const double angle = i * 0.098174770424681;  // 1 / 64 of a turn
    CHECK(light(0.95, angle) < 0.01);
    CHECK(light(0.4, angle) == Approx(light(0.4, angle + 3.14159265358979)).margin(0.02));
    brightest = std::max<double>(brightest, light(0.4, angle));
  }
  CHECK(brightest > 0.2);
  CHECK(light(0.02, 1) > 0.5);
  CHECK(light(1.2, 1) == 0);
}
