// Which folders jobs of this user write into now.

#include "sync/base/busy_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <optional>

#include "tests/support/file_size_limit.hpp"
#include "tests/support/run_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

TEST_CASE("a folder is busy as long as its job lives", "[base]") {
  const RunFolder run;
  CHECK(busy_folders().empty());
  std::optional<BusyFolder> first("/movies/./b");
  {
    const BusyFolder second("/movies/a");
    const std::vector<fs::path> both = busy_folders();
    CHECK(both == std::vector<fs::path>{"/movies/a", "/movies/b"});
    CHECK(busy_folders() == both);  // reading leaves them
  }
  CHECK(busy_folders() == std::vector<fs::path>{"/movies/b"});
  first.reset();
  CHECK(busy_folders().empty());
  CHECK(fs::is_empty(run.path()));
}

TEST_CASE("the note of a job that was killed counts for nothing, and goes", "[base]") {
  const RunFolder run;
  const pid_t job = ::fork();
  if (job == 0) {
    const BusyFolder busy("/movies/killed");
    ::raise(SIGKILL);
  }
  REQUIRE(::waitpid(job, nullptr, 0) == job);
  CHECK_FALSE(fs::is_empty(run.path()));
  CHECK(busy_folders().empty());
  CHECK(fs::is_empty(run.path()));
}

TEST_CASE("a job goes on where no note can be left", "[base]") {
  const RunFolder run;
  const FileSizeLimit full_disk(0);
  const BusyFolder busy("/movies/a");
  CHECK(busy_folders().empty());
  CHECK(fs::is_empty(run.path()));
}
