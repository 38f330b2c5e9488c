// What the options of a presentation make of its show file.

#include "player/cli/present/present_options.hpp"

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;

namespace {
namespace present_options_test {

constexpr const char* show_text = R"([show]
late = "lower"

[[section]]
name = "main"

[[cue]]
name = "intro"
number = 1
input = "pattern:card"

[[cue]]
name = "talk"
number = 2
section = "main"
input = "pattern:count"

[[cue]]
name = "end"
number = 3
input = "pattern:card"
)";

class Presented {
 public:
  Presented() {
    arguments.play.wall = (folder_ / "wall.toml").string();
    arguments.play.headless = true;
    write_file_atomically(arguments.play.wall,
                          "columns = 2\nrows = 1\n[panels]\nsize_px = [100, 50]\n");
  }
  [[nodiscard]] supervisor::SupervisorOptions options() const {
    return present_options(cues::show_from_text(folder_ / "show.toml", show_text), arguments, {});
  }
  [[nodiscard]] std::string cue() const { return options().show.scene.cue->cue; }
  [[nodiscard]] std::string refusal() const {
    try {
      static_cast<void>(options());
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

 private:
  const test::TemporaryFolder folder_;

 public:
  PresentArguments arguments;
};

}  // namespace present_options_test

using present_options_test::Presented;

}  // namespace

TEST_CASE("a presentation begins with the cue or the section that is asked for", "[present]") {
  Presented show;
  CHECK(show.cue() == "intro");
  show.arguments.section = "main";
  CHECK(show.cue() == "talk");
  show.arguments.start = "end";
  CHECK(show.cue() == "end");
  show.arguments.start = "2";
  CHECK(show.cue() == "talk");
  show.arguments.start = "outro";
  CHECK_THAT(show.refusal(), Catch::StartsWith("--start: ") && Catch::Contains("outro"));
  show.arguments.start.clear();
  show.arguments.section = "mian";
  CHECK(show.refusal() == "--section: expected a section of the show, found \"mian\"");
}

TEST_CASE("a presentation has all its cues, and a console", "[present]") {
  Presented show;
  const auto options = show.options();
  REQUIRE(options.show.cues);
  CHECK(options.show.cues->list.cues.size() == 3);
  CHECK(options.show.scene.version == 1);
  CHECK(options.show.scene.epoch == 1);
  CHECK(options.show.scene.since == scene::never);
  CHECK_FALSE(options.show.ends_with_cues);
  CHECK_FALSE(options.show.unarmed);
  CHECK(options.console.on);
}

TEST_CASE("the show file's late policy holds where no other is recorded", "[present]") {
  Presented show;
  CHECK(show.options().show.late == scene::LatePolicy::lower);
  show.arguments.late_is_recorded = true;
  CHECK(show.options().show.late == scene::LatePolicy::drop);
}

TEST_CASE("switches of a presentation are in its first scene", "[present]") {
  Presented show;
  CHECK(show.options().show.scene.hints);
  CHECK_FALSE(show.options().show.scene.overlay.shown);
  show.arguments.play.hints = "off";
  show.arguments.play.overlay = true;
  show.arguments.unarmed = "now";
  show.arguments.play.bezels = "hide";
  show.arguments.play.sound.volume_percent = 25;
  const auto options = show.options();
  CHECK_FALSE(options.show.scene.hints);
  CHECK(options.show.scene.overlay.shown);
  CHECK(options.show.unarmed);
  CHECK(options.show.scene.bezels == wall::BezelMode::hide);
  CHECK(options.show.scene.audio_gain == 0.25);
}

TEST_CASE("a kiosk's last cue is followed by its first", "[present]") {
  Presented show;
  show.arguments.kiosk = true;
  const auto options = show.options();
  for (const cues::Cue& cue : options.show.cues->list.cues) {
    CAPTURE(cue.name);
    CHECK(cue.follow);
  }
  CHECK_FALSE(options.show.ends_with_cues);
}

TEST_CASE("a rehearsal ends after its last cue, and has no console", "[present]") {
  Presented show;
  show.arguments.rehearses = true;
  show.arguments.each_s = 2.5;
  show.arguments.play.exit_at_end = true;
  const auto options = show.options();
  CHECK(options.show.ends_with_cues);
  CHECK_FALSE(options.show.exit_at_end);
  CHECK_FALSE(options.console.on);
  for (const cues::Cue& cue : options.show.cues->list.cues) {
    REQUIRE(cue.follow);
    CHECK(cue.follow->seconds == 2.5);
  }
}
