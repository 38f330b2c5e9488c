// tilewall wall check|show, run as users run it.

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/unit/wallconfigs/wall_support.hpp"

using namespace tilewall;
using namespace tilewall::wall;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

ProgramResult tilewall_wall(std::vector<std::string> args) {
  args.insert(args.begin(), {test::program_path("tilewall"), "wall"});
  return run_program(args);
}

std::string shipped(const char* name) { return shipped_wall_file(name).string(); }

/// Not a parser, but it sees what breaks drawings: tags that do not close, and bare ampersands.
void check_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    REQUIRE(end != std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    REQUIRE(tag.find('<') == std::string::npos);
    const std::string name = tag.substr(tag.front() == '/' ? 1 : 0, tag.find_first_of(" /", 1) - 1);
    if (tag.front() == '?' || tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else {
      REQUIRE_FALSE(open.empty());
      CHECK("/" + open.back() == tag);
      open.pop_back();
    }
  }
  CHECK(open.empty());
  for (std::size_t at = svg.find('&'); at != std::string::npos; at = svg.find('&', at + 1))
    CHECK(svg.find(';', at) - at <= 5);
}

}  // namespace

TEST_CASE("wall check says in one line what a good file holds", "[wall][cli]") {
  const ProgramResult result = tilewall_wall({"check", shipped("mini-5x3.toml")});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(result.out == shipped("mini-5x3.toml") + ": ok: 15 panels 5x3, canvas 1280x480 px\n");
  const ProgramResult bezels = tilewall_wall({"check", shipped("5x3.toml")});
  CHECK(bezels.out == shipped("5x3.toml") +
                          ": ok: 15 panels 5x3, canvas 13535x5167 px with bezels hidden "
                          "(12800x4800 with bezels shown)\n");
}

TEST_CASE("every shipped wall passes wall check", "[wall][cli]") {
  for (const char* name : shipped_walls) {
    CAPTURE(name);
    const ProgramResult result = tilewall_wall({"check", shipped(name), "--json"});
    CHECK(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json.at("ok") == true);
    CHECK(json.at("panels") == shipped_wall(name).panels.size());
    const bool has_notes = name == std::string("mixed.toml") || name == std::string("5x2.toml");
    CHECK(json.at("warnings").empty() != has_notes);
  }
}

TEST_CASE("a wrong file gets one line on stderr and exit code 2", "[wall][cli][bad-input]") {
  const std::string file = test::source_path("tests/data/walls/bad/unknown-panel-key.toml");
  const std::string line = file +
                           ":6: panels.sise_mm: expected a known key (the nearest is \"size_mm\"), "
                           "found an unknown one";
  const ProgramResult check = tilewall_wall({"check", file});
  CHECK(check.exit_code == 2);
  CHECK(check.out.empty());
  CHECK(check.err == "tilewall: " + line + "\n");
  const ProgramResult show = tilewall_wall({"show", file, "--json"});
  CHECK(show.exit_code == 2);
  CHECK(show.out.empty());
  CHECK(show.err == "tilewall: " + line + "\n");
  const ProgramResult json = tilewall_wall({"check", file, "--json"});
  CHECK(json.exit_code == 2);
  CHECK(Json::parse(json.out) == Json{{"file", file}, {"ok", false}, {"error", line}});
}

TEST_CASE("wrong arguments of wall get exit code 2", "[wall][cli][bad-input]") {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"check"},
      {"chekc", "x"},
      {"show", shipped("single.toml"), "--bezels", "both"},
      {"show", shipped("single.toml"), "--json", "--svg", "-"}};
  for (const auto& args : wrong) {
    const ProgramResult result = tilewall_wall(args);
    CAPTURE(args, result.err);
    CHECK(result.exit_code == 2);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
}

TEST_CASE("wall show --json has every panel with both canvas rectangles", "[wall][cli]") {
  const ProgramResult result = tilewall_wall({"show", shipped("5x3.toml"), "--json"});
  REQUIRE(result.exit_code == 0);
  const Json json = Json::parse(result.out);
  CHECK(json.at("canvas").at("show") == Json{{"width_px", 12800}, {"height_px", 4800}});
  CHECK(json.at("canvas_width_px") == 13535);
  REQUIRE(json.at("panels").size() == 15);
  const Json& panel = json.at("panels").at(7);
  CHECK(panel.at("name") == "c2r1");
  CHECK(panel.at("size_px") == Json{2560, 1600});
  CHECK(panel.at("canvas_show_px") ==
        Json{{"x", 5120}, {"y", 1600}, {"width", 2560}, {"height", 1600}});
  CHECK(panel.at("canvas_hide_px").at("x") == 5487);
  CHECK(panel.at("position_mm") == Json{1374.4, 446.8});
  CHECK(panel.at("pose").at("centre_mm") == Json{0.0, 0.0, 0.0});
  for (const char* key : {"column", "row", "host", "display", "viewed_size_px", "size_mm",
                          "bezel_mm", "rotation_deg", "color", "window_px"})
    CHECK(panel.contains(key));
  const Json arc = Json::parse(tilewall_wall({"show", shipped("5x2.toml"), "--json"}).out);
  CHECK(arc.at("arc").at("increment_deg") == 18);
  CHECK(arc.at("arc").at("start_angle_deg") == -36);
  CHECK(arc.at("panels").at(4).at("pose").at("yaw_deg") == -36);
}

TEST_CASE("wall show tells how much each content mode stretches the picture on each screen",
          "[wall][cli]") {
  const Json arc = Json::parse(tilewall_wall({"show", shipped("5x2.toml"), "--json"}).out);
  CHECK(arc.at("content") == "arc_length");
  CHECK(arc.at("eye_mm").at(2) == 4040.8);
  CHECK(arc.at("content_canvas").at("arc_length") == Json{{"width_px", 6400}, {"height_px", 2048}});
  REQUIRE(arc.at("screens").size() == 5);
  const Json& outermost = arc.at("screens").at(0);
  CHECK(outermost.at("panels") == Json{"c0r0", "c0r1"});
  CHECK(outermost.at("stretch").at("arc_length").at("most") == Approx(1));
  CHECK(outermost.at("stretch").at("flat").at("middle") == Approx(1 / std::cos(0.2 * M_PI)));
  // Seen 36 degrees aside, the flat picture's plane is 1 / cos further away, and slanted.
  CHECK(outermost.at("stretch").at("eye").at("middle") ==
        Approx(std::cos(0.2 * M_PI) * std::cos(0.2 * M_PI)));
  CHECK(arc.at("screens").at(2).at("stretch").at("eye").at("most") == Approx(1));

  const ProgramResult text = tilewall_wall({"show", shipped("5x2.toml"), "--content", "flat"});
  CHECK(text.out.find("content flat: canvas 5786x2048 px (the wall's own)") != std::string::npos);
  CHECK(text.out.find("c0r0, c0r1") != std::string::npos);
  CHECK(text.out.find("1.236") != std::string::npos);
}

TEST_CASE(
    "a content mode that a wall has no picture for is told, and refused where it is asked for",
    "[wall][cli]") {
  const TemporaryFolder folder;
  const std::string file = (folder / "ring.toml").string();
  write_file_atomically(file,
                        "columns = 10\nrows = 1\n[panels]\nsize_px = [64, 48]\n[arc]\n"
                        "increment_deg = 30\n");
  const ProgramResult check = tilewall_wall({"check", file});
  CHECK(check.exit_code == 0);
  CHECK(check.out.find("note: content eye: this wall has no such picture") != std::string::npos);
  const ProgramResult shown = tilewall_wall({"show", file});
  CHECK(shown.out.find("content flat: none: needs an arc of at most 180 degrees, found 300") !=
        std::string::npos);
  const ProgramResult refused = tilewall_wall({"show", file, "--content", "flat"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err == "tilewall: --content: expected an arc of at most 180 degrees, found 300\n");
  CHECK(tilewall_wall({"show", file, "--content", "round"}).exit_code == 2);
}

TEST_CASE("wall show: --bezels chooses the canvas that wall show speaks of", "[wall][cli]") {
  const auto canvas_width = [](const char* mode) {
    const ProgramResult result =
        tilewall_wall({"show", shipped("5x3.toml"), "--json", "--bezels", mode});
    return Json::parse(result.out).at("canvas_width_px").get<int>();
  };
  CHECK(canvas_width("show") == 12800);
  CHECK(canvas_width("hide") == 13535);
}

TEST_CASE("wall show as text has a line for every panel", "[wall][cli]") {
  const ProgramResult result = tilewall_wall({"show", shipped("mixed.toml")});
  CHECK(result.exit_code == 0);
  for (const Panel& panel : shipped_wall("mixed.toml").panels)
    CHECK(result.out.find("\n" + panel.name + " ") != std::string::npos);
  CHECK(result.out.find("hole \"loudspeaker\"") != std::string::npos);
}

TEST_CASE("wall show --svg writes a drawing of every shipped wall", "[wall][cli]") {
  const TemporaryFolder folder;
  for (const char* name : shipped_walls) {
    CAPTURE(name);
    const std::string file = folder / "wall.svg";
    const ProgramResult result = tilewall_wall({"show", shipped(name), "--svg", file});
    CHECK(result.exit_code == 0);
    const std::string svg = read_text_file(file, 1U << 20);
    check_well_formed(svg);
    for (const Panel& panel : shipped_wall(name).panels)
      CHECK(svg.find(">" + panel.name + "<") != std::string::npos);
    CHECK((svg.find("Plan, seen from above") != std::string::npos) ==
          (name == std::string("5x2.toml")));
    CHECK(tilewall_wall({"show", shipped(name), "--svg", "-"}).out == svg);
  }
}

TEST_CASE("names with XML's own characters are drawn as they are", "[wall][cli]") {
  const TemporaryFolder folder;
  write_file_atomically(
      folder / "wall.toml",
      "name = \"a <b> & \\\"c\\\" \\uFFFE\"\ncolumns = 1\nrows = 1\n[panels]\n"
      "size_px = [640, 480]\n[[panel]]\ncolumn = 0\nrow = 0\nname = \"</text>&\"\n");
  const ProgramResult result =
      tilewall_wall({"show", (folder / "wall.toml").string(), "--svg", "-"});
  REQUIRE(result.exit_code == 0);
  check_well_formed(result.out);
  CHECK(result.out.find("a &lt;b&gt; &amp; &quot;c&quot; ?") != std::string::npos);
  CHECK(result.out.find(">&lt;/text&gt;&amp;<") != std::string::npos);
}

TEST_CASE("a drawing that cannot be written fails in one line and leaves nothing", "[wall][cli]") {
  const TemporaryFolder folder;
  const std::string file = folder / "missing/wall.svg";
  const ProgramResult result = tilewall_wall({"show", shipped("single.toml"), "--svg", file});
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK(result.err == "tilewall: " + file + ": open: No such file or directory\n");
  CHECK(fs::is_empty(folder.path()));
}
