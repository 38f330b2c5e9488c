// Show files with opened inputs: places on the wall, what is missing, kiosks, and the check.
#include "player/cli/present/open_cues.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/cli/present/kiosk.hpp"
#include "player/cli/present/show_check.hpp"
#include "sync/base/error.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;

namespace {

constexpr int movie_frames = 48;

/// A wall of 5x3 panels, each of the same whole number of pixels.
wall::Wall small() { return wall::scaled_wall_5x3(SizePx{1280, 800}); }

struct OpenedShow {
  explicit OpenedShow(const std::string& text, const CueWays& ways = {})
      : file(cues::show_from_text(folder() / "show.toml", text)),
        show(open_cues(file, wall, ways, {})) {}

  /// A folder with the wall movie "movie".
  static const std::filesystem::path& folder() {
    static const test::TemporaryFolder made;
    static const bool has_movie = [] {
      test::write_numbered_movie(made / "movie", {320, 96}, movie_frames);
      return true;
    }();
    static_cast<void>(has_movie);
    return made.path();
  }

  [[nodiscard]] const cues::RegionSetting& region(std::size_t cue, std::size_t index = 0) const {
    return show.list.cues.at(cue).regions.at(index);
  }

  wall::Wall wall = small();
  cues::ShowFile file;
  director::CueShow show;
};

std::string refusal(const std::string& text, const CueWays& ways = {}) {
  try {
    const OpenedShow show(text, ways);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("inputs are relative to the show file, and each is opened once", "[present]") {
  const OpenedShow show(R"([[cue]]
name = "one"
input = "movie"
start = 10
in = 5
out = 20
loop = 3
speed = -2

[[cue]]
name = "two"
[[cue.region]]
name = "side"
input = "movie"
)");
  const cues::RegionSetting& first = show.region(0);
  CHECK(first.source->kind == scene::SourceKind::wall_movie);
  CHECK(first.source->path == (OpenedShow::folder() / "movie").string());
  CHECK(first.source == show.region(1).source);
  REQUIRE(first.play);
  CHECK(first.play->first == 5);
  CHECK(first.play->end == 21);
  CHECK(first.play->start == 10);
  CHECK(first.play->rounds == 3);
  CHECK(first.play->backwards);
  CHECK(first.play->speed == Rational{2, 1});
  REQUIRE(show.region(1).play);
  CHECK(show.region(1).play->end == movie_frames);
}

TEST_CASE("cues are numbered from 1 where none of them has a number", "[present]") {
  const auto numbers = [](const std::string& of_second) {
    const OpenedShow show("[[cue]]\nname = \"one\"\npattern = \"card\"\n[[cue]]\nname = \"two\"\n" +
                          of_second);
    return show.show.list.cues.at(0).number + "," + show.show.list.cues.at(1).number;
  };
  CHECK(numbers("") == "1,2");
  CHECK(numbers("number = \"7\"\n") == ",7");
}

TEST_CASE("a region's place is in pixels, millimetres, shares or panels of the wall", "[present]") {
  const auto place = [](const std::string& line) {
    const OpenedShow show("[[cue]]\nname = \"one\"\ninput = \"pattern:card\"\n" + line + "\n");
    return show.region(0).canvas_px.value_or(RectF{});
  };
  const wall::Wall wall = small();
  const wall::Canvas canvas(wall, wall.default_bezel_mode());
  const SizePx size_px = canvas.size_px();
  CHECK(place("place_px = [10, 20, 300, 200]") == RectF{10, 20, 300, 200});
  CHECK(place("place = [0.5, 0, 0.5, 1]") ==
        RectF{size_px.width / 2.0, 0, size_px.width / 2.0, static_cast<double>(size_px.height)});
  const RectF mm = place("place_mm = [0, 0, 100, 50]");
  CHECK(mm.width == Approx(100 * canvas.px_per_mm()));
  const RectF panels = place("panels = [\"c1r0\", \"c2r1\"]");
  CHECK(panels.x == canvas.panel_rect_px(1).x);
  CHECK(panels.right() == canvas.panel_rect_px(7).right());
  CHECK(panels.bottom() == canvas.panel_rect_px(7).bottom());
  CHECK(refusal("[[cue]]\nname = \"one\"\ninput = \"pattern:card\"\nplace_px = [9000, 0, 10, 10]\n")
            .find("canvas pixels") != std::string::npos);
  CHECK(refusal("[[cue]]\nname = \"one\"\ninput = \"pattern:card\"\npanels = [\"c9r0\"]\n")
            .find("a panel of the wall") != std::string::npos);
}

TEST_CASE("regions keep their share of the wall where a cue changes the bezels", "[present]") {
  const auto file = cues::show_from_text(OpenedShow::folder() / "show.toml", R"([show]
bezels = "hide"
[[cue]]
name = "one"
input = "pattern:card"
place = [0, 0, 0.5, 1]
[[cue]]
name = "two"
bezels = "show"
)");
  const wall::Wall wall = wall::load_wall(test::source_path("wallconfigs/5x3.toml"));
  const director::CueShow show = open_cues(file, wall, {}, {});
  for (std::size_t i = 0; i < 2; ++i) {
    const cues::CueState state = cues::resolve(show.list, i, show.before);
    const SizePx size_px = wall::Canvas(wall, state.bezels).size_px();
    CHECK(state.regions.at(0).canvas_px.width == Approx(size_px.width / 2.0));
  }
}

TEST_CASE("what cannot be opened is refused with file, line and cue", "[present]") {
  const std::string missing = refusal("[[cue]]\nname = \"one\"\ninput = \"gone.mp4\"\n");
  CHECK(missing.find("show.toml:1: cue \"one\"") != std::string::npos);
  CHECK(missing.find("gone.mp4") != std::string::npos);
  CHECK(refusal("[[cue]]\nname = \"one\"\ninput = \"movie\"\nout = 48\n")
            .find("a frame in [0, 47]") != std::string::npos);
  CHECK(refusal("[[cue]]\nname = \"one\"\ninput = \"movie\"\ntf = \"magma\"\n") != "");
  CHECK(refusal("[[cue]]\nname = \"one\"\ninput = \"pattern:cart\"\n").find("card") !=
        std::string::npos);
  CHECK(refusal("[[cue]]\nname = \"one\"\nopacity = 0.5\n").find("an input") != std::string::npos);
  CHECK(refusal("[[cue]]\nname = \"one\"\ninput = \"movie\"\n[[cue]]\nname = \"two\"\n"
                "[[cue.region]]\nname = \"side\"\nremove = true\n")
            .find("a region of a cue before") != std::string::npos);
}

TEST_CASE("a missing input may leave a placeholder, or be left out", "[present]") {
  const OpenedShow placeholder(
      "[[cue]]\nname = \"one\"\ninput = \"gone.mp4\"\n"
      "missing = \"placeholder\"\n");
  CHECK(placeholder.region(0).source->path == "black");
  CHECK(placeholder.region(0).slate == "gone.mp4\nis missing");
  REQUIRE(placeholder.show.missing.size() == 1);
  CHECK(placeholder.show.missing[0].cue == "one");
  CHECK(placeholder.show.missing[0].why.find("gone.mp4") != std::string::npos);
  CueWays unattended;
  unattended.refuses = false;
  const OpenedShow refused("[[cue]]\nname = \"one\"\ninput = \"gone.mp4\"\n", unattended);
  CHECK(refused.region(0).slate == "gone.mp4\nis missing");
  CHECK(refused.show.missing.size() == 1);
  const OpenedShow skipped(R"([[cue]]
name = "one"
input = "movie"
[[cue]]
name = "two"
[[cue.region]]
name = "side"
input = "gone.mp4"
missing = "skip"
[[cue]]
name = "three"
[[cue.region]]
name = "side"
opacity = 0.5
[[cue]]
name = "four"
[[cue.region]]
name = "side"
remove = true
)");
  CHECK(skipped.show.missing.size() == 1);
  for (std::size_t cue = 1; cue < 4; ++cue) CHECK(skipped.show.list.cues[cue].regions.empty());
}

TEST_CASE("a region that is there goes where its next input is missing and skipped", "[present]") {
  const OpenedShow show(R"([[cue]]
name = "one"
input = "movie"
[[cue.region]]
name = "side"
input = "movie"
[[cue]]
name = "two"
[[cue.region]]
name = "side"
input = "gone.mp4"
missing = "skip"
[[cue]]
name = "three"
[[cue.region]]
name = "side"
remove = true
[[cue]]
name = "four"
input = "gone.mp4"
missing = "skip"
)");
  REQUIRE(show.show.list.cues[1].regions.size() == 1);
  CHECK(show.region(1).name == "side");
  CHECK(show.region(1).removed);
  CHECK(show.show.list.cues[2].regions.empty());
  // The only region of the wall stays, and is black.
  CHECK(show.region(3).name == "main");
  CHECK_FALSE(show.region(3).removed);
  CHECK(show.region(3).source->path == "black");
  CHECK(show.region(3).slate.empty());
}

TEST_CASE("a volume that is read in another way is another source", "[present]") {
  const std::string volume = "\ninput = \"" TILEWALL_SOURCE_DIR "/tests/data/volumes/knot.nrrd\"\n";
  const OpenedShow show("[[cue]]\nname = \"one\"" + volume + "[[cue]]\nname = \"two\"" + volume +
                        "up = \"0,1,0\"\n[[cue]]\nname = \"three\"" + volume + "up = \"1,0,0\"\n" +
                        "[[cue]]\nname = \"four\"" + volume + "up = \"0,1,0\"\n");
  CHECK(show.region(0).source != show.region(1).source);
  CHECK(show.region(1).source != show.region(2).source);
  CHECK(show.region(1).source == show.region(3).source);
}

TEST_CASE("a comparison whose input is missing and skipped stays away", "[present]") {
  const OpenedShow show(R"([show]
missing = "skip"
[[cue]]
name = "one"
input = "movie"
compare = {mode = "swipe", input = "gone.mp4"}
[[cue]]
name = "two"
compare = {mode = "difference"}
[[cue]]
name = "three"
compare = {mode = "swipe", input = "movie"}
[[cue]]
name = "four"
compare = {mode = "difference"}
)");
  const auto& cues = show.show.list.cues;
  for (const std::size_t cue : {0U, 1U}) CHECK_FALSE(cues[cue].compare.value().mode);
  CHECK(cues[2].compare.value().mode == scene::CompareMode::swipe);
  CHECK(cues[3].compare.value().mode == scene::CompareMode::difference);
}

TEST_CASE("a kiosk goes on by itself, and begins again", "[present]") {
  OpenedShow show(R"([[cue]]
name = "movie"
input = "movie"
[[cue]]
name = "card"
input = "pattern:card"
[[cue]]
name = "timed"
follow = "after 2"
)");
  make_kiosk(show.show.list, "");
  const auto& list = show.show.list.cues;
  CHECK(list[0].follow->kind == cues::Follow::Kind::at_end);
  CHECK(list[1].follow->kind == cues::Follow::Kind::after);
  CHECK(list[2].follow->seconds == 2);
  CHECK(cues::next_of(show.show.list, 2, 0)->index == 0);
  CHECK_THROWS_AS(make_kiosk(show.show.list, "no such"), InputError);
}

TEST_CASE("a cue of one frame, or that plays for ever, does not end a kiosk's wait", "[present]") {
  const auto follow_of = [](const std::string& keys) {
    OpenedShow show("[[cue]]\nname = \"a\"\ninput = \"movie\"\n" + keys);
    make_kiosk(show.show.list, "");
    return *show.show.list.cues.at(0).follow;
  };
  const cues::Follow at_end{cues::Follow::Kind::at_end, 0};
  const cues::Follow after_a_while{cues::Follow::Kind::after, 10};
  CHECK(follow_of("in = 3\nout = 4\n") == at_end);
  CHECK(follow_of("in = 3\nout = 3\n") == after_a_while);
  CHECK(follow_of("loop = 2\n") == at_end);
  CHECK(follow_of("loop = \"forever\"\n") == after_a_while);
  CHECK(follow_of("hold = true\n") == after_a_while);
}

TEST_CASE("a kiosk of one section leaves the others' cues as they are", "[present]") {
  OpenedShow show(R"([[section]]
name = "lobby"
[[section]]
name = "talk"
loop = true
rounds = 3
[[cue]]
name = "hall"
section = "lobby"
input = "pattern:card"
[[cue]]
name = "talks"
section = "talk"
input = "pattern:card"
)");
  // A cue's name is not that of its section.
  CHECK_THROWS_WITH(make_kiosk(show.show.list, "talks"),
                    "--section: expected a section of the show (nearest: talk), found \"talks\"");
  CHECK_THROWS_WITH(make_kiosk(show.show.list, "lobbi"), Catch::Contains("(nearest: lobby)"));
  make_kiosk(show.show.list, "lobby");
  const auto& list = show.show.list;
  CHECK(list.cues[0].follow->seconds == 10);
  CHECK_FALSE(list.cues[1].follow);
  REQUIRE(list.sections.size() == 2);
  CHECK(list.sections[0].loop);
  CHECK(list.sections[0].rounds == 0);
  CHECK(list.sections[1].rounds == 3);
}

TEST_CASE("a check tells what each cue needs, and all that is missing", "[present]") {
  const cues::ShowFile file = cues::show_from_text(OpenedShow::folder() / "show.toml", R"([[cue]]
name = "one"
input = "movie"
[[cue]]
name = "two"
input = "gone.mp4"
)");
  const auto check = checked_show(file, small(), {}, {});
  CHECK(check.at("ok") == false);
  CHECK(check.at("cues").size() == 2);
  const auto& needs = check.at("cues").at(0).at("needs");
  CHECK(needs.at("decode_mpixel_s").get<double>() == Approx(320 * 96 * 24 / 1e6));
  CHECK(needs.at("read_bytes_s").get<double>() > 0);
  REQUIRE(check.at("findings").size() == 1);
  CHECK(check.at("findings").at(0).at("light") == "red");
  CHECK(check.at("findings").at(0).at("cue") == "two");
  CHECK(check.at("findings").at(0).at("line") == 4);
  CHECK(check_text(check).find("gone.mp4") != std::string::npos);
  CHECK(checked_show(file, small(), {false, ""}, {}).at("ok") == true);  // without opening
  const cues::ShowFile range = cues::show_from_text(
      OpenedShow::folder() / "show.toml", "[[cue]]\nname = \"one\"\ninput = \"x\"\nout = 20\n");
  CHECK(checked_show(range, small(), {false, ""}, {}).at("ok") == true);
}
