#include "player/cues/show_file.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "player/cues/revision.hpp"
#include "sync/base/error.hpp"
#include "tests/unit/player/cues/random_show.hpp"

using namespace tilewall;
using namespace tilewall::cues;

namespace {

ShowFile read(const std::string& text) { return show_from_text("show.toml", text); }

constexpr const char* evening = R"(# The open evening, in May.
[show]
name = "Open evening"   # shown to the operator
fade = 1.5
late = "slow"
missing = "placeholder"
bounce = 0.5

[[section]]
name = "doors"
loop = true

[[section]]
name = "talk"

# Before the talk.
[[cue]]
name = "Welcome"
number = 1
section = "doors"
input = ["logo.png", "film.mp4"]  # a playlist
loop = "forever"
mute = true

[[cue]]
name = "Jet"
number = "2.5"
note = """
Wait for the applause.
Then go."""
colour = "green"
section = "talk"
transition = "through_black 2"
follow = "after 90"
volume = 0.8

  # The jet on the left.
  [[cue.region]]
  name = "main"
  input = "jet.tw"
  place = [0, 0, 0.5, 1]
  in = 100
  out = 499
  loop = 3
  speed = 0.5

  [[cue.region]]
  name = "volume"
  input = "jet.nc"
  panels = ["c3r0", "c4r2"]
  tf = "viridis"
  tf_opacity = 0.5
  fov = 40
  lit = true
  plane = ["1,0,0,5", "0,1,0,2"]
  glide = 3

# The end.
[[cue]]
name = "Black"
number = 3
black = true
compare = { mode = "off" }
goto = "1"
)";

/// The canonical form of `evening`.
constexpr const char* canonical_evening = R"([show]
name = "Open evening"
fade = 1.5
late = "slow"
missing = "placeholder"
bounce = 0.5

[[section]]
name = "doors"
loop = true

[[section]]
name = "talk"

[[cue]]
name = "Welcome"
number = 1
section = "doors"
mute = true
input = ["logo.png", "film.mp4"]
loop = "forever"

[[cue]]
name = "Jet"
number = "2.5"
note = """
Wait for the applause.
Then go."""
colour = "green"
section = "talk"
volume = 0.8
transition = "through_black 2"
follow = "after 90"

[[cue.region]]
name = "main"
input = "jet.tw"
place = [0, 0, 0.5, 1]
in = 100
out = 499
loop = 3
speed = 0.5

[[cue.region]]
name = "volume"
input = "jet.nc"
panels = ["c3r0", "c4r2"]
tf = "viridis"
tf_opacity = 0.5
lit = true
plane = ["1,0,0,5", "0,1,0,2"]
fov = 40
glide = 3

[[cue]]
name = "Black"
number = 3
black = true
compare = "off"
goto = "1"
)";

}  // namespace

TEST_CASE("a show file is read", "[cues]") {
  const ShowFile show = read(evening);
  CHECK(show.name == "Open evening");
  CHECK(show.fade_s == 1.5);
  CHECK(show.late == "slow");
  CHECK(show.missing == MissingInput::placeholder);
  CHECK(show.bounce_s == 0.5);
  CHECK(show.sections == std::vector<SectionEntry>{{"doors", true, 0}, {"talk", false, 0}});
  REQUIRE(show.cues.size() == 3);

  const CueEntry& welcome = show.cues[0];
  CHECK(welcome.line == 17);
  CHECK(welcome.end_line == 24);
  CHECK(welcome.number == "1");
  CHECK(welcome.mute == true);
  REQUIRE(welcome.regions.size() == 1);
  CHECK(welcome.regions[0].name == "main");
  CHECK(welcome.regions[0].inputs == std::vector<std::string>{"logo.png", "film.mp4"});
  CHECK(welcome.regions[0].loop == Looping::loop);
  CHECK_FALSE(welcome.regions[0].rounds);

  const CueEntry& jet = show.cues[1];
  CHECK(jet.line == 25);
  CHECK(jet.end_line == 57);
  CHECK(jet.note == "Wait for the applause.\nThen go.");
  CHECK(jet.transition == Transition{Transition::Kind::through_black, 2});
  CHECK(jet.follow == Follow{Follow::Kind::after, 90});
  REQUIRE(jet.regions.size() == 2);
  CHECK(jet.regions[0].line == 38);
  CHECK(jet.regions[0].place == Place{Place::Unit::share, {0, 0, 0.5, 1}, {}});
  CHECK(jet.regions[0].in == 100);
  CHECK(jet.regions[0].out == 499);
  CHECK(jet.regions[0].rounds == 3);
  CHECK(jet.regions[0].speed == Rational{1, 2});
  CHECK(jet.regions[1].place == Place{Place::Unit::panels, {}, {"c3r0", "c4r2"}});
  CHECK(jet.regions[1].volume == std::map<std::string, std::string>{{"tf", "viridis"},
                                                                    {"opacity", "0.5"},
                                                                    {"fov", "40"},
                                                                    {"lit", "true"},
                                                                    {"plane", "1,0,0,5;0,1,0,2"}});
  CHECK(jet.regions[1].glide_s == 3);

  CHECK(show.cues[2].black == true);
  CHECK(show.cues[2].compare == CompareEntry{"off", "", {}, {}});
  CHECK(show.cues[2].goto_cue == "1");
}

TEST_CASE("a show has one canonical form", "[cues]") {
  CHECK(to_text(read(evening)) == canonical_evening);
  CHECK(to_text(read(canonical_evening)) == canonical_evening);
}

TEST_CASE("a cue's number is written as it was", "[cues]") {
  for (const char* number : {"7", "999999999", "\"007\"", "\"0\"", "\"1234567890\"", "\"2a\""}) {
    const std::string text = fmt::format("[[cue]]\nname = \"a\"\nnumber = {}\n", number);
    CHECK(to_text(read(text)) == text);
  }
}

TEST_CASE("every show reads back from its canonical form", "[cues]") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const ShowFile show = RandomShow(seed).make(1 + seed % 12);
    const std::string text = to_text(show);
    CAPTURE(text);
    const ShowFile back = read(text);
    REQUIRE(back.cues.size() == show.cues.size());
    for (std::size_t i = 0; i < show.cues.size(); ++i) CHECK(back.cues[i] == show.cues[i]);
    CHECK(back == show);
    CHECK(to_text(back) == text);
  }
}

TEST_CASE("words of transitions, follows, loops and speeds are read", "[cues]") {
  const auto cue = [](const std::string& keys) {
    return read("[[cue]]\nname = \"a\"\n" + keys).cues.front();
  };
  CHECK(cue("transition = \"cut\"").transition == Transition{});
  CHECK(cue("transition = \"fade 0.25\"").transition == Transition{Transition::Kind::fade, 0.25});
  CHECK(cue("transition = \"through_black 60\"").transition ==
        Transition{Transition::Kind::through_black, 60});
  CHECK(cue("follow = \"at end\"").follow == Follow{Follow::Kind::at_end, 0});
  CHECK(cue("follow = \"after 86400\"").follow == Follow{Follow::Kind::after, 86'400});
  CHECK(cue("follow = \"at 00:00\"").follow == Follow{Follow::Kind::at_clock, 0});
  CHECK(cue("follow = \"at 20:15\"").follow == Follow{Follow::Kind::at_clock, 72'900});
  CHECK(cue("follow = \"at 23:59:59\"").follow == Follow{Follow::Kind::at_clock, 86'399});
  CHECK(cue("loop = \"once\"").regions.at(0).loop == Looping::once);
  CHECK(cue("loop = \"ping_pong\"\nrounds = 2").regions.at(0).rounds == 2);
  CHECK(cue("speed = -2").regions.at(0).speed == Rational{-2, 1});
  CHECK(cue("speed = \"1/3\"").regions.at(0).speed == Rational{1, 3});
  CHECK(cue("fps = 29.97").regions.at(0).fps == Rational{30'000, 1001});
  CHECK(cue("place_mm = [0, 0, 10, 20.5]").regions.at(0).place ==
        Place{Place::Unit::mm, {0, 0, 10, 20.5}, {}});
  CHECK(cue("compare = \"swipe\"").compare == CompareEntry{"swipe", "", {}, {}});
  CHECK(cue("[cue.compare]\nmode = \"swipe\"\ninput = \"b\"").compare ==
        CompareEntry{"swipe", "b", {}, {}});
  CHECK(cue("").regions.empty());
}

TEST_CASE("a pattern is the input of the region main", "[cues]") {
  CueEntry cue = read("[[cue]]\nname = \"a\"\npattern = \"grid\"\n").cues.front();
  REQUIRE(regions_of(cue).size() == 1);
  CHECK(regions_of(cue)[0].name == "main");
  CHECK(regions_of(cue)[0].inputs == std::vector<std::string>{"pattern:grid"});
  cue.regions.emplace_back().opacity = 0.5;
  REQUIRE(regions_of(cue).size() == 1);
  CHECK(regions_of(cue)[0].opacity == 0.5);
  CHECK(regions_of(cue)[0].inputs == std::vector<std::string>{"pattern:grid"});
}

TEST_CASE("a region keeps its place, and begins anew with an input", "[cues]") {
  RegionEntry before;
  before.inputs = {"a"};
  before.place = Place{Place::Unit::share, {0, 0, 1, 0.5}, {}};
  before.in = 10;
  before.loop = Looping::loop;
  before.rounds = 4;
  before.volume = {{"tf", "gray"}, {"lit", "true"}};
  before.glide_s = 2;

  RegionEntry faster;
  faster.speed = Rational{2, 1};
  faster.volume = {{"lit", "false"}};
  const RegionEntry kept = tracked(before, faster);
  CHECK(kept.inputs == before.inputs);
  CHECK(kept.in == 10);
  CHECK(kept.rounds == 4);
  CHECK(kept.speed == Rational{2, 1});
  CHECK(kept.volume == std::map<std::string, std::string>{{"tf", "gray"}, {"lit", "false"}});
  CHECK(kept.glide_s == 0);

  RegionEntry endless;
  endless.loop = Looping::loop;
  CHECK_FALSE(tracked(before, endless).rounds);

  RegionEntry other;
  other.inputs = {"b"};
  const RegionEntry anew = tracked(before, other);
  CHECK(anew.inputs == other.inputs);
  CHECK(anew.place == before.place);
  CHECK_FALSE(anew.in);
  CHECK_FALSE(anew.loop);
  CHECK(anew.volume.empty());
}

TEST_CASE("a changed cue alone is rewritten in the file's text", "[cues]") {
  ShowFile show = read(evening);
  CHECK(merged_text(evening, show) == evening);

  show.cues[0].note = "New.";
  const std::string merged = merged_text(evening, show);
  CHECK(read(merged) == show);
  const std::string before(evening, std::string(evening).find("[[cue]]"));
  const std::string behind =
      std::string(evening).substr(std::string(evening).find("\n[[cue]]\nname = \"Jet\""));
  CHECK(merged == before + to_text(show.cues[0]) + behind);
}

TEST_CASE("cues are removed from the text of a show, and added to it", "[cues]") {
  ShowFile show = read(evening);
  show.cues.erase(show.cues.begin());
  show.cues[1].goto_cue.reset();
  CueEntry added;
  added.name = "Encore";
  show.cues.insert(show.cues.begin() + 1, added);
  added.name = "First";
  show.cues.insert(show.cues.begin(), added);
  added.name = "Last";
  show.cues.push_back(added);
  const std::string merged = merged_text(evening, show);
  CAPTURE(merged);
  CHECK(read(merged).cues == show.cues);
  CHECK(merged.find("# The open evening, in May.") != std::string::npos);
  CHECK(merged.find("  # The jet on the left.") != std::string::npos);
  CHECK(merged.find("# The end.\n[[cue]]\nname = \"Black\"") != std::string::npos);
}

TEST_CASE("a removed cue takes the blank lines behind it along", "[cues]") {
  const std::string first = "[[cue]]\nname = \"a\"\n\n";
  const std::string last = "# The end.\n[[cue]]\nname = \"c\"\n";
  const std::string text = first + "[[cue]]\nname = \"b\"\n\n \t\n" + last;
  ShowFile show = read(text);
  REQUIRE(show.cues.size() == 3);
  show.cues.erase(show.cues.begin() + 1);
  CHECK(merged_text(text, show) == first + last);
}

TEST_CASE("cues that cannot be put into the text alone give the canonical form", "[cues]") {
  const std::string in_one_line = "cue = [{ name = \"a\" }, { name = \"b\" }]\n";
  ShowFile show = read(in_one_line);
  CHECK(merged_text(in_one_line, show) == in_one_line);
  show.cues[1].black = true;
  CHECK(merged_text(in_one_line, show) == to_text(show));
  show = read(evening);
  std::swap(show.cues[1], show.cues[2]);
  CHECK(merged_text(evening, show) == to_text(show));
}

TEST_CASE("any change of cues can be merged", "[cues]") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    RandomShow random(seed);
    const ShowFile before = random.make(1 + seed % 9);
    const std::string text = "# kept\n\n" + to_text(before) + "\n# kept too";
    ShowFile after = before;
    for (CueEntry& cue : after.cues) cue.goto_cue.reset();
    after.cues[seed % after.cues.size()].note = "changed";
    after.cues.insert(after.cues.begin() + static_cast<std::ptrdiff_t>(seed % 2),
                      random.cue("new"));
    const std::string merged = merged_text(text, after);
    CAPTURE(merged);
    CHECK(read(merged).cues == after.cues);
    CHECK(merged.starts_with("# kept\n\n"));
    CHECK(merged.find("# kept too") != std::string::npos);
  }
}

TEST_CASE("lines of Windows keep a show what it is", "[cues]") {
  std::string text;
  for (const char c : std::string(evening))
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  ShowFile show = read(text);
  show.cues[2].black = false;
  CHECK(read(merged_text(text, show)).cues == show.cues);
}

TEST_CASE("changes of cues read back from their text", "[cues]") {
  CHECK(changes_text({}).empty());
  CHECK(changes_from_text("").empty());
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    RandomShow random(seed);
    std::vector<CueEntry> changes;
    for (unsigned i = 0; i <= seed % 4; ++i)
      changes.push_back(random.cue("cue " + std::to_string(i)));
    CHECK(changes_from_text(changes_text(changes)) == changes);
  }
}

TEST_CASE("changes of cues are written as cues of a show, with a blank line between", "[cues]") {
  CueEntry dark, loud;
  dark.name = "Dark";
  dark.black = true;
  loud.name = "Loud";
  loud.volume = 2;
  CHECK(changes_text({dark}) == to_text(dark));
  CHECK(changes_text({dark, loud}) == to_text(dark) + "\n" + to_text(loud));
  const std::vector<CueEntry> found = changes_from_text(
      "[[cue]]\nname = \"Dark\"\nblack = true\n\n[[cue]]\nname = \"Loud\"\nvolume = 2\n");
  CHECK(found == std::vector{dark, loud});
}

TEST_CASE("changes of cues that are none are refused by their line", "[cues]") {
  CHECK_THROWS_WITH(changes_from_text("[[cue]]\nname = \"Loud\"\nvolume = 3\n"),
                    Catch::StartsWith("changes:3: ") && Catch::Contains("volume"));
  CHECK_THROWS_AS(changes_from_text("name = 3"), InputError);
  CHECK_THROWS_AS(changes_from_text(" "), InputError);
}
