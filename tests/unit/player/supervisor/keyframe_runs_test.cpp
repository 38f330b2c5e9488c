// Orders about the flight path of a show that does not answer: one command after the other, and
// what becomes known of them.

#include "player/supervisor/keyframe_runs.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/file.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;

namespace {
namespace keyframe_runs_test {

struct Runs {
  [[nodiscard]] scene::KeptPath state() const {
    return scene::kept_path_from_json(
        nlohmann::json::parse(read_text_file(run_dir.path() / scene::kept_path_file, 100'000)));
  }
  /// The answer to the command that runs; "" where none runs.
  std::string answer() {
    std::string line;
    static_cast<void>(test::eventually([&] {
      const auto end = reap_any();
      if (!end) return false;
      line = runs.take_end(*end).value_or("of nobody");
      return true;
    }));
    return line;
  }

  const test::TemporaryFolder folder;
  SupervisorOptions options = [this] {
    SupervisorOptions made;
    made.keyframes = folder / "path.toml";
    return made;
  }();
  RunDir run_dir{folder / "run"};
  KeyframeRuns runs{options, run_dir};
};

}  // namespace keyframe_runs_test

using keyframe_runs_test::Runs;

}  // namespace

TEST_CASE("an order about the path is answered in one line, which the console has too",
          "[supervisor]") {
  using director::KeyframeOrder;
  Runs show;
  CHECK(show.state().file == (show.folder / "path.toml").string());
  CHECK(show.state().answers == 0);
  show.runs.order(KeyframeOrder::add);
  show.runs.order(KeyframeOrder::remove_nearest);
  CHECK_FALSE(show.runs.look());
  CHECK_FALSE(show.runs.look());  // the second command waits for the first
  CHECK_FALSE(show.runs.take_end(ChildEnd{1, 0, 0}));
  const std::string first = show.answer();
  CHECK_FALSE(first.empty());
  CHECK(first.find('\n') == std::string::npos);
  CHECK_FALSE(first.starts_with("tilewall: "));
  CHECK(show.state().answer == first);
  CHECK(show.state().answers == 1);
  CHECK(show.state().has_failed);  // no director answers
  CHECK_FALSE(show.runs.look());
  CHECK(show.answer() != "of nobody");
  CHECK(show.state().answers == 2);
  CHECK_FALSE(show.runs.look());
}

TEST_CASE("a preview is begun once, and one that waits is taken back", "[supervisor]") {
  using director::KeyframeOrder;
  Runs show;
  show.runs.order(KeyframeOrder::preview);
  show.runs.order(KeyframeOrder::stop_preview);
  CHECK_FALSE(show.runs.look());
  CHECK_FALSE(show.state().is_previewed);
  show.runs.order(KeyframeOrder::preview);
  show.runs.order(KeyframeOrder::preview);
  CHECK_FALSE(show.runs.look());
  CHECK(show.state().is_previewed);
  CHECK_THAT(show.answer(), Catch::StartsWith("preview: "));
  CHECK_FALSE(show.state().is_previewed);
  CHECK(show.state().has_failed);
  CHECK(show.state().answers == 1);
}
