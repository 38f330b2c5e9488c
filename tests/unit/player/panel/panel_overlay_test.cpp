// The box of figures over a panel's picture.

#include "player/panel/panel_overlay.hpp"

#include <catch2/catch.hpp>
#include <cstring>

using namespace tilewall::panel;
using namespace tilewall::present;
using namespace tilewall::wall;
using namespace tilewall;

namespace {

LocalInstant local_ms(std::int64_t ms) { return {Nanos(ms * 1'000'000)}; }

constexpr int rows_per_line = 12;
constexpr int first_row = 3;

/// Whether a line of a box at scale 1 shows a text: as the same text alone in a box of its own.
bool shows(const Inset& box, int line, const std::string& text) {
  TextBox expected((box.image.size_px.width - 6) / 6, 1, 1);
  expected.set_line(0, text);
  const ImageView one = expected.image();
  if (one.size_px.width != box.image.size_px.width) return false;
  for (int y = 0; y < rows_per_line; ++y)
    if (std::memcmp(one.row(first_row + y), box.image.row(first_row + line * rows_per_line + y),
                    std::size_t{4} * static_cast<std::size_t>(one.size_px.width)) != 0)
      return false;
  return true;
}

/// Number of bright pixels in a line of a box at scale 1.
int ink(const Inset& box, int line) {
  int bright = 0;
  for (int y = 0; y < rows_per_line; ++y)
    for (int x = 0; x < box.image.size_px.width; ++x)
      bright += box.image.pixel(x, first_row + line * rows_per_line + y)[1] > 128 ? 1 : 0;
  return bright;
}

PanelOverlay::Figures figures(std::int64_t frame) {
  return {frame, 3, 8, 1, "locked 1.2 us", "1 of 4 ticks: decode c0r1"};
}

}  // namespace

TEST_CASE("the overlay tells name, frame, rate, buffers, skew, late frames, level and clock",
          "[panel]") {
  PanelOverlay overlay("c3r1", {256, 160});
  for (int i = 0; i < 50; ++i)
    overlay.add_swap(local_ms(i * 40), Nanos(i == 20 ? -123'456 : 1000), i == 7);
  overlay.add_dropped();
  const Inset box = overlay.paint(figures(1234), local_ms(2000));
  CHECK(shows(box, 0, "c3r1           frame 1234"));
  CHECK(shows(box, 1, "25.00 fps  buffers 3/8"));
  CHECK(shows(box, 2, "skew -0.123 ms  late 2"));
  CHECK(shows(box, 3, "level 1  locked 1.2 us"));
  CHECK(shows(box, 4, "1 of 4 ticks: decode c0r1"));
  CHECK_FALSE(shows(box, 4, "1 of 4 ticks: decode c0r2"));
  for (int line = 0; line < 5; ++line) CHECK(ink(box, line) > 60);
  CHECK(box.at_px.x + box.image.size_px.width <= 256);
  CHECK(box.at_px.y + box.image.size_px.height <= 160);
}

TEST_CASE("a hint has a box of its own, or the line below the figures", "[panel]") {
  PanelOverlay overlay("c3r1", {128, 80});
  CHECK(shows(overlay.paint(figures(9), local_ms(0), "range 100-300"), 5, "range 100-300"));
  CHECK(shows(overlay.paint(figures(9), local_ms(0), "speed 2x"), 5, "speed 2x"));
  CHECK(overlay.paint(figures(9), local_ms(0)).image.size_px.height == 5 * 12 + 6);
  const Inset small = overlay.paint_hint("item 3 of 5: \xc3\x84rger");
  CHECK(small.image.size_px.height == 12 + 6);
  CHECK(shows(small, 0, "item 3 of 5: \xc3\x84rger"));
  CHECK_FALSE(shows(small, 0, "item 3 of 5: Arger"));
  const Inset large = overlay.paint_hint("speed 2x");
  CHECK(large.image.size_px.height == 2 * (12 + 6));
  const Inset cut = overlay.paint_hint(std::string(100, 'x'));
  CHECK(cut.at_px.x + cut.image.size_px.width <= 128);
}

TEST_CASE("the frame number follows every frame, the rest four times a second", "[panel]") {
  PanelOverlay overlay("c3r1", {256, 160});
  static_cast<void>(overlay.paint(figures(9), local_ms(0)));
  PanelOverlay::Figures changed = figures(10);
  changed.level = 2;
  CHECK(shows(overlay.paint(changed, local_ms(100)), 0, "c3r1           frame 10"));
  CHECK(shows(overlay.paint(changed, local_ms(200)), 3, "level 1  locked 1.2 us"));
  CHECK(shows(overlay.paint(changed, local_ms(250)), 3, "level 2  locked 1.2 us"));
}

TEST_CASE("a text box repaints what changed exactly as if it were new", "[panel]") {
  TextBox old(12, 2, 2);
  for (const char* text : {"abcdefghijkl", "short", "", "far too long a text", "end"})
    old.set_line(1, text);
  TextBox fresh(12, 2, 2);
  fresh.set_line(1, "end");
  const ImageView a = old.image();
  const ImageView b = fresh.image();
  REQUIRE(a.size_px == b.size_px);
  CHECK(std::memcmp(a.pixels, b.pixels,
                    a.stride_bytes * static_cast<std::size_t>(a.size_px.height)) == 0);
}

TEST_CASE("what the overlay costs", "[.][benchmark]") {
  PanelOverlay overlay("c3r1", {2560, 1600});
  constexpr int count = 10'000;
  const LocalInstant begin = local_now();
  for (int i = 0; i < count; ++i) {
    overlay.add_swap(local_ms(i * 40), Nanos(i), false);
    static_cast<void>(overlay.paint(figures(i), local_ms(i * 40)));
  }
  const double us = static_cast<double>((local_now() - begin).count()) / count / 1e3;
  WARN("2560x1600 at 25 fps: painted in " << us << " us a frame");
  std::vector<std::uint8_t> pixels(std::size_t{2560} * 1600 * 4);
  const ImageView frame_buffer{pixels.data(), {2560, 1600}, std::size_t{2560} * 4};
  const Inset box = overlay.paint(figures(0), local_ms(0));
  for (const Rotation rotation : {Rotation::deg0, Rotation::deg180}) {
    const LocalInstant start = local_now();
    for (int i = 0; i < count; ++i) copy_inset(box, rotation, nullptr, frame_buffer);
    WARN("laid over in " << static_cast<double>((local_now() - start).count()) / count / 1e3
                         << " us");
  }
}
