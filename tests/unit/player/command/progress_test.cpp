// What long jobs print while they run, and how they end when they are stopped.

#include "player/command/progress.hpp"

#include <catch2/catch.hpp>

#include "player/command/command.hpp"
#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::command;
using tilewall::movie::TransferProgress;

TEST_CASE("a bar fills with the share that is done, and there is none of an unknown whole",
          "[progress]") {
  CHECK(progress_bar({0, 48}) == "[........................] ");
  CHECK(progress_bar({1, 48}) == "[........................] ");
  CHECK(progress_bar({2, 48}) == "[#.......................] ");
  CHECK(progress_bar({12, 48}) == "[######..................] ");
  CHECK(progress_bar({47, 48}) == "[#######################.] ");
  CHECK(progress_bar({48, 48}) == "[########################] ");
  CHECK(progress_bar({60, 48}) == "[########################] ");
  CHECK(progress_bar({0, 0}).empty());
  CHECK(progress_bar({7, 0}).empty());
  CHECK(progress_bar({7, -1}).empty());
}

TEST_CASE("progress is told with its rate and the time that is left at that rate", "[progress]") {
  // 120 frames in 5 s, 20 of which were there before: 20 a second, so 600 take 30 s.
  CHECK(progress_text("import", {120, 720, 70'000'000}, 20, 5) ==
        "import 120/720 frames, 20.0 frames/s, 14.0 MB/s, 0:30 left");
  CHECK(progress_text("import", {120, 0, 70'000'000}, 20, 5) ==
        "import 120 frames, 20.0 frames/s, 14.0 MB/s");
  CHECK(progress_text("import", {720, 720, 70'000'000}, 620, 5) ==
        "import 720/720 frames, 20.0 frames/s, 14.0 MB/s");
  CHECK(progress_text("check", {20, 720, 0, "rows"}, 20, 5) == "check 20/720 rows");
  // One a second: minutes up to an hour, then hours.
  CHECK(progress_text("export", {1, 3600, 0}, 0, 1) ==
        "export 1/3600 frames, 1.0 frames/s, 59:59 left");
  CHECK(progress_text("export", {1, 3601, 0}, 0, 1) ==
        "export 1/3601 frames, 1.0 frames/s, 1:00:00 left");
  CHECK(progress_text("export", {1, 7385, 0}, 0, 1) ==
        "export 1/7385 frames, 1.0 frames/s, 2:03:04 left");
  CHECK(progress_text("export", {1, 2, 1000}, 0, 0) ==
        "export 1/2 frames, 1000.0 frames/s, 1.0 MB/s, 0:00 left");
}

TEST_CASE("a job that is stopped has failed, and its input was not bad", "[progress]") {
  std::stop_source stop;
  CHECK_NOTHROW(throw_if_stopped(stop.get_token()));
  stop.request_stop();
  CHECK_THROWS_AS(throw_if_stopped(stop.get_token()), JobError);
  CHECK_THROWS_WITH(throw_if_stopped(stop.get_token()), "interrupted before the show began");
}
