// The test card on real walls: every mark stands on every panel where the wall file puts it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "player/movie/codecs/png_writer.hpp"
#include "render/pattern.hpp"
#include "tests/support/card_marks.hpp"
#include "tests/support/control_port.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::wall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

struct WallUse {
  std::string wall;
  BezelMode bezels = BezelMode::hide;
  ContentMode content = ContentMode::arc_length;
};

Words words_of(const WallUse& use, const fs::path& snapshot) {
  return {"--frames",
          "1",
          "--bezels",
          use.bezels == BezelMode::hide ? "hide" : "show",
          "--content",
          std::string(to_string(use.content)),
          "--fit",
          "stretch",
          "--snapshot-panels",
          "0:" + snapshot.string()};
}

constexpr double off_by_jpeg_px = 0.02;
constexpr double resampled_px = 0.5;

/// Nothing is resampled.
bool is_exact(const PanelMap& map, SizePx viewed_px) {
  const RectF rect = map.bounds_px(viewed_px);
  return map.is_upright(viewed_px) && rect.width == viewed_px.width &&
         rect.height == viewed_px.height;
}

/// Plays `input` and looks for the marks in what every panel showed.
void check_marks(const fs::path& input, const WallUse& use, double exact_px = 0.001) {
  CAPTURE(use.wall, static_cast<int>(use.bezels), to_string(use.content));
  const TemporaryFolder folder;
  const Show show = play_show(input, use.wall, words_of(use, folder / "card.png"));
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const Wall wall = load_wall(test_wall(use.wall));
  const Canvas canvas(wall, use.bezels, use.content);
  CHECK(show.report.at("wall").at("canvas_width_px") == canvas.size_px().width);
  for (std::size_t i = 0; i < wall.panels.size(); ++i) {
    const Panel& panel = wall.panels[i];
    const TestPicture picture = read_png(folder / ("card-" + panel.name + ".png"));
    const MarksFound found = find_marks(picture.view(), canvas.panel_map(i), canvas.size_px());
    CAPTURE(panel.name, found.wrong, found.worst_px);
    CHECK(found.wrong.empty());
    CHECK(found.marks >= 1);
    CHECK(found.worst_px <=
          (is_exact(canvas.panel_map(i), panel.viewed_size_px()) ? exact_px : resampled_px));
  }
}

/// A picture of the whole canvas, as a movie of one frame has it.
void write_card(const fs::path& file, SizePx canvas_px) {
  PatternInfo info;
  info.canvas_px = canvas_px;
  info.panel_on_canvas_px = {0, 0, static_cast<double>(canvas_px.width),
                             static_cast<double>(canvas_px.height)};
  const TestPicture picture(canvas_px);
  paint_card(info, picture.view());
  movie::write_snapshot(picture.view(), file);
}

}  // namespace

TEST_CASE("turned panels, mixed sizes, a hole: the card's marks are where the wall file puts them",
          "[play][card]") {
  check_marks("pattern:card", {"card.toml", BezelMode::hide});
  check_marks("pattern:card", {"card.toml", BezelMode::show});
}

TEST_CASE("in the overlap of panels both show the same marks", "[play][card]") {
  check_marks("pattern:card", {"overlap.toml"});
}

TEST_CASE("on an arc the card's marks are where each content mode puts them", "[play][card]") {
  for (const ContentMode content : content_modes)
    check_marks("pattern:card", {"arc.toml", BezelMode::hide, content});
  check_marks("pattern:card", {"arc.toml", BezelMode::show, ContentMode::eye});
}

TEST_CASE("an imported movie of the card lies on an arc as the pattern does", "[play][card]") {
  const TemporaryFolder folder;
  const Canvas canvas(load_wall(test_wall("arc.toml")), BezelMode::hide, ContentMode::eye);
  write_card(folder / "card-000000.png", canvas.size_px());
  const ProgramResult imported =
      run_program({tilewall_program, "import", (folder / "card-000000.png").string(), "-o",
                   (folder / "movie").string()});
  CAPTURE(imported.err);
  REQUIRE(imported.exit_code == 0);
  check_marks(folder / "movie", {"arc.toml", BezelMode::hide, ContentMode::eye}, off_by_jpeg_px);
}

TEST_CASE("the content mode of a running wall changes on all panels at one tick", "[play][card]") {
  const auto hash_in = [](const std::string& content, const std::string& panel) {
    const Show show =
        play_show("pattern:card", "arc.toml", {"--frames", "1", "--content", content});
    return shown_by(show.report, panel).at(0).hash;
  };
  const TemporaryFolder folder;
  RunningProgram show(
      play_words("pattern:card", "arc.toml",
                 {"--headless", "--hashes", "--frames", "60", "--fps", "30", "--run-dir",
                  (folder / "run").string(), "--report", (folder / "report.json").string()}));
  REQUIRE(eventually([&] { return fs::exists(folder / "run" / "control.addr"); }));
  ControlPort port(folder / "run");
  const nlohmann::json refused = port.ask({{"type", "content"}, {"mode", "round"}});
  CHECK(refused.at("type") == "refused");
  CHECK(port.ask({{"type", "content"}, {"mode", "eye"}}).at("type") == "done");
  const ProgramResult result = show.wait(std::chrono::seconds(30));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const nlohmann::json report = read_report(folder / "report.json");
  std::set<std::ptrdiff_t> changed_after;
  for (const std::string panel : {"c0r0", "c4r1"}) {
    const std::vector<ShownHash> shown = shown_by(report, panel);
    const auto is = [&](const std::string& hash) {
      return [hash](const ShownHash& one) { return one.hash == hash; };
    };
    const std::string unrolled = hash_in("arc_length", panel);
    const auto change = std::find_if_not(shown.begin(), shown.end(), is(unrolled));
    CAPTURE(panel, shown.size(), change - shown.begin());
    CHECK(shown.size() > 10);
    CHECK(change != shown.end());
    CHECK(std::all_of(change, shown.end(), is(hash_in("eye", panel))));
    changed_after.insert(change - shown.begin());
  }
  CHECK(changed_after.size() == 1);
}
