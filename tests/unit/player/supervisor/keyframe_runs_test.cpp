// What becomes of an operator's orders about a flight path, where the wall does not answer.

#include "player/supervisor/keyframe_runs.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/base/file.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;
using director::KeyframeOrder;

namespace {
namespace keyframe_runs_test {

/// A show that keeps a path. Its run directory has no control port, so commands end at once.
struct KeptShow {
  explicit KeptShow(const char* path = "path.toml") {
    if (*path != 0) options.keyframes = folder / path;
    runs.emplace(options, run_dir);
  }

  /// The next answer to an order, once its command has ended.
  [[nodiscard]] std::string answer() {
    std::optional<std::string> line;
    static_cast<void>(test::eventually([&] {
      line = runs->look();
      if (const auto end = line ? std::nullopt : reap_any()) line = runs->take_end(*end);
      return line.has_value();
    }));
    return line.value_or("nothing");
  }
  [[nodiscard]] std::filesystem::path state_file() const {
    return run_dir.path() / scene::kept_path_file;
  }
  [[nodiscard]] scene::KeptPath state() const {
    return scene::kept_path_from_json(
        nlohmann::json::parse(file_beginning(state_file(), std::size_t{1} << 16)));
  }

  test::TemporaryFolder folder;
  RunDir run_dir{folder / "run"};
  SupervisorOptions options;
  std::optional<KeyframeRuns> runs;
};

}  // namespace keyframe_runs_test
}  // namespace

using keyframe_runs_test::KeptShow;

TEST_CASE("an order for a flight path that cannot be carried out is answered with the reason",
          "[supervisor]") {
  KeptShow show;
  CHECK(show.state() == scene::KeptPath{(show.folder / "path.toml").string(), false, 0, "", false});
  show.runs->order(KeyframeOrder::add);
  show.runs->order(KeyframeOrder::remove_nearest);
  CHECK_FALSE(show.runs->look());
  // Another child's end is not the command's.
  CHECK_FALSE(show.runs->take_end({1, 0, 0}));
  const std::string added = show.answer();
  CHECK_THAT(added, Catch::Contains(show.run_dir.path().string()));
  CHECK(show.state().answers == 1);
  CHECK(show.state().answer == added);
  CHECK(show.state().has_failed);
  CHECK_FALSE(show.state().is_previewed);
  CHECK_FALSE(added.starts_with("tilewall: "));
  CHECK_FALSE(show.answer() == "nothing");  // each order has an answer of its own
  CHECK(show.state().answers == 2);
}

TEST_CASE("the state of a flight path's preview follows the command that flies it",
          "[supervisor]") {
  KeptShow show;
  {
    show.runs->order(KeyframeOrder::preview);
    CHECK_FALSE(show.runs->look());
  }
  CHECK(show.state().is_previewed);
  CHECK_FALSE(show.runs->take_end({1, 0, 0}));
  CHECK(show.state().is_previewed);
  SECTION("it fails by itself") {
    CHECK_THAT(show.answer(), Catch::StartsWith("preview: " + show.options.keyframes.string()));
    CHECK(show.state().has_failed);
  }
  SECTION("it is stopped") {
    show.runs->order(KeyframeOrder::preview);  // waits, and is dropped by the end of the preview
    show.runs->order(KeyframeOrder::stop_preview);
    CHECK(show.answer() == "preview: stopped");
    CHECK_FALSE(show.state().has_failed);
    CHECK_FALSE(show.runs->look());
  }
  CHECK_FALSE(show.state().is_previewed);
  CHECK(show.state().answers == 1);
}

TEST_CASE("a show without a flight path takes no orders for one", "[supervisor]") {
  KeptShow show("");
  show.runs->order(KeyframeOrder::add);
  CHECK_FALSE(show.runs->look());
  CHECK_FALSE(reap_any());
  CHECK_FALSE(std::filesystem::exists(show.state_file()));
}
