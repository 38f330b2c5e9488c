// A panel's warp: every mark of the test card lands where the wall's geometry puts it, and both
// versions of the inner loop write the same bytes.

#include "player/panel/panel_warp.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "render/pattern.hpp"
#include "tests/support/card_marks.hpp"
#include "tests/support/picture.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::render;
using namespace tilewall::wall;

namespace {

TestPicture card_part(SizePx canvas_px, const RectF& part_px, SizePx drawn_px) {
  PatternInfo info;
  info.canvas_px = canvas_px;
  info.panel_on_canvas_px = part_px;
  TestPicture picture(drawn_px);
  paint_card(info, picture.view());
  return picture;
}

/// Four screens of 400x300 on an arc, 25 degrees each: two are seen at 12.5 degrees, two at 37.5.
const char* const arc =
    "columns = 4\nrows = 1\n[panels]\nsize_px = [400, 300]\nsize_mm = [400, 300]\n"
    "[arc]\nincrement_deg = 25\n";

}  // namespace

TEST_CASE("marks on the screens of an arc lie where the eye point puts them", "[panel]") {
  for (const std::string eye : {"", "eye_mm = [120, -60, 700]\n"}) {
    const Wall wall = wall_of(arc + eye);
    const Canvas canvas(wall, BezelMode::hide, ContentMode::eye);
    for (std::size_t i = 0; i < wall.panels.size(); ++i) {
      CAPTURE(eye, i);
      const SizePx viewed = wall.panels[i].viewed_size_px();
      REQUIRE_FALSE(canvas.panel_map(i).is_upright(viewed));
      const PanelWarp warp(canvas.panel_map(i), viewed, canvas.size_px());
      const TestPicture drawn =
          card_part(canvas.size_px(), warp.canvas_part_px(), warp.drawn_size_px());
      const TestPicture picture(viewed);
      warp.run(drawn.view(), picture.view());
      CHECK(picture.padding_untouched());
      const MarksFound found = find_marks(picture.view(), canvas.panel_map(i), canvas.size_px());
      CAPTURE(found.wrong);
      CHECK(found.wrong.empty());
      CHECK(found.marks >= 4);
      CHECK(found.worst_px < 0.5);
    }
  }
}

TEST_CASE("a warp that moves nothing gives the picture as it is", "[panel]") {
  const PanelMap map = PanelMap::onto({40, 30, 64, 48}, {64, 48});
  const PanelWarp warp(map, {64, 48}, {200, 100});
  CHECK(warp.canvas_part_px() == RectF{39, 29, 66, 50});
  CHECK(warp.drawn_size_px() == SizePx{66, 50});
  const TestPicture drawn = random_picture({66, 50}, 3);
  const TestPicture picture({64, 48});
  warp.run(drawn.view(), picture.view());
  const ImageView inner = {drawn.view().pixel(1, 1), {64, 48}, drawn.view().stride_bytes};
  CHECK(same_pixels(picture.view(), inner));
}

TEST_CASE("what is drawn has the pixels of the canvas where these are about a panel's", "[panel]") {
  // A pixel more of the canvas is drawn at each side.
  const auto drawn = [](double width, double height, SizePx viewed) {
    const PanelMap map = PanelMap::onto({10, 10, width, height}, viewed);
    return PanelWarp(map, viewed, {1000, 1000}).drawn_size_px();
  };
  CHECK(drawn(90, 45, {100, 50}) == SizePx{92, 47});     // 0.9 canvas pixels to one of the panel
  CHECK(drawn(120, 60, {100, 50}) == SizePx{122, 62});   // 1.2
  CHECK(drawn(50, 25, {100, 50}) == SizePx{104, 54});    // 0.5: enlarged
  CHECK(drawn(200, 100, {100, 50}) == SizePx{101, 51});  // 2: reduced
  CHECK(drawn(40, 20, {400, 200}) == SizePx{168, 88});   // 0.1: four times as large at most
}

TEST_CASE("what is drawn for a panel is bounded, however much of the canvas it shows", "[panel]") {
  const SizePx viewed = {300, 200};
  const PanelMap huge = PanelMap::onto({0, 0, 90000, 60000}, viewed);
  const SizePx few = PanelWarp(huge, viewed, {90000, 60000}).drawn_size_px();
  CHECK(few.width == Approx(300).margin(2));
  CHECK(few.height == Approx(200).margin(2));
  // Steep: at its far end a pixel covers a hundred times as much as at its near end.
  const PanelMap steep({1, 0, 0, 0, 1, 0, -0.0033, 0, 1});
  const SizePx many = PanelWarp(steep, viewed, {40000, 30000}).drawn_size_px();
  CHECK(many.width * many.height <= 4 * 300 * 200 + 10000);
}

TEST_CASE("all versions of the warp's inner loop write the same bytes", "[panel]") {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2")) {
    WARN("skipped: this processor has no AVX2");
    return;
  }
  std::mt19937 random(2);  // NOLINT: the same rows every time
  std::uniform_real_distribution<float> place(-2000, 16000);
  std::uniform_real_distribution<float> step(-300, 300);
  const TestPicture from = random_picture({97, 61}, 5);
  for (int length = 0; length <= 130; ++length) {
    const WarpRow row = {place(random), place(random), 1, step(random), step(random), 0.004F};
    TestPicture scalar({length + 1, 1});
    TestPicture avx2({length + 1, 1});
    warp_row_scalar(row, from.view(), scalar.view().pixels, length);
    warp_row_avx2(row, from.view(), avx2.view().pixels, length);
    CAPTURE(length);
    // One pixel more than was asked for: it must be as it was.
    CHECK(std::memcmp(scalar.view().pixels, avx2.view().pixels,
                      4 * (static_cast<std::size_t>(length) + 1)) == 0);
    CHECK(avx2.padding_untouched());
  }
#else
  WARN("skipped: only x86 has more than one version");
#endif
}
