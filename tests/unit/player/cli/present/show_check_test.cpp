// What `present check` tells of a show file, as values and as text.

#include "player/cli/present/show_check.hpp"

#include <catch2/catch.hpp>

#include "tests/support/numbered_movie.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using OrderedJson = nlohmann::ordered_json;

namespace {

/// The check of a show on a wall of 5x3 panels, without opening its inputs.
OrderedJson check_of(const std::string& text, const std::string& cue = "") {
  const wall::Wall wall = wall::scaled_wall_5x3(SizePx{1280, 800});
  return checked_show(cues::show_from_text("/shows/tour.toml", text), wall, {false, cue}, {});
}

/// The texts of the findings.
std::vector<std::string> findings_in(const OrderedJson& check) {
  std::vector<std::string> texts;
  for (const OrderedJson& finding : check.at("findings")) texts.push_back(finding.at("text"));
  return texts;
}

}  // namespace

TEST_CASE("a check tells each cue's number, section, change and what follows", "[present]") {
  const OrderedJson check = check_of(R"(
[[section]]
name = "talk"
[[cue]]
name = "one"
number = 7
section = "talk"
pattern = "grid"
transition = "fade 2.5"
follow = "after 10"
goto = "three"
[[cue]]
name = "two"
black = true
transition = "through_black 1.5"
follow = "at 08:05:09"
[[cue]]
name = "three"
follow = "at end"
[[cue]]
name = "four"
follow = "at 23:59:58"
)");
  CHECK(check.at("show") == "tour");  // the file's name, as the show has none
  CHECK(check.at("file") == "/shows/tour.toml");
  CHECK(check.at("ok") == true);
  const OrderedJson& cues = check.at("cues");
  REQUIRE(cues.size() == 4);
  CHECK(cues[0].at("index") == 0);
  CHECK(cues[0].at("number") == "7");
  CHECK(cues[0].at("section") == "talk");
  CHECK(cues[0].at("transition") == "fade 2.5");
  CHECK(cues[0].at("follow") == "after 10 s");
  CHECK(cues[0].at("next") == "three");
  CHECK(cues[0].at("black") == false);
  CHECK_FALSE(cues[0].contains("needs"));  // Only inputs that are open tell it.
  CHECK(cues[1].at("number").is_null());
  CHECK(cues[1].at("section") == "talk");  // it lies in the section that began before
  CHECK(cues[1].at("transition") == "through_black 1.5");
  CHECK(cues[1].at("follow") == "at 08:05:09");
  CHECK(cues[1].at("black") == true);
  CHECK(cues[1].at("next") == "three");
  CHECK(cues[2].at("transition") == "cut");
  CHECK(cues[2].at("follow") == "at end");
  CHECK(cues[3].at("follow") == "at 23:59:58");
  CHECK(cues[3].at("next").is_null());
}

TEST_CASE("a check lists one cue by its name or number, with its regions", "[present]") {
  const std::string text = R"(
[show]
name = "Tour"
[[cue]]
name = "one"
number = 7
input = "a.mp4"
in = 10
start = 12
speed = -2
loop = "ping_pong"
hold = true
opacity = 0.5
view_px = [1, 2, 30, 40]
[[cue]]
name = "two"
)";
  for (const char* const cue : {"one", "7"}) {
    const OrderedJson check = check_of(text, cue);
    CHECK(check.at("show") == "Tour");
    REQUIRE(check.at("cues").size() == 1);
    const OrderedJson& region = check.at("cues").at(0).at("regions").at(0);
    CHECK(region.at("region") == "main");
    CHECK(region.at("canvas_px").is_null());
    CHECK(region.at("view_px") == OrderedJson{1.0, 2.0, 30.0, 40.0});
    CHECK(region.at("opacity") == 0.5);
    CHECK(region.at("first") == 10);
    CHECK(region.at("last").is_null());
    CHECK(region.at("start") == 12);
    CHECK(region.at("speed") == -2.0);
    CHECK(region.at("loop") == "ping_pong");
    CHECK(region.at("hold") == true);
    CHECK_FALSE(region.contains("frames"));
  }
  CHECK(check_of(text, "two").at("cues").at(0).at("index") == 1);
  CHECK(check_of(text, "nobody").at("cues").empty());
}

TEST_CASE("a check tells of regions that hide or overlap others, where that begins", "[present]") {
  const auto regions = [](const std::string& more) {
    return R"([[cue]]
name = "one"
  [[cue.region]]
  name = "low"
  input = "pattern:grid"
  place = [0.2, 0.2, 0.4, 0.4]
  [[cue.region]]
  name = "high"
  input = "pattern:grid"
)" + more + "[[cue]]\nname = \"two\"\n";
  };
  const auto hides = check_of(regions("  place = [0.1, 0.1, 0.6, 0.6]\n"));
  CHECK(findings_in(hides) ==
        std::vector<std::string>{"region \"high\" hides all of region \"low\""});
  CHECK(hides.at("findings").at(0).at("light") == "amber");
  CHECK(hides.at("findings").at(0).at("cue") == "one");
  CHECK(hides.at("findings").at(0).at("line") == 1);
  CHECK(hides.at("ok") == true);
  CHECK(findings_in(check_of(regions("  place = [0.4, 0.2, 0.4, 0.4]\n"))) ==
        std::vector<std::string>{"region \"high\" overlaps region \"low\""});
  CHECK(findings_in(check_of(regions("  place = [0.2, 0.4, 0.4, 0.4]\n"))) ==
        std::vector<std::string>{"region \"high\" overlaps region \"low\""});
  // Beside it, seen through, or a difference: as it is meant.
  CHECK(findings_in(check_of(regions("  place = [0.6, 0.2, 0.4, 0.4]\n"))).empty());
  CHECK(
      findings_in(check_of(regions("  place = [0.1, 0.1, 0.6, 0.6]\n  opacity = 0.9\n"))).empty());
  CHECK(findings_in(check_of(regions("  place = [0.1, 0.1, 0.6, 0.6]\n  blend = \"difference\"\n")))
            .empty());
}

TEST_CASE("a check of open inputs tells how large and how long they are", "[present]") {
  const test::TemporaryFolder folder;
  test::write_numbered_movie(folder / "movie", {320, 96}, 48);
  const wall::Wall wall = wall::scaled_wall_5x3(SizePx{1280, 800});  // its canvas is 1280x480
  const auto cues = [&](const std::string& text) {
    return checked_show(cues::show_from_text(folder / "show.toml", text), wall, {}, {}).at("cues");
  };
  const OrderedJson playing = cues("[[cue]]\nname = \"one\"\ninput = \"movie\"\nspeed = 2\n").at(0);
  const OrderedJson& region = playing.at("regions").at(0);
  CHECK(region.at("last") == 47);
  CHECK(region.at("kind") == "wall_movie");
  CHECK(region.at("width_px") == 320);
  CHECK(region.at("height_px") == 96);
  CHECK(region.at("frames") == 48);
  CHECK(region.at("fps") == 24.0);
  CHECK(region.at("duration_s") == 2.0);
  CHECK(region.at("sound") == false);
  CHECK_FALSE(region.contains("missing"));
  const OrderedJson& needs = playing.at("needs");
  CHECK(needs.at("decode_mpixel_s").get<double>() == Approx(320 * 96 * 48 / 1e6));
  CHECK(needs.at("memory_bytes").get<double>() == 4.0 * 1280 * 480);
  // A region of a tenth of the canvas decodes no more pixels than it has, and reads a part.
  const OrderedJson small =
      cues("[[cue]]\nname = \"one\"\ninput = \"movie\"\nplace_px = [0, 0, 32, 96]\n").at(0);
  CHECK(small.at("needs").at("decode_mpixel_s").get<double>() == Approx(32 * 96 * 24 / 1e6));
  CHECK(small.at("needs").at("memory_bytes").get<double>() == 4.0 * 32 * 96);
  CHECK(small.at("needs").at("read_bytes_s").get<double>() ==
        Approx(needs.at("read_bytes_s").get<double>() / 2 / 10));
  // What stands still needs nothing but its memory, and a pattern has no end.
  const OrderedJson held = cues("[[cue]]\nname = \"one\"\ninput = \"movie\"\nhold = true\n").at(0);
  CHECK(held.at("needs").at("decode_mpixel_s") == 0.0);
  CHECK(held.at("needs").at("read_bytes_s") == 0.0);
  const OrderedJson pattern = cues("[[cue]]\nname = \"one\"\npattern = \"count\"\n").at(0);
  CHECK(pattern.at("regions").at(0).at("kind") == "pattern");
  CHECK(pattern.at("regions").at(0).at("frames").is_null());
  CHECK(pattern.at("regions").at(0).at("duration_s").is_null());
  CHECK(pattern.at("needs").at("read_bytes_s") == 0.0);
  const OrderedJson placeholder =
      cues("[[cue]]\nname = \"one\"\ninput = \"gone.mp4\"\nmissing = \"placeholder\"\n").at(0);
  CHECK(placeholder.at("regions").at(0).at("missing") == true);
}

TEST_CASE("the text of a check has a line for each cue, region and finding", "[present]") {
  OrderedJson check = {
      {"show", "Tour"}, {"file", "/shows/tour.toml"},   {"wall", "5x3"},
      {"ok", false},    {"cues", OrderedJson::array()}, {"findings", OrderedJson::array()}};
  CHECK(check_text(check) == "Tour: 0 cues on 5x3\nnothing to find fault with\n");
  check["cues"] = {
      {{"index", 0},
       {"name", "one"},
       {"number", nullptr},
       {"transition", "cut"},
       {"black", false},
       {"follow", nullptr}},
      {{"index", 1},
       {"name", "two\033"},
       {"number", "2.5"},
       {"transition", "fade 2"},
       {"black", true},
       {"follow", "at end"},
       {"regions", {{{"region", "main"}, {"input", "/a.tw"}}}},
       {"needs", {{"decode_mpixel_s", 123.4}, {"read_bytes_s", 2.5e6}, {"memory_bytes", 8.6e6}}}},
      {{"index", 2},
       {"name", "three"},
       {"number", nullptr},
       {"transition", "cut"},
       {"black", false},
       {"follow", nullptr},
       {"needs",
        {{"decode_mpixel_s", 1.0}, {"read_bytes_s", nullptr}, {"memory_bytes", nullptr}}}}};
  check["findings"] = {{{"light", "red"}, {"line", 4}, {"cue", "two"}, {"text", "main: no file"}},
                       {{"light", "amber"}, {"line", 0}, {"cue", nullptr}, {"text", "no section"}}};
  CHECK(check_text(check) ==
        "Tour: 3 cues on 5x3\n"
        "        one  cut\n"
        "   2.5  two?  fade 2, black, follows at end  (123 Mpixel/s, 2.5 MB/s, 9 MB)\n"
        "        main: /a.tw\n"
        "        three  cut  (1 Mpixel/s)\n"
        "red: /shows/tour.toml:4: cue \"two\": main: no file\n"
        "amber: no section\n");
}

TEST_CASE("a check of one cue knows only cues that there are", "[present]") {
  const std::string show = "[[cue]]\nname = \"one\"\npattern = \"grid\"\n";
  CHECK(check_of(show, "one").at("cues").size() == 1);
  const OrderedJson check = check_of(show, "two");
  CHECK(check.at("ok") == false);
  REQUIRE(check.at("findings").size() == 1);
  CHECK_THAT(check.at("findings")[0].at("text").get<std::string>(),
             Catch::Contains("found \"two\""));
}
