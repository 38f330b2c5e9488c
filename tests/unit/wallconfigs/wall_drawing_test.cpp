// Drawings of walls: every length and place worked out by hand, on walls whose scale is a round
// number.

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "tests/unit/wallconfigs/wall_support.hpp"
#include "wallconfigs/drawing.hpp"
#include "wallconfigs/drawing_views.hpp"

using namespace tilewall;
using namespace tilewall::wall;

namespace {

/// The elements of an SVG document, one a line.
class DrawnLines {
 public:
  explicit DrawnLines(const std::string& svg) : svg_(svg) {}
  /// Whether one line is just this.
  [[nodiscard]] bool have(const std::string& line) const {
    return svg_.find("\n" + line + "\n") != std::string::npos;
  }
  /// Whether a text stands there, in the usual size of this sheet and colour.
  [[nodiscard]] bool have_text(const std::string& place, const std::string& anchor,
                               const std::string& text) const {
    return have("<text x=\"0\" y=\"5.04\" transform=\"" + place +
                "\" font-size=\"14.00\" text-anchor=\"" + anchor + "\" fill=\"#1f2933\">" + text +
                "</text>");
  }

 private:
  std::string svg_;
};

}  // namespace

// Two frames of 670 mm fill the 1340 units that a front may be wide: a unit is a millimetre. The
// sheet is 1600 wide and the front begins at 130, 166.
TEST_CASE("a wall's front is drawn to scale, with its dimensions and a legend", "[wall]") {
  const Wall wall = wall_of(
      "name = \"pair\"\ncolumns = 2\nrows = 1\n[panels]\nsize_px = [1280, 800]\n"
      "size_mm = [640.0, 400.0]\nbezel_mm = { left = 10, right = 20, top = 30, bottom = 40 }\n"
      "[[host]]\nname = \"west\"\naddress = \"10.0.0.1\"\ncolumns = [0]\n"
      "[[host]]\nname = \"east\"\ncolumns = [1]\n");
  const DrawnLines drawn(draw_wall(wall, BezelMode::hide));
  CHECK(drawn.have(R"x(<title>pair</title>)x"));
  CHECK(
      drawn.have(R"x(<text x="0" y="5.04" transform="translate(60.00 94.00)" font-size="14.00" )x"
                 R"x(text-anchor="start" fill="#66727f">2 panels, 2 × 1 · lit area 1.310 × 0.400 )x"
                 R"x(m · canvas 2620 × 800 px with bezels hidden · 2 px/mm · front view</text>)x"));
  const std::string frame_end =
      R"x( width="670.00" height="470.00" fill="#454c55" stroke="#ffffff" stroke-width="0.75"/>)x";
  CHECK(drawn.have(R"x(<rect x="130.00" y="166.00")x" + frame_end));
  CHECK(drawn.have(R"x(<rect x="800.00" y="166.00")x" + frame_end));
  CHECK(drawn.have(R"x(<rect x="140.00" y="196.00" width="640.00" height="400.00" fill="#e3ecf7" )x"
                   R"x(stroke="#454c55" stroke-width="1.00"/>)x"));
  CHECK(drawn.have(R"x(<rect x="810.00" y="196.00" width="640.00" height="400.00" fill="#e4f3e3" )x"
                   R"x(stroke="#454c55" stroke-width="1.00"/>)x"));
  CHECK(drawn.have_text("translate(795.00 647.20)", "middle", "1310 mm · 2620 px"));
  CHECK(drawn.have_text("translate(1492.40 396.00) rotate(-90.00)", "middle", "400 mm · 800 px"));
  CHECK(drawn.have_text("translate(460.00 132.40)", "middle", "640 mm"));
  CHECK(drawn.have_text("translate(795.00 132.40)", "middle", "30"));  // between the lit areas
  CHECK(drawn.have_text("translate(96.40 396.00) rotate(-90.00)", "middle", "400 mm"));
  // The legend: 200 mm are the greatest round length within 260.
  CHECK(drawn.have(R"x(<rect x="60.00" y="703.67" width="200.00" height="4.67" fill="none" )x"
                   R"x(stroke="#1f2933" stroke-width="1.00"/>)x"));
  CHECK(
      drawn.have(R"x(<rect x="60.00" y="703.67" width="100.00" height="4.67" fill="#1f2933"/>)x"));
  CHECK(drawn.have_text("translate(268.40 706.00)", "start", "200 mm"));
  CHECK(drawn.have(R"x(<path d="M 440.00 700.40 L 434.40 711.60 L 445.60 711.60 Z" )x"
                   R"x(fill="#8794a3"/>)x"));
  CHECK(drawn.have_text("translate(454.00 706.00)", "start", "panel's own upper edge"));
  CHECK(
      drawn.have(R"x(<rect x="664.40" y="700.40" width="11.20" height="11.20" fill="#454c55"/>)x"));
  CHECK(drawn.have_text("translate(82.40 734.00)", "start", "west (10.0.0.1): 1 panel"));
  CHECK(drawn.have_text("translate(82.40 756.40)", "start", "east: 1 panel"));
}

TEST_CASE("a drawing shows each panel's own upper edge, however it is turned", "[wall]") {
  // Four squares of 335 mm side by side: again a unit is a millimetre.
  std::string file =
      "columns = 4\nrows = 1\n[panels]\nsize_px = [600, 600]\nsize_mm = [335.0, 335.0]\n";
  for (const int turned : {1, 2, 3})
    file += "[[panel]]\ncolumn = " + std::to_string(turned) +
            "\nrotation_deg = " + std::to_string(90 * turned) + "\n";
  const DrawnLines drawn(draw_wall(wall_of(file), BezelMode::show));
  // 16.75 high and 33.5 wide, its tip 8.375 from the edge: of the first panel, 130..465 by
  // 166..501.
  CHECK(drawn.have(R"x(<path d="M 297.50 174.38 L 314.25 199.50 L 280.75 199.50 Z" )x"
                   R"x(fill="#8794a3"/>)x"));
  CHECK(drawn.have(R"x(<path d="M 791.62 333.50 L 766.50 350.25 L 766.50 316.75 Z" )x"
                   R"x(fill="#c2570c"/>)x"));
  CHECK(drawn.have(R"x(<path d="M 967.50 492.62 L 950.75 467.50 L 984.25 467.50 Z" )x"
                   R"x(fill="#c2570c"/>)x"));
  CHECK(drawn.have(R"x(<path d="M 1143.38 333.50 L 1168.50 316.75 L 1168.50 350.25 Z" )x"
                   R"x(fill="#c2570c"/>)x"));
}

TEST_CASE("what two panels light together is drawn, and edges that touch are not", "[wall]") {
  const std::string pair = "columns = 2\nrows = 1\n[panels]\nsize_px = [700, 400]\n";
  const auto lit_twice = [](const std::string& svg) { return svg.find("#f3d9b1"); };
  CHECK(lit_twice(draw_wall(wall_of(pair + "size_mm = [670.0, 400.0]\n"), BezelMode::show)) ==
        std::string::npos);
  const std::string svg = draw_wall(
      wall_of(pair + "size_mm = [700.0, 400.0]\n[overlap]\nhorizontal_mm = 60\n"), BezelMode::show);
  const DrawnLines drawn(svg);
  CHECK(drawn.have(R"x(<rect x="770.00" y="166.00" width="60.00" height="400.00" fill="#f3d9b1" )x"
                   R"x(stroke="#c2570c" stroke-width="1.00" stroke-dasharray="4.00"/>)x"));
  CHECK(svg.find("neighbours overlap by 60 × 0 mm") != std::string::npos);
}

TEST_CASE("a front is as large as all frames and holes together", "[wall]") {
  const std::string panels =
      "columns = 3\nrows = 2\n[panels]\nsize_px = [100, 80]\nsize_mm = [100.0, 80.0]\n"
      "bezel_mm = { left = 1, right = 2, top = 3, bottom = 4 }\n";
  for (const char* const hole : {"", "[[hole]]\nname = \"a\"\ncolumn = 0\nrow = 0\n",
                                 "[[hole]]\nname = \"a\"\ncolumn = 2\nrow = 1\n"}) {
    CAPTURE(hole);
    const Wall wall = wall_of(panels + hole);
    const drawing::FrontView front(wall, BezelMode::show);
    CHECK(front.width() == Approx(3 * 103 * front.units_per_mm()));
    CHECK(front.height() == Approx(2 * 87 * front.units_per_mm()));
  }
}

TEST_CASE("a hole is drawn dashed, inside of its cell, with its name", "[wall]") {
  const std::string svg = draw_wall(
      wall_of("columns = 2\nrows = 1\n[panels]\nsize_px = [670, 400]\nsize_mm = [670.0, 400.0]\n"
              "[[hole]]\nname = \"door\"\ncolumn = 1\nrow = 0\n"),
      BezelMode::show);
  const DrawnLines drawn(svg);
  CHECK(drawn.have(R"x(<rect x="803.50" y="169.50" width="663.00" height="393.00" fill="none" )x"
                   R"x(stroke="#66727f" stroke-width="1.40" stroke-dasharray="7.00"/>)x"));
  CHECK(svg.find("translate(1135.00 366.00)") != std::string::npos);
  CHECK(svg.find(">door</text>") != std::string::npos);
}

TEST_CASE("a drawing's dimensions are read from below or from the right", "[wall]") {
  Svg svg;
  drawing::draw_dimension(svg, {100, 50}, {300, 50}, "200 mm", 20);
  drawing::draw_dimension(svg, {100, 50}, {100, 450}, "400 mm", 20);
  drawing::draw_dimension(svg, {100, 50}, {100, 60}, "10 mm", 20);  // shorter than its text
  const DrawnLines drawn(svg.document(1000, 500, ""));
  CHECK(drawn.have(R"x(<line x1="93.00" y1="57.00" x2="107.00" y2="43.00" stroke="#66727f" )x"
                   R"x(stroke-width="1.43"/>)x"));
  CHECK(drawn.have(R"x(<text x="0" y="7.20" transform="translate(200.00 34.00)" )x"
                   R"x(font-size="20.00" text-anchor="middle" fill="#1f2933">200 mm</text>)x"));
  CHECK(drawn.have(R"x(<text x="0" y="7.20" transform="translate(84.00 250.00) rotate(-90.00)" )x"
                   R"x(font-size="20.00" text-anchor="middle" fill="#1f2933">400 mm</text>)x"));
  CHECK(drawn.have(R"x(<text x="0" y="7.20" transform="translate(120.00 30.00)" )x"
                   R"x(font-size="20.00" text-anchor="end" fill="#1f2933">10 mm</text>)x"));
}

TEST_CASE("a scale bar is as long as the greatest 1, 2 or 5 times a power of ten that fits",
          "[wall]") {
  const auto text = [](double units_per_mm, double longest) {
    Svg svg;
    drawing::draw_scale_bar(svg, {0, 0}, units_per_mm, longest, 10);
    const std::string document = svg.document(1, 1, "");
    const std::size_t end = document.rfind("</text>");
    const std::size_t begin = document.rfind('>', end) + 1;
    return document.substr(begin, end - begin);
  };
  CHECK(text(1, 99) == "50 mm");
  CHECK(text(1, 100) == "100 mm");
  CHECK(text(1, 199) == "100 mm");
  CHECK(text(1, 200) == "200 mm");
  CHECK(text(1, 499) == "200 mm");
  CHECK(text(1, 500) == "500 mm");
  CHECK(text(2, 500) == "200 mm");
  CHECK(text(0.25, 260) == "1 m");
  CHECK(text(0.1, 260) == "2 m");
}

// Two screens of 1000 mm, 90 degrees apart, 1000 mm from the viewer: their middles lie 1000 /
// sqrt(2) to the left and right of him and as far before him.
TEST_CASE("the plan shows an arc from above", "[wall]") {
  const Wall wall = wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [1000, 1000]\nsize_mm = [1000.0, 1000.0]\n"
      "[arc]\nincrement_deg = 90.0\nstart_angle_deg = -45.0\nradius_mm = 1000.0\n");
  const drawing::PlanView plan(wall, 1500, 1500);
  // From edge to edge they reach 2 * (1000 + 500) / sqrt(2) mm; a quarter of a screen is left
  // around.
  const double width_mm = 3000 / std::sqrt(2.0) + 500;
  CHECK(plan.units_per_mm() == Approx(1500 / width_mm));
  CHECK(plan.width() == Approx(1500));
  Svg svg;
  plan.draw(svg, {0, 0}, 14);
  const std::string document = svg.document(1500, 1500, "");
  CHECK(document.find(">column 0 · −45°<") != std::string::npos);
  CHECK(document.find(">column 1 · 45°<") != std::string::npos);
  CHECK(document.find(">90°<") != std::string::npos);
  CHECK(document.find(">radius 1000 mm<") != std::string::npos);
  // The arc reaches half an increment beyond the outer screens: from straight left to straight
  // right of its centre, which lies in the middle of the sheet.
  double left = 0, left_y = 0, across = 0, down = 0, right = 0, right_y = 0;
  const std::size_t path = document.find("<path d=\"M ");
  REQUIRE(path != std::string::npos);
  REQUIRE(std::sscanf(document.c_str() + path, "<path d=\"M %lf %lf A %lf %lf 0 0 1 %lf %lf\"",
                      &left, &left_y, &across, &down, &right, &right_y) == 6);
  const double radius = 1000 * plan.units_per_mm();
  CHECK(across == Approx(radius).margin(0.01));
  CHECK(down == Approx(radius).margin(0.01));
  CHECK(left == Approx(750 - radius).margin(0.01));
  CHECK(right == Approx(750 + radius).margin(0.01));
  CHECK(left_y == Approx(right_y).margin(0.01));
  // Spokes lead to the middles of both screens, and an arc between them marks the angle.
  const auto coordinates = [](const char* format, double a, double b, double c, double d) {
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(), format, a, b, c, d);
    return std::string(text.data());
  };
  const double side = radius / std::sqrt(2.0);
  for (const double x : {750 - side, 750 + side})
    CHECK(document.find(coordinates("<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", 750,
                                    left_y, x, left_y - side)) != std::string::npos);
  CHECK(document.find(coordinates("<path d=\"M %.2f %.2f A %.2f %.2f 0 0 1 ", 750 - 0.35 * side,
                                  left_y - 0.35 * side, 0.35 * radius, 0.35 * radius)) !=
        std::string::npos);
  const std::string drawn = draw_wall(wall, BezelMode::show);
  CHECK(drawn.find(">2 screens, 90° from one to the next, 180° in all<") != std::string::npos);
}
