// Ticks of colour bars and boxes, and annotations of a wall with frames: readable on any ground,
// within panels, and the same for every part.

#include "player/volume/caster/annotations.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "player/volume/caster/axis_ticks.hpp"
#include "player/volume/caster/picture_maker.hpp"
#include "render/paint.hpp"
#include "tests/support/ball_camera.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::volume;

namespace {

std::vector<std::string> texts(const AxisTicks& ticks) {
  std::vector<std::string> all;
  for (const AxisTick& tick : ticks.ticks) all.push_back(tick.text);
  return all;
}
using Texts = std::vector<std::string>;

const ValueCurve log_curve{CurveKind::log};

/// Two by two panels of 300 x 200 pixels with frames 20 pixels wide between them.
constexpr SizePx wall_px{620, 420};
constexpr RectPx panels_px[] = {
    {0, 0, 300, 200}, {320, 0, 300, 200}, {0, 220, 300, 200}, {320, 220, 300, 200}};

struct Drawing {
  Drawing() {
    for (const RectPx& panel : panels_px)
      style.screens.emplace(style.screens.value_or(scene::RegionScreens{420, {}}))
          .panels.push_back(
              {panel.x / 620.0, panel.y / 420.0, panel.width / 620.0, panel.height / 420.0});
    style.annotations.colour_bar = style.annotations.label = style.annotations.scale_bar = true;
    style.annotations.letter_mm = 10;
    style.annotations.date = "2011-11-14";
  }
  /// The annotations over a picture of one colour.
  [[nodiscard]] TestPicture over(Rgb ground, RectPx part = {0, 0, 620, 420}) {
    const auto share = [](std::uint8_t level) { return static_cast<float>(level) / 255; };
    style.background = {share(ground.red), share(ground.green), share(ground.blue), 1};
    TestPicture picture({part.width, part.height});
    fill(picture.view(), ground);
    CastView view{camera_around({0, 0, 0}, distance, azimuth, elevation), wall_px, {}};
    annotate(picture.view(), part, view,
             {style, function, {1, 1e4F}, words, whole, "density  7 of 12"});
    return picture;
  }

  VolumeWhole whole{{65, 65, 65}, {{1, 1, 1}, {-32, -32, -32}}, {1, 1e4F}, {}, 1, {}, {1, 1, 1}};
  double distance = 150;
  double azimuth = 0.6;
  double elevation = 0.4;
  scene::VolumeStyle style;
  TransferFunction function{{{1, {0, 0, 1, 1}}, {1e4, {1, 1, 0, 1}}}, 1, log_curve};
  TimestepWords words{"a.h5", "density", "g/cm^3", "density", "kpc"};
};

bool differs(const TestPicture& picture, int x, int y, Rgb ground) {
  return pixel_at(picture.view(), {x, y}) != Bgrx{ground.blue, ground.green, ground.red, 255};
}

int ink_in(const TestPicture& picture, const RectPx& rect, Rgb ground) {
  int count = 0;
  for (int y = rect.y; y < rect.bottom(); ++y)
    for (int x = rect.x; x < rect.right(); ++x) count += differs(picture, x, y, ground) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("ticks of a linear bar are round and lie within the range", "[view]") {
  CHECK(texts(bar_ticks({}, 0, 100, 6)) == Texts{"0", "20", "40", "60", "80", "100"});
  CHECK(texts(bar_ticks({}, -3.2, 7.9, 6)) == Texts{"−2", "0", "2", "4", "6"});
  CHECK(texts(bar_ticks({}, 0.013, 0.049, 4)) == Texts{"0.02", "0.03", "0.04"});
  // With room for two, there are two at least: one tells no scale.
  CHECK(texts(bar_ticks({}, 0.0003, 0.96, 2.4)) == Texts{"0.2", "0.4", "0.6", "0.8"});
  CHECK(texts(bar_ticks({}, 0.0003, 0.96, 1)).size() <= 1);
  const AxisTicks small = bar_ticks({}, 0, 3.2e-5, 4);
  CHECK(small.factor == "10⁻⁵");
  CHECK(texts(small) == Texts{"0", "1", "2", "3"});
  CHECK(small.ticks[2].value == Approx(2e-5));
  const AxisTicks large = bar_ticks({}, 1e6, 5e6, 5);
  CHECK(large.factor == "10⁶");
  CHECK(texts(large) == Texts{"1", "2", "3", "4", "5"});
  CHECK(texts(bar_ticks({}, 7, 7, 5)) == Texts{"7"});
  for (const double least : {-1e9, -1.0, 0.0, 3.3e-7, 12345.6})
    for (const double width : {1e-7, 0.77, 5e3, 1e12}) {
      const AxisTicks ticks = bar_ticks({}, least, least + width, 6);
      CAPTURE(least, width, ticks.ticks.size());
      CHECK(ticks.ticks.size() <= 8);
      for (const AxisTick& tick : ticks.ticks) {
        CHECK(tick.value >= least);
        CHECK(tick.value <= least + width);
      }
    }
}

TEST_CASE("a logarithm's ticks are decades, at equal steps of the bar", "[view]") {
  const AxisTicks decades = bar_ticks(log_curve, 0.5, 2e3, 8);
  CHECK(texts(decades) == Texts{"1", "10", "100", "1000"});
  CHECK(decades.ticks[3].value == 1000);
  CHECK(texts(bar_ticks(log_curve, 1e-6, 1e-3, 8)) == Texts{"10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³"});
  CHECK(texts(bar_ticks(log_curve, 1, 1e12, 5)) == Texts{"10⁰", "10³", "10⁶", "10⁹", "10¹²"});
  CHECK(texts(bar_ticks(log_curve, 2, 9, 4)) ==
        Texts{"2", "4", "8"});  // within a decade: 6 is close to 8
  const ValueCurve symlog{CurveKind::symlog, 1};
  CHECK(texts(bar_ticks(symlog, -500, 500, 9)) == Texts{"−100", "−10", "0", "10", "100"});
  const AxisTicks root = bar_ticks({CurveKind::sqrt}, 0, 100, 6);
  CHECK(root.ticks.back().value == 100);
  for (std::size_t i = 1; i < root.ticks.size(); ++i)
    CHECK(std::sqrt(root.ticks[i].value) - std::sqrt(root.ticks[i - 1].value) > 0.8);
}

TEST_CASE("units are written with superscripts", "[view]") {
  CHECK(unit_text("kg m-3") == "kg m⁻³");
  CHECK(unit_text("g/cm^3") == "g/cm³");
  CHECK(unit_text("m s**-1") == "m s⁻¹");
  CHECK(unit_text("m2") == "m²");
  CHECK(unit_text("1") == "1");
  CHECK(unit_text("H2O") == "H2O");
  CHECK(unit_text("10-3") == "10-3");
  CHECK(bracketed("10⁵", "K") == "[10⁵ K]");
  CHECK(bracketed("", "").empty());
}

TEST_CASE("a caption lies within the panel at its place, unless it may cross frames", "[view]") {
  Drawing drawing;
  scene::AnnotationSwitches& shown = drawing.style.annotations;
  shown = {};
  shown.letter_mm = 10;
  CHECK(ink_in(drawing.over(black), {0, 0, 620, 420}, black) == 0);
  shown.caption = "The first stars light up, and galaxies begin to form in the densest knots";
  const auto ink = [&](const RectPx& rect) { return ink_in(drawing.over(black), rect, black); };
  const RectPx frames[] = {{300, 0, 20, 420}, {0, 200, 620, 20}};
  // At the lower edge, in the panel that is nearest to the middle.
  CHECK(ink(panels_px[2]) > 500);
  CHECK(ink({0, 0, 620, 300}) == 0);
  shown.caption_at = {0.9, 0.1};
  CHECK(ink(panels_px[1]) > 500);
  CHECK(ink(panels_px[0]) + ink(panels_px[2]) + ink(panels_px[3]) == 0);
  for (const RectPx& frame : frames) CHECK(ink(frame) == 0);
  shown.caption_at = {0.5, 0.5, false, true};
  for (const RectPx& frame : frames) CHECK(ink(frame) > 50);
  // 420 mm are 420 pixels here.
  shown.caption_at = {150, 400, true};
  CHECK(ink(panels_px[2]) > 500);
  CHECK(ink(panels_px[2]) == ink({0, 0, 620, 420}));
  drawing.style.screens->height_mm = 0;
  CHECK(ink({0, 0, 620, 420}) == 0);
  // Parts of the picture have the same pixels.
  drawing.style.screens->height_mm = 420;
  const TestPicture whole = drawing.over(black);
  const TestPicture part = drawing.over(black, panels_px[2]);
  int different = 0;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 300; ++x)
      different += pixel_at(part.view(), {x, y}) != pixel_at(whole.view(), {x, y + 220}) ? 1 : 0;
  CHECK(different == 0);
}

TEST_CASE("a caption lies above what is drawn at its place, and is cut after some lines",
          "[view]") {
  Drawing drawing;
  scene::AnnotationSwitches& shown = drawing.style.annotations;
  shown = {};
  shown.scale_bar = true;
  shown.letter_mm = 10;
  const TestPicture bar = drawing.over(black);
  shown.caption = "Near";
  shown.caption_at = {0.1, 1};
  const TestPicture both = drawing.over(black);
  int covered = 0;
  for (int y = 0; y < 420; ++y)
    for (int x = 0; x < 620; ++x)
      if (differs(bar, x, y, black) &&
          pixel_at(bar.view(), {x, y}) != pixel_at(both.view(), {x, y}))
        ++covered;
  CHECK(covered == 0);
  shown.scale_bar = false;
  shown.caption = std::string(1000, 'W');
  CHECK(ink_in(drawing.over(black), {0, 0, 620, 420}, black) <= 300 * 200);
  CHECK(ink_in(drawing.over(black), {300, 0, 20, 420}, black) == 0);
}

TEST_CASE("texts keep clear of the frames between panels", "[view]") {
  Drawing drawing;
  const TestPicture picture = drawing.over(black);
  CHECK(ink_in(picture, {300, 0, 20, 420}, black) == 0);
  CHECK(ink_in(picture, {0, 200, 620, 20}, black) == 0);
  CHECK(ink_in(picture, panels_px[0], black) > 300);   // title and date
  CHECK(ink_in(picture, panels_px[1], black) > 3000);  // bar
  CHECK(ink_in(picture, panels_px[2], black) > 300);   // scale bar
  // The box has lines across frames; its numbers and names add ink, and none of it there.
  drawing.style.annotations = {};
  drawing.style.annotations.letter_mm = 10;
  drawing.style.annotations.box = true;
  const TestPicture box = drawing.over(black);
  CHECK(ink_in(box, {300, 0, 20, 420}, black) < 20 * 12 * 6);
  CHECK(ink_in(box, {0, 0, 620, 420}, black) > 3000);
}

TEST_CASE("numbers of the box are the file's coordinates, however its axes lie", "[view]") {
  Drawing drawing;
  drawing.style.annotations = {};
  drawing.style.annotations.box = true;
  drawing.distance = 70;  // near enough for numbers beside 0
  const TestPicture plain = drawing.over(black);
  // The same box of a file whose x falls, and whose depths grow downwards.
  drawing.whole.place.axes = {Vec3d{-1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, -1}};
  drawing.whole.place.origin = {32, -32, 32};
  constexpr RectPx of_x{188, 318, 26, 12};  // its -20
  constexpr RectPx of_z{146, 262, 7, 20};   // the minus of its -20
  const auto changed = [&](const RectPx& rect) {
    const TestPicture now = drawing.over(black);
    int count = 0;
    for (int y = rect.y; y < rect.bottom(); ++y)
      for (int x = rect.x; x < rect.right(); ++x)
        count += pixel_at(now.view(), {x, y}) != pixel_at(plain.view(), {x, y}) ? 1 : 0;
    return count;
  };
  CHECK(changed(of_x) == 0);
  CHECK(changed(of_z) == 0);
  drawing.words.axis_scales[0].factor = drawing.words.axis_scales[2].factor = -1;
  CHECK(changed(of_x) > 20);
  CHECK(changed(of_z) > 3);
  // Without a proportion there are no numbers.
  drawing.words.axis_scales[0].factor = drawing.words.axis_scales[1].factor =
      drawing.words.axis_scales[2].factor = 0;
  const RectPx all{0, 0, wall_px.width, wall_px.height};
  CHECK(ink_in(drawing.over(black), all, black) < ink_in(plain, all, black));
}

TEST_CASE("a number on a frame stands beside it", "[view]") {
  Drawing drawing;
  drawing.style.annotations = {};
  drawing.style.annotations.box = true;
  drawing.style.annotations.letter_mm = 10;
  drawing.azimuth = drawing.elevation = 0;
  const TestPicture numbers = drawing.over(black);
  for (AxisScale& scale : drawing.words.axis_scales) scale.factor = 0;
  const TestPicture none = drawing.over(black);
  int changed = 0;
  for (int y = 0; y < wall_px.height; ++y)
    for (int x = 278; x < 342; ++x)
      changed += pixel_at(numbers.view(), {x, y}) != pixel_at(none.view(), {x, y}) ? 1 : 0;
  CHECK(changed > 20);  // 0, in the middle of the picture
  CHECK(ink_in(numbers, {300, 0, 20, 420}, black) < 20 * 12 * 6);
}

TEST_CASE("the name of a quantity is shown to its end", "[view]") {
  Drawing drawing;
  drawing.style.annotations = {};
  drawing.style.annotations.colour_bar = true;
  drawing.style.annotations.letter_mm = 10;
  drawing.words.quantity = "air_pressure_at_sea_level";
  const TestPicture level = drawing.over(black);
  drawing.words.quantity = "air_pressure_at_sea_layer";
  CHECK_FALSE(same_pixels(drawing.over(black).view(), level.view()));
  CHECK(ink_in(level, {0, 0, 320, 420}, black) == 0);  // within its panel
}

TEST_CASE("a long title is broken into lines, and keeps its end", "[view]") {
  Drawing drawing;
  drawing.style.annotations = {};
  drawing.style.annotations.label = true;
  drawing.style.annotations.letter_mm = 10;
  drawing.style.annotations.title = "temperature of the upper ocean  step 12 of 12";
  const TestPicture longer = drawing.over(black);
  drawing.style.annotations.title = "temperature of the upper ocean  step 12 of 17";
  CHECK_FALSE(same_pixels(drawing.over(black).view(), longer.view()));
  CHECK(ink_in(longer, {300, 0, 20, 200}, black) == 0);
}

TEST_CASE("annotations have contrast on black, on white and on gray", "[view]") {
  Drawing drawing;
  drawing.style.annotations.colour_bar = drawing.style.annotations.scale_bar = false;
  for (const Rgb ground : {black, white, Rgb{120, 120, 120}, Rgb{150, 150, 150}}) {
    const TestPicture picture = drawing.over(ground);
    int darkest = 255;
    int brightest = 0;
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 300; ++x) {
        darkest = std::min(darkest, int{pixel_at(picture.view(), {x, y})[1]});
        brightest = std::max(brightest, int{pixel_at(picture.view(), {x, y})[1]});
      }
    CAPTURE(ground.red);
    CHECK(brightest - darkest > 200);
  }
}

TEST_CASE("every part of a picture has its part of the same annotations", "[view]") {
  Drawing drawing;
  drawing.style.annotations.box = drawing.style.annotations.axes = true;
  const TestPicture whole = drawing.over(black);
  for (const RectPx& part : {RectPx{0, 0, 300, 200}, {320, 0, 300, 200}, {137, 61, 222, 301}}) {
    const TestPicture picture = drawing.over(black, part);
    const ImageView cut{
        whole.view().pixel(part.x, part.y), {part.width, part.height}, whole.view().stride_bytes};
    CAPTURE(part.x, part.y);
    CHECK(same_pixels(picture.view(), cut));
  }
}

TEST_CASE("a symmetric logarithm's ticks begin with the first decade beyond its threshold",
          "[view]") {
  CHECK(texts(bar_ticks({CurveKind::symlog, 2}, -500, 500, 9)) ==
        Texts{"−100", "−10", "0", "10", "100"});
  CHECK(texts(bar_ticks({CurveKind::symlog, 11}, -500, 500, 9)) == Texts{"−100", "0", "100"});
  CHECK(texts(bar_ticks({CurveKind::symlog, 1}, 0, 1000, 9)) ==
        Texts{"0", "1", "10", "100", "1000"});
}
