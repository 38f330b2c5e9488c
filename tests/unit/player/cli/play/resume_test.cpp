// Which options of a show that died hold, and which those beside --resume.

#include "player/cli/play/resume.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "player/director/log/show_journal.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/kept_journal.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::cli;
namespace fs = std::filesystem;

namespace {

/// The run directory of a show that was started in another folder, and died.
class DeadShow {
 public:
  DeadShow() {
    fs::create_directory(kept_.folder / "began");
    fs::create_directory(kept_.folder / "here");
    director::ShowJournal journal(kept_.memory.get(), kept_.file);
    journal.begin({{"version", director::journal_version},
                   {"wall", "w"},
                   {"arguments", {"play", "movie", "--report", "old.json", "--trace", "old.trace"}},
                   {"folder", (kept_.folder / "began").string()}},
                  test::start);
    scene::Scene scene = first_scene({movie_region("main", movie_source(100))});
    scene.since = scene.tick_grid.start = test::start;
    journal.write(scene, {}, test::start);
  }
  ~DeadShow() { fs::current_path(before_); }
  DeadShow(const DeadShow&) = delete;
  DeadShow& operator=(const DeadShow&) = delete;

  /// The show as it goes on after `--resume ..` in the folder "here".
  ShowToResume resumed(PlayArguments given) const {
    fs::current_path(kept_.folder / "here");
    given.resume = "..";
    return show_to_resume(given, parse_play);
  }
  fs::path here(const std::string& file) const { return kept_.folder / "here" / file; }
  fs::path folder(const std::string& name) const { return kept_.folder / name; }

 private:
  const fs::path before_ = fs::current_path();
  test::KeptJournal kept_;
};

}  // namespace

TEST_CASE("files beside --resume are those of the folder in which it is typed", "[cli][resume]") {
  const DeadShow dead;
  PlayArguments given;
  given.report = "new.json";
  given.trace = "new.trace";
  given.key_file = "key";
  const ShowToResume show = dead.resumed(given);
  CHECK(show.parsed.arguments.report == dead.here("new.json"));
  CHECK(show.parsed.arguments.trace == dead.here("new.trace"));
  CHECK(show.parsed.arguments.key_file == dead.here("key"));
  CHECK(fs::equivalent(show.run_dir, dead.folder("")));
  CHECK(show.run_dir.is_absolute());
  CHECK(fs::equivalent(fs::current_path(), dead.folder("began")));
  CHECK(show.words.at(1) == "movie");
}

TEST_CASE("a resumed show keeps its trace, and not its report", "[cli][resume]") {
  const DeadShow dead;
  PlayArguments given;
  given.seconds = 2.5;
  given.json = true;
  const ShowToResume show = dead.resumed(given);
  CHECK(show.parsed.arguments.report.empty());
  CHECK(show.parsed.arguments.trace == "old.trace");
  CHECK(show.parsed.arguments.inputs == std::vector<std::string>{"movie"});
  CHECK(show.parsed.arguments.seconds == 2.5);
  CHECK(show.parsed.arguments.json);
  CHECK_FALSE(show.parsed.arguments.headless);
  CHECK_FALSE(show.parsed.arguments.local);
  given.headless = given.local = true;
  const ShowToResume alone = dead.resumed(given);
  CHECK(alone.parsed.arguments.headless);
  CHECK(alone.parsed.arguments.local);
}

TEST_CASE("a show whose folder is gone is not resumed", "[cli][resume]") {
  const DeadShow dead;
  fs::remove(dead.folder("began"));
  CHECK_THROWS_WITH(dead.resumed({}),
                    Catch::Contains("expected the folder in which the show was started"));
}
