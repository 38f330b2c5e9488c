#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/presenter.hpp"
#include "sync/base/error.hpp"
#include "tests/support/picture.hpp"

using namespace tilewall;
using namespace tilewall::present;
using namespace tilewall::wall;

namespace {

constexpr Rotation all_rotations[] = {Rotation::deg0, Rotation::deg90, Rotation::deg180,
                                      Rotation::deg270};
constexpr ColorMatch warm = {{1.0, 0.8, 0.55}, {1.0, 1.2, 0.45}};

/// What frame buffer pixel `at` must be: the formula, one pixel at a time.
Bgrx expected_pixel(const ImageView& picture, PointPx at, SizePx frame_buffer_px, Rotation rotation,
                    const ColorMatch& color) {
  const PointPx from = viewed_place(at, frame_buffer_px, rotation);
  const Bgrx in = pixel_at(picture, from);
  const auto match = [&](std::uint8_t value, std::size_t channel) {
    const double out = color.gain[channel] * std::pow(value / 255.0, color.gamma[channel]);
    return static_cast<std::uint8_t>(std::floor(255.0 * std::min(out, 1.0) + 0.5));
  };
  return {match(in[0], 2), match(in[1], 1), match(in[2], 0), in[3]};
}

int wrong_pixels(const ImageView& shown, const ImageView& picture, Rotation rotation,
                 const ColorMatch& color) {
  int wrong = 0;
  for (int y = 0; y < shown.size_px.height; ++y)
    for (int x = 0; x < shown.size_px.width; ++x)
      wrong += pixel_at(shown, {x, y}) !=
               expected_pixel(picture, {x, y}, shown.size_px, rotation, color);
  return wrong;
}

}  // namespace

TEST_CASE("every rotation and colour match copies each pixel as the formula says", "[present]") {
  for (const SizePx size : {SizePx{1, 1}, {1, 37}, {37, 1}, {16, 16}, {33, 47}, {130, 19}}) {
    for (const Rotation rotation : all_rotations) {
      for (const ColorMatch& color : {ColorMatch{}, warm}) {
        CAPTURE(size.width, size.height, static_cast<int>(rotation), color.identity());
        const TestPicture picture = random_picture(turned_size_px(size, rotation), 7);
        TestPicture frame_buffer(size);
        const auto tables = color_tables_for(color);
        copy_picture(picture.view(), rotation, tables ? &*tables : nullptr, frame_buffer.view());
        CHECK(wrong_pixels(frame_buffer.view(), picture.view(), rotation, color) == 0);
        CHECK(frame_buffer.padding_untouched());
      }
    }
  }
}

TEST_CASE("a panel turned clockwise shows the picture's upper left corner where the viewer's is",
          "[present]") {
  // Turned by 90 degrees clockwise, the frame buffer's lower left corner is up left for the viewer.
  CHECK(viewed_place({0, 9}, {20, 10}, Rotation::deg90) == PointPx{0, 0});
  CHECK(viewed_place({19, 9}, {20, 10}, Rotation::deg180) == PointPx{0, 0});
  CHECK(viewed_place({19, 0}, {20, 10}, Rotation::deg270) == PointPx{0, 0});
}

TEST_CASE("a colour match that changes nothing has no tables", "[present]") {
  CHECK_FALSE(color_tables_for(ColorMatch{}));
  const ColorTables tables{ColorMatch{}};
  for (const std::uint32_t pixel : {0U, 0xff102030U, 0xffffffffU, 0x01fe7f80U})
    CHECK(tables.matched(pixel) == pixel);
}

TEST_CASE("the headless CPU presenter shows a picture from its swap until the next swap",
          "[present]") {
  PresenterOptions options;
  options.headless = true;
  options.frame_buffer_px = {40, 30};
  options.rotation = Rotation::deg90;
  options.color = warm;
  const auto presenter = make_presenter(options);
  CHECK(presenter->name() == "cpu");
  CHECK(presenter->shown().pixels == nullptr);
  const TestPicture first = random_picture({30, 40}, 1);
  const TestPicture second = random_picture({30, 40}, 2);
  presenter->prepare(first.view());
  CHECK(presenter->shown().pixels == nullptr);
  const LocalInstant before = local_now();
  const LocalInstant stamp = presenter->swap();
  CHECK(stamp >= before);
  CHECK(stamp <= local_now());
  CHECK(presenter->shown().size_px == SizePx{40, 30});
  presenter->prepare(second.view());
  CHECK(wrong_pixels(presenter->shown(), first.view(), options.rotation, warm) == 0);
  presenter->swap();
  CHECK(wrong_pixels(presenter->shown(), second.view(), options.rotation, warm) == 0);
  CHECK(presenter->poll_input().empty());
}

TEST_CASE("an inset is laid over the picture, however the panel is turned", "[present]") {
  const TestPicture inset = random_picture({11, 7}, 9);
  for (const Rotation rotation :
       {Rotation::deg0, Rotation::deg90, Rotation::deg180, Rotation::deg270}) {
    PresenterOptions options;
    options.headless = true;
    options.frame_buffer_px = {40, 30};
    options.rotation = rotation;
    options.color = warm;
    const auto presenter = make_presenter(options);
    const SizePx viewed = turned_size_px(options.frame_buffer_px, rotation);
    // Inside, and over each corner: what lies outside is cut off.
    for (const PointPx at : {PointPx{5, 3},
                             {-4, -2},
                             {viewed.width - 5, viewed.height - 3},
                             {-4, viewed.height - 3},
                             {viewed.width - 5, -2},
                             {100, 100}}) {
      CAPTURE(static_cast<int>(rotation), at.x, at.y);
      const TestPicture picture = random_picture(viewed, 1);
      presenter->prepare(picture.view(), {inset.view(), at});
      presenter->swap();
      for (int y = std::max(at.y, 0); y < std::min(at.y + 7, viewed.height); ++y)
        for (int x = std::max(at.x, 0); x < std::min(at.x + 11, viewed.width); ++x)
          std::memcpy(picture.view().pixel(x, y), inset.view().pixel(x - at.x, y - at.y), 4);
      CHECK(wrong_pixels(presenter->shown(), picture.view(), rotation, warm) == 0);
    }
  }
}

TEST_CASE("presenters are chosen by their whole names", "[present]") {
  CHECK(parse_presenter_kind("auto") == PresenterKind::automatic);
  CHECK(parse_presenter_kind("gl") == PresenterKind::gl);
  CHECK(parse_presenter_kind("cpu") == PresenterKind::cpu);
  CHECK(parse_presenter_kind("null") == PresenterKind::null);
  for (const char* other : {"", "g", "glx", "cpu ", "GL", "nul"}) {
    CAPTURE(other);
    CHECK_FALSE(parse_presenter_kind(other));
  }
}

TEST_CASE("OpenGL draws by itself where a GPU does, and in a window", "[present]") {
  PresenterOptions options;
  const auto kind_with = [&](bool usable, bool hardware) {
    options.gl = GlProbe{usable, hardware, "a renderer"};
    return presenter_kind(options);
  };
  CHECK(kind_with(true, true) == PresenterKind::gl);
  CHECK(kind_with(true, false) == PresenterKind::cpu);
  CHECK(kind_with(false, true) == PresenterKind::cpu);
  CHECK(kind_with(false, false) == PresenterKind::cpu);
  options.headless = true;
  CHECK(kind_with(true, true) == PresenterKind::cpu);
  for (const PresenterKind kind : {PresenterKind::gl, PresenterKind::cpu, PresenterKind::null}) {
    options.kind = kind;
    CHECK(kind_with(false, false) == kind);
    CHECK(kind_with(true, true) == kind);
  }
}

TEST_CASE("a picture of another size than the panel's is our own bug, and said", "[present]") {
  PresenterOptions options;
  options.headless = true;
  options.frame_buffer_px = {40, 30};
  const auto presenter = make_presenter(options);
  CHECK_THROWS_AS(presenter->prepare(random_picture({30, 40}, 1).view()), InternalError);
}

TEST_CASE("the null presenter shows the caller's own picture, unturned", "[present]") {
  PresenterOptions options;
  options.kind = PresenterKind::null;
  options.frame_buffer_px = {40, 30};
  options.rotation = Rotation::deg270;
  const auto presenter = make_presenter(options);
  CHECK(presenter->name() == "null");
  const TestPicture picture = random_picture({30, 40}, 1);
  presenter->prepare(picture.view());
  presenter->swap();
  CHECK(presenter->shown().pixels == picture.view().pixels);
  CHECK(presenter->shown().size_px == SizePx{30, 40});
}
