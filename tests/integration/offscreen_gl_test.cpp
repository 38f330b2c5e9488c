// The GL presenter without a display server: what its shader draws, against the CPU's copy.

#include <catch2/catch.hpp>
#include <cstdlib>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/presenter.hpp"
#include "sync/base/error.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;
using namespace tilewall::present;
using namespace tilewall::wall;

namespace {

/// Whether each of B, G and R differs by 1 at most: the two round products in their own ways.
bool nearly_same_pixels(const ImageView& a, const ImageView& b) {
  if (a.size_px != b.size_px) return false;
  for (int y = 0; y < a.size_px.height; ++y)
    for (int x = 0; x < a.size_px.width; ++x)
      for (std::size_t channel = 0; channel < 3; ++channel)
        if (std::abs(pixel_at(a, {x, y})[channel] - pixel_at(b, {x, y})[channel]) > 1) return false;
  return true;
}

}  // namespace

TEST_CASE("GL and CPU presenters show the same pixels for every rotation and colour match",
          "[present][gl]") {
  for (const Rotation rotation :
       {Rotation::deg0, Rotation::deg90, Rotation::deg180, Rotation::deg270}) {
    for (const ColorMatch& color : {ColorMatch{}, ColorMatch{{1, 0.8, 0.55}, {1, 1.2, 0.45}}}) {
      CAPTURE(static_cast<int>(rotation), color.identity());
      PresenterOptions options;
      options.kind = PresenterKind::gl;
      options.headless = true;
      options.frame_buffer_px = {203, 118};
      options.rotation = rotation;
      options.color = color;
      std::unique_ptr<Presenter> gl;
      try {
        gl = make_presenter(options);
      } catch (const JobError& error) {
        WARN("skipped: " << error.what());
        return;
      }
      CHECK(gl->name() == "gl");
      CHECK(gl->shown().pixels == nullptr);
      options.kind = PresenterKind::cpu;
      const auto cpu = make_presenter(options);
      for (const unsigned seed : {1U, 2U, 3U}) {
        const TestPicture picture =
            random_picture(turned_size_px(options.frame_buffer_px, rotation), seed);
        const TestPicture small = random_picture({31, 17}, seed + 10);
        const Inset inset = seed == 3 ? Inset{small.view(), {190, -3}} : Inset{};  // cut off
        for (Presenter* presenter : {gl.get(), cpu.get()}) {
          presenter->prepare(picture.view(), inset);
          presenter->swap();
        }
        CHECK(same_pixels(gl->shown(), cpu->shown()));
      }
    }
  }
}

TEST_CASE("GL and CPU presenters darken overlapping edges alike, however the panel is turned",
          "[present][gl]") {
  for (const Rotation rotation : {Rotation::deg0, Rotation::deg90, Rotation::deg270}) {
    CAPTURE(static_cast<int>(rotation));
    PresenterOptions options;
    options.kind = PresenterKind::gl;
    options.headless = true;
    options.frame_buffer_px = {203, 118};
    options.rotation = rotation;
    options.color = {{1, 0.8, 0.55}, {1, 1.2, 0.45}};
    const SizePx viewed = turned_size_px(options.frame_buffer_px, rotation);
    const double right = viewed.width;
    options.blend.own = {{0, 0, right, double(viewed.height)}, 0, 40, 0, 0};
    options.blend.others = {{{right - 40, -30, 200, 400}, 40, 0, 0, 0}};
    std::unique_ptr<Presenter> gl;
    try {
      gl = make_presenter(options);
    } catch (const JobError& error) {
      WARN("skipped: " << error.what());
      return;
    }
    options.kind = PresenterKind::cpu;
    const auto cpu = make_presenter(options);
    options.blend = {};
    const auto unblended = make_presenter(options);
    const TestPicture picture = random_picture(viewed, 4);
    for (Presenter* presenter : {gl.get(), cpu.get(), unblended.get()}) {
      presenter->prepare(picture.view());
      presenter->swap();
    }
    CHECK(nearly_same_pixels(gl->shown(), cpu->shown()));
    CHECK_FALSE(nearly_same_pixels(unblended->shown(), cpu->shown()));
  }
}
