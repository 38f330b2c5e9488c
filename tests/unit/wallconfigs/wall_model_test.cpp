// Wall files and the model that comes of them.

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <set>

#include "sync/base/error.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"
#include "wallconfigs/address.hpp"
#include "wallconfigs/advice.hpp"
#include "wallconfigs/toml/key_depth.hpp"

using namespace tilewall;
using namespace tilewall::wall;

namespace {

const Panel& panel_named(const Wall& wall, std::string_view name) {
  for (const Panel& panel : wall.panels)
    if (panel.name == name) return panel;
  FAIL("no panel " << name);
  return wall.panels.front();
}

bool any_line_has(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a file of defaults alone describes every panel of the grid", "[wall]") {
  const Wall wall = shipped_wall("5x3.toml");
  REQUIRE(wall.panels.size() == 15);
  CHECK(wall.columns == 5);
  CHECK(wall.rows == 3);
  CHECK(wall.has_bezels);
  CHECK(wall.default_bezel_mode() == BezelMode::hide);
  const Panel& panel = wall.panels[7];  // row by row
  CHECK(panel.name == "c2r1");
  CHECK(panel.size_px == SizePx{2560, 1600});
  CHECK(panel.position_mm.x == Approx(2 * (641.2 + 46)));
  CHECK(panel.position_mm.y == Approx(400.8 + 46));
  CHECK(panel.host.empty());
  CHECK(panel.color.identity());
  CHECK(wall.panels[0].position_mm.x == 0);
  CHECK(wall.panels[0].position_mm.y == 0);
  CHECK(wall.flat());
}

TEST_CASE("walls without a bezel key have none, and their default mode shows everything",
          "[wall]") {
  const Wall wall = shipped_wall("mini-5x3.toml");
  CHECK_FALSE(wall.has_bezels);
  CHECK(wall.default_bezel_mode() == BezelMode::show);
  CHECK(wall.panels[1].position_mm.x == Approx(64));  // 256 px of 0.25 mm
}

TEST_CASE("the diagonal gives the size in millimetres", "[wall]") {
  const Wall wall =
      wall_of("columns = 1\nrows = 1\n[panels]\nsize_px = [1600, 1200]\ndiagonal_inches = 20\n");
  CHECK(wall.panels[0].size_mm.width == Approx(16 * 25.4));
  CHECK(wall.panels[0].size_mm.height == Approx(12 * 25.4));
}

TEST_CASE("of a diagonal and a size in millimetres, the one nearer to the panel counts", "[wall]") {
  const auto width_of = [](const std::string& defaults, const std::string& own) {
    return wall_of("columns = 1\nrows = 1\n[panels]\nsize_px = [1600, 1200]\n" + defaults +
                   "[[panel]]\nname = \"c0r0\"\n" + own)
        .panels[0]
        .size_mm.width;
  };
  const std::string size = "size_mm = [100.0, 75.0]\n";
  const std::string diagonal = "diagonal_inches = 20\n";
  CHECK(width_of(size, "") == Approx(100));
  CHECK(width_of(size, diagonal) == Approx(16 * 25.4));
  CHECK(width_of(diagonal, size) == Approx(100));
}

TEST_CASE("a hole is as large as the panels of its column and row, wherever they are placed",
          "[wall]") {
  const std::string file =
      "columns = 2\nrows = 2\n[panels]\nsize_px = [100, 100]\nsize_mm = [100.0, 80.0]\n"
      "[[hole]]\nname = \"door\"\ncolumn = 1\nrow = 0\n";
  const std::string placed =
      "[[panel]]\nname = \"c0r0\"\nposition_mm = [0.0, 0.0]\n"
      "[[panel]]\nname = \"c0r1\"\nposition_mm = [0.0, 200.0]\n"
      "[[panel]]\nname = \"c1r1\"\nposition_mm = [300.0, 200.0]\n";
  for (const std::string& places : {std::string(), placed}) {
    CAPTURE(places);
    const Wall wall = wall_of(file + places);
    REQUIRE(wall.holes.size() == 1);
    CHECK(wall.holes[0].cell_mm.width == Approx(100));
    CHECK(wall.holes[0].cell_mm.height == Approx(80));
  }
}

TEST_CASE("rotation turns a panel's pixels, millimetres and bezels alike", "[wall]") {
  const char* file =
      "columns = 1\nrows = 1\n[panels]\nsize_px = [1600, 1200]\nsize_mm = [408.0, 306.0]\n"
      "bezel_mm = { left = 1, right = 2, top = 3, bottom = 4 }\nrotation_deg = ";
  struct Expected {
    const char* degrees;
    SizePx viewed_px;
    double width_mm;
    SidesMm bezel_mm;
  };
  for (const Expected& expected : {Expected{"0", {1600, 1200}, 408, {1, 2, 3, 4}},
                                   Expected{"90", {1200, 1600}, 306, {4, 3, 1, 2}},
                                   Expected{"180", {1600, 1200}, 408, {2, 1, 4, 3}},
                                   Expected{"270", {1200, 1600}, 306, {3, 4, 2, 1}}}) {
    CAPTURE(expected.degrees);
    const Panel panel = wall_of(std::string(file) + expected.degrees).panels[0];
    CHECK(panel.size_px == SizePx{1600, 1200});
    CHECK(panel.viewed_size_px() == expected.viewed_px);
    CHECK(panel.size_mm.width == expected.width_mm);
    CHECK(panel.bezel_mm.left == expected.bezel_mm.left);
    CHECK(panel.bezel_mm.right == expected.bezel_mm.right);
    CHECK(panel.bezel_mm.top == expected.bezel_mm.top);
    CHECK(panel.bezel_mm.bottom == expected.bezel_mm.bottom);
  }
}

TEST_CASE("the mixed wall shows columns, names, holes, hosts, colours and windows", "[wall]") {
  const Wall wall = shipped_wall("mixed.toml");
  REQUIRE(wall.panels.size() == 9);
  REQUIRE(wall.holes.size() == 1);
  CHECK(wall.holes[0].name == "loudspeaker");
  CHECK(wall.holes[0].cell_mm.width == Approx(641.2 + 46));
  const Panel& portrait = panel_named(wall, "c0r1");
  CHECK(portrait.rotation == Rotation::deg90);
  CHECK(portrait.size_mm.height == 408);
  CHECK(portrait.color.gain == std::array<double, 3>{1.0, 0.97, 0.93});
  CHECK(portrait.color.gamma == std::array<double, 3>{1.04, 1.04, 1.04});
  CHECK(portrait.host == "wall-left");
  CHECK(portrait.display == ":0");
  const Panel& lectern = panel_named(wall, "lectern");
  CHECK(lectern.window_px == PointPx{0, 0});
  CHECK(panel_named(wall, "c3r1").host == "wall-right");
  REQUIRE(wall.find_host("wall-right") != nullptr);
  CHECK(wall.find_host("wall-right")->address == "10.0.0.12");
  CHECK(wall.find_host("other") == nullptr);
  CHECK(wall.clock_address == "wall-head:7400");
  CHECK(wall.control_address == "0.0.0.0:7450");
}

TEST_CASE("a panel's own host and display win over defaults, and hosts need no list", "[wall]") {
  const Wall wall = wall_of(
      "columns = 2\nrows = 1\nclock_address = [\"a:1\", \"[fe80::1]:2\"]\n"
      "[panels]\nsize_px = [64, 64]\ndisplay = \":0\"\n"
      "[[panel]]\nname = \"c1r0\"\nhost = \"render1\"\ndisplay = \":0.1\"\n"
      "window_px = [5, 7]\n");
  CHECK(wall.panels[1].window_px == PointPx{5, 7});
  CHECK(wall.panels[0].host.empty());
  CHECK(wall.panels[0].display == ":0");
  CHECK(wall.panels[1].host == "render1");
  CHECK(wall.panels[1].display == ":0.1");
  REQUIRE(wall.hosts.size() == 1);
  CHECK(wall.hosts[0].address == "render1");
  CHECK(wall.clock_address == "a:1");
  CHECK(wall.standby_clock_address == "[fe80::1]:2");
  CHECK(any_line_has(advice_on(wall), "c0r0: no host"));
}

TEST_CASE("screens of an arc stand on the circle and face its centre", "[wall]") {
  const Wall wall = shipped_wall("5x2.toml");
  REQUIRE(wall.arc);
  CHECK_FALSE(wall.flat());
  for (const Panel& panel : wall.panels) {
    CAPTURE(panel.name);
    const double angle_deg = -36 + 18 * panel.column;
    CHECK(panel.pose.yaw_deg == Approx(-angle_deg).margin(1e-9));
    const double x = panel.pose.centre_mm[0];
    const double z = panel.pose.centre_mm[2];
    CHECK(std::hypot(x, wall.arc->radius_mm - z) == Approx(wall.arc->radius_mm));
    // Looking along its normal, the panel looks at the centre.
    const double yaw = panel.pose.yaw_deg * std::numbers::pi / 180;
    CHECK(x + wall.arc->radius_mm * std::sin(yaw) == Approx(0).margin(1e-3));
    CHECK(z + wall.arc->radius_mm * std::cos(yaw) == Approx(wall.arc->radius_mm).margin(1e-3));
    CHECK(panel.pose.centre_mm[1] == (panel.row == 0 ? 512 : -512));
  }
  for (const std::string& line : advice_on(wall)) CHECK(line.rfind("content ", 0) == 0);
}

TEST_CASE("an arc without radius and start touches at its edges and is centred", "[wall]") {
  const Wall wall = wall_of(
      "columns = 6\nrows = 1\n[panels]\nsize_px = [100, 100]\nsize_mm = [1000.0, 1000.0]\n"
      "[arc]\nincrement_deg = 40\ncolumns_per_screen = 2\n");
  REQUIRE(wall.arc);
  CHECK(wall.arc->radius_mm == Approx(1000 / std::tan(20 * std::numbers::pi / 180)));
  CHECK(wall.arc->start_angle_deg == -40);
  // The two columns of a screen lie in one plane, side by side.
  CHECK(wall.panels[2].pose.centre_mm[0] == -500);
  CHECK(wall.panels[3].pose.centre_mm[0] == 500);
  CHECK(wall.panels[3].pose.centre_mm[2] == 0);
  CHECK(wall.panels[0].pose.yaw_deg == wall.panels[1].pose.yaw_deg);
  // The left screen touches the middle one's edge (-1000, 0) and comes towards the viewer from
  // there: 500 and 1500 along it are its columns' centres.
  const double cos_40 = 0.7660444431;
  const double sin_40 = 0.6427876097;
  for (const int column : {0, 1}) {
    CAPTURE(column);
    const double along_mm = column == 0 ? 1500 : 500;
    const Pose& pose = wall.panels[static_cast<std::size_t>(column)].pose;
    CHECK(pose.centre_mm[0] == Approx(-1000 - along_mm * cos_40));
    CHECK(pose.centre_mm[2] == Approx(along_mm * sin_40));
    const Pose& opposite = wall.panels[static_cast<std::size_t>(5 - column)].pose;
    CHECK(opposite.centre_mm[0] == Approx(1000 + along_mm * cos_40));
    CHECK(opposite.centre_mm[2] == Approx(along_mm * sin_40));
  }
}

TEST_CASE("panels whose four bezels differ hang with their frames touching", "[wall]") {
  const Wall wall = wall_of(
      "columns = 2\nrows = 2\n[panels]\nsize_px = [100, 50]\nsize_mm = [100.0, 50.0]\n"
      "bezel_mm = { left = 1, right = 2, top = 3, bottom = 5 }\n"
      "[[panel]]\nname = \"c0r1\"\nsize_px = [80, 40]\nsize_mm = [80.0, 40.0]\n");
  CHECK(wall.panels[1].position_mm.x == 100 + 2 + 1);
  CHECK(wall.panels[1].position_mm.y == 0);
  // In the middle of a cell that is 20 mm wider and 10 mm higher than its frame.
  CHECK(wall.panels[2].position_mm.x == 10);
  CHECK(wall.panels[2].position_mm.y == 50 + 5 + 3 + 5);
  CHECK(wall.panels[3].position_mm.x == 103);
  CHECK(wall.panels[3].position_mm.y == 58);
  const RectF frame = wall.panels[3].frame_mm();
  CHECK(frame == RectF{102, 55, 103, 58});
  CHECK(wall.lit_box_mm() == RectF{0, 0, 203, 108});
}

TEST_CASE("a pose in the file replaces what the wall's plane would give", "[wall]") {
  const Wall wall = wall_of(
      "columns = 2\nrows = 1\n[panels]\nsize_px = [100, 100]\nsize_mm = [100.0, 100.0]\n"
      "[[panel]]\nname = \"c1r0\"\npose = { yaw_deg = -20, roll_deg = 1 }\n");
  CHECK(wall.panels[0].pose == Pose{{-50, 0, 0}, 0, 0, 0});
  CHECK(wall.panels[1].pose == Pose{{50, 0, 0}, -20, 0, 1});
  CHECK_FALSE(wall.flat());
}

TEST_CASE("the default wall fits into the screen, with panels of 16:10", "[wall]") {
  CHECK(scaled_wall_5x3(SizePx{1280, 480}).panels[0].size_px == SizePx{256, 160});
  for (const SizePx screen : {SizePx{1920, 1080}, {1280, 480}, {3840, 2160}, {800, 2000}}) {
    const Wall wall = scaled_wall_5x3(screen);
    const SizePx canvas = Canvas(wall, BezelMode::show).size_px();
    CHECK(wall.panels.size() == 15);
    CHECK(canvas.width <= screen.width);
    CHECK(canvas.height <= screen.height);
    CHECK(wall.panels[0].size_px.width * 10 == wall.panels[0].size_px.height * 16);
  }
  CHECK(scaled_wall_5x3(SizePx{1, 1}).panels[0].size_px == SizePx{16, 10});
}

TEST_CASE("the default wall's windows stand in the middle of the screen's free part", "[wall]") {
  const Wall wall = scaled_wall_5x3(RectPx{70, 30, 1850, 1050});
  const SizePx panel = {368, 230};
  CHECK(wall.panels[0].size_px == panel);
  CHECK(wall.panels[0].window_px == PointPx{70 + 5, 30 + 180});
  CHECK(wall.panels[14].window_px == PointPx{75 + 4 * panel.width, 210 + 2 * panel.height});
}

TEST_CASE("advice names what an operator may not have meant", "[wall]") {
  const std::string two = "columns = 2\nrows = 1\n[panels]\nsize_px = [100, 100]\n";
  CHECK(advice_on(wall_of(two)).empty());
  CHECK(any_line_has(advice_on(wall_of(two + "size_mm = [100.0, 50.0]\n")), "not square"));
  for (const char* nearly : {"100.0, 101.9", "101.9, 100.0"}) {  // by less than 2 %
    CAPTURE(nearly);
    CHECK_FALSE(
        any_line_has(advice_on(wall_of(two + "size_mm = [" + nearly + "]\n")), "not square"));
  }
  for (const char* oblong : {"100.0, 102.2", "102.2, 100.0"}) {
    CAPTURE(oblong);
    CHECK(any_line_has(advice_on(wall_of(two + "size_mm = [" + oblong + "]\n")),
                       "c0r0 and 1 more: pixels are not square"));
  }
  CHECK(any_line_has(
      advice_on(wall_of(two + "size_mm = [100.0, 100.0]\nbezel_mm = 5\n[[panel]]\nname = \"c1r0\"\n"
                              "position_mm = [105.0, 0.0]\n")),
      "frames run into each other by 5 mm"));
  CHECK(any_line_has(advice_on(wall_of(two + "[arc]\nradius_mm = 10\nincrement_deg = 20\n")),
                     "run into each other; they touch at"));
  CHECK(any_line_has(advice_on(wall_of(two + "[[panel]]\nrow = 0\ndisplay = \":1\"\n"
                                             "[[panel]]\nname = \"c0r0\"\nwindow_px = [5, 5]\n"
                                             "[[panel]]\nname = \"c1r0\"\nwindow_px = [5, 5]\n")),
                     "the same window position"));
}

TEST_CASE("panels have sides of 1 to 16384 pixels", "[wall]") {
  const auto size_of = [](const std::string& size_px) {
    return wall_of("columns = 1\nrows = 1\n[panels]\nsize_px = " + size_px + "\n")
        .panels.at(0)
        .size_px;
  };
  CHECK(size_of("[1, 16384]") == SizePx{1, 16384});
  CHECK(size_of("[16384, 1]") == SizePx{16384, 1});
  for (const char* bad : {"[0, 100]", "[100, 0]", "[16385, 100]", "[100, 16385]"})
    CHECK_THROWS_AS(size_of(bad), InputError);
}

// With bezels shown, the columns of the mixed wall are 1222, 2560, 2560, 2560 and 1222 px wide and
// its rows 1600 px high; the hole takes 2560 x 1600 of 10124 x 3200 px. The outer panels, of
// 306 x 408 mm, are drawn 1222 x 1600 px: (1222 / 1600) / (306 / 408) = 1.0183.
TEST_CASE("advice on the mixed wall names scaled and stretched panels and the hole", "[wall]") {
  CHECK(advice_on(shipped_wall("mixed.toml")) ==
        std::vector<std::string>{
            "c0r0 and 3 more: pixels of another size than the commonest panel's 3.993 per mm; "
            "pictures are scaled there",
            "13 % of the picture is on no panel, even with bezels shown (holes included)",
            "c0r0: stretched by 1.8 % with bezels shown, to abut its neighbours"});
}

TEST_CASE("panels are critical by themselves or by their host", "[wall]") {
  const Wall wall = wall_of(
      "columns = 4\nrows = 1\n[panels]\nsize_px = [64, 64]\n"
      "[[host]]\nname = \"a\"\ncolumns = [0, 1]\ncritical = true\n"
      "[[host]]\nname = \"b\"\ncolumns = [2, 3]\n"
      "[[panel]]\nname = \"c1r0\"\ncritical = false\n"
      "[[panel]]\nname = \"c2r0\"\ncritical = true\n");
  CHECK(wall.panels[0].critical);
  CHECK_FALSE(wall.panels[1].critical);
  CHECK(wall.panels[2].critical);
  CHECK_FALSE(wall.panels[3].critical);
}

TEST_CASE("addresses and displays are told from other words", "[wall]") {
  for (const char* good : {"a:1", "render-1.lab:7400", "10.0.0.1:65535", "[fe80::1]:80"})
    CHECK(is_host_port(good));
  for (const char* bad :
       {"", "a", "a:", ":1", "a:0", "a:65536", "a:1x", "fe80::1:80", "-a:1", "a b:1"})
    CHECK_FALSE(is_host_port(bad));
  for (const char* good : {":0", ":0.1", "host:10.0"}) CHECK(is_x_display(good));
  for (const char* bad : {"", "0", ":", ":a", ":0.", ":0.x", ":-1", "-h:0"})
    CHECK_FALSE(is_x_display(bad));
  CHECK_FALSE(is_host_name("$(reboot)"));
}

TEST_CASE("deep keys are found outside of strings and comments only", "[wall]") {
  CHECK(find_deep_key("x = 1\na.b.c = 1\n", 2) == 2);
  CHECK(find_deep_key("[a . \"b\" . 'c']\n", 2) == 1);
  CHECK_FALSE(find_deep_key("a.b = 1.5\nc = [1.5, 2.5, 3.5]\n", 2));
  CHECK_FALSE(find_deep_key("# a.b.c.d\nx = \"a.b.c\\\".d\"\ny = 'a.b.c'\n", 2));
  CHECK_FALSE(find_deep_key("x = \"\"\"\na.b.c\n\"\"\"\ny = '''\na.b.c'''\n", 2));
  CHECK(find_deep_key("x = \"#\"\ny.a.b = 1", 2) == 2);
  for (const char* open : {"\"", "'", "\"\"\"", "\"\\", "\"\"\"\\"})
    CHECK_FALSE(find_deep_key(open, 2));
}

TEST_CASE("an arc's screens touch at the edges of the widest", "[wall]") {
  const Wall wall = wall_of(
      "columns = 3\nrows = 1\n[panels]\nsize_px = [100, 100]\nsize_mm = [1000.0, 1000.0]\n"
      "[[panel]]\ncolumn = 1\nrow = 0\nsize_mm = [1500.0, 1000.0]\n[arc]\nincrement_deg = 40\n");
  REQUIRE(wall.arc);
  CHECK(wall.arc->radius_mm == Approx(750 / std::tan(20 * std::numbers::pi / 180)));
}

TEST_CASE("poses, places and eye points are read in their order", "[wall]") {
  const Wall wall = wall_of(
      "columns = 1\nrows = 2\neye_mm = [10, 20, 3000]\n[panels]\nsize_px = [100, 100]\n"
      "[[panel]]\nname = \"c0r1\"\n"
      "pose = { centre_mm = [100, -200.5, 300], yaw_deg = 5, pitch_deg = -10, roll_deg = 15 }\n"
      "[[panel]]\nname = \"c0r0\"\npose = { centre_mm = [1, 2, 3] }\n");
  CHECK(wall.eye_mm == std::array<double, 3>{10, 20, 3000});
  const Pose& turned = wall.panels[1].pose;
  CHECK(turned.centre_mm == std::array<double, 3>{100, -200.5, 300});
  CHECK(turned.yaw_deg == 5);
  CHECK(turned.pitch_deg == -10);
  CHECK(turned.roll_deg == 15);
  CHECK(wall.panels[0].pose.centre_mm == std::array<double, 3>{1, 2, 3});
  CHECK(wall.panels[0].pose.yaw_deg == 0);
  for (const char* const wrong : {"[1, 2]", "[1, 2, 3, 4]"})
    CHECK_THROWS_AS(wall_of(std::string("columns = 1\nrows = 1\n[panels]\nsize_px = [9, 9]\n"
                                        "[[panel]]\nname = \"c0r0\"\npose = { centre_mm = ") +
                            wrong + " }\n"),
                    InputError);
}

TEST_CASE("overlaps and frames exclude each other, on each side by itself", "[wall]") {
  const auto wall_with = [](const std::string& bezel, const std::string& overlap) {
    return wall_of(
        "columns = 2\nrows = 2\n[panels]\nsize_px = [100, 100]\nsize_mm = [50.0, 50.0]\nbezel_mm "
        "= " +
        bezel + "\n[overlap]\n" + overlap + "\n");
  };
  for (const char* const side : {"left", "right"}) {
    CAPTURE(side);
    const std::string bezel = std::string("{ ") + side + " = 1 }";
    CHECK_THROWS_AS(wall_with(bezel, "horizontal_mm = 2"), InputError);
    CHECK(wall_with(bezel, "vertical_mm = 2").overlap_mm.vertical == 2);
  }
  for (const char* const side : {"top", "bottom"}) {
    CAPTURE(side);
    const std::string bezel = std::string("{ ") + side + " = 1 }";
    CHECK_THROWS_AS(wall_with(bezel, "vertical_mm = 2"), InputError);
    CHECK(wall_with(bezel, "horizontal_mm = 2").overlap_mm.horizontal == 2);
  }
}

TEST_CASE("letters and digits at both ends of the alphabet are parts of names", "[wall]") {
  for (const char* const good : {"a", "z", "A", "Z", "0", "9", "a9", "z-0.Z9"}) {
    CAPTURE(good);
    CHECK(is_host_name(good));
  }
  for (const char* const bad : {"@", "[", "`", "{", "/", "a@", "a{"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_host_name(bad));
  }
  CHECK(find_deep_key("x9.y0.z = 1\n", 2) == 1);
  CHECK(find_deep_key("9.0.1 = 1\n", 2) == 1);
}
