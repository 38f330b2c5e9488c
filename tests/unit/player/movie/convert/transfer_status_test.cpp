// What a running import, export or rendering tells of its rate and of the time that is left.

#include "player/movie/convert/transfer_status.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::TemporaryFolder;

namespace {

TransferProgress progress_of(std::int64_t done, std::int64_t total) {
  TransferProgress progress;
  progress.done = done;
  progress.total = total;
  progress.bytes = 77;
  return progress;
}

/// Keeps the newest status of a job.
class LastStatus final : public ProgressSink {
 public:
  void update(const TransferProgress& /*progress*/) override { ++updates; }
  void status(const TransferStatus& status) override { last = status; }
  void note(const std::string& /*line*/) override {}
  TransferStatus last;
  int updates = 0;
};

/// Locks the folder as the job does that writes into it.
UniqueFd locked(const std::filesystem::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(::flock(fd.get(), LOCK_EX | LOCK_NB) == 0);
  return fd;
}

}  // namespace

TEST_CASE("a job that was resumed has the rate of what it has done itself", "[movie]") {
  TransferPace pace;
  CHECK(pace.is_due());
  CHECK_FALSE(pace.next(progress_of(100, 300), {}).left_s);
  CHECK_FALSE(pace.is_due());
  const TransferStatus idle = pace.next(progress_of(100, 300), {});
  CHECK(idle.per_s == 0);
  CHECK_FALSE(idle.left_s);
  const TransferStatus busy = pace.next(progress_of(150, 300), {});
  CHECK(busy.per_s > 0);
  REQUIRE(busy.left_s);
  CHECK(*busy.left_s == Approx(150 / busy.per_s));
}

TEST_CASE("the time that is left is unknown without a total, and never below 0", "[movie]") {
  TransferPace pace;
  static_cast<void>(pace.next(progress_of(0, 0), {}));
  CHECK_FALSE(pace.next(progress_of(5, 0), {}).left_s);
  CHECK(pace.next(progress_of(5, 4), {}).left_s == 0.0);
}

TEST_CASE("the status of a job is read while it runs, and by nobody later", "[movie]") {
  const TemporaryFolder folder;
  UniqueFd lock = locked(folder.path());
  CHECK_FALSE(running_status(folder.path()));
  LastStatus sink;
  {
    StatusFile file(folder.path(), std::nullopt);
    file.update(progress_of(3, 12), {{"wall-01", "draws", 4, 2}, {"wall-02", "waits", {}, 1}},
                sink);
    CHECK(sink.last.progress.done == 3);
    CHECK(sink.last.workers.size() == 2);
    const auto read = running_status(folder.path());
    REQUIRE(read);
    CHECK(read->progress.done == 3);
    CHECK(read->progress.total == 12);
    CHECK(read->progress.bytes == 77);
    CHECK_FALSE(read->left_s);
    REQUIRE(read->workers.size() == 2);
    CHECK(read->workers[0].name == "wall-01");
    CHECK(read->workers[0].state == "draws");
    CHECK(read->workers[0].frame == 4);
    CHECK(read->workers[0].stored == 2);
    CHECK_FALSE(read->workers[1].frame);
    lock.reset();
    CHECK_FALSE(running_status(folder.path()));  // a killed job has left it
  }
  CHECK_FALSE(std::filesystem::exists(folder / "status.json"));
}

TEST_CASE("a status that no job has written is none", "[movie][bad-input]") {
  const TemporaryFolder folder;
  const UniqueFd lock = locked(folder.path());
  for (const char* const text :
       {"", "{", R"({"done": 1})",
        R"({"done": -1, "total": 2, "bytes": 0, "per_s": 1, "workers": []})",
        R"({"done": 1, "total": 2, "bytes": 0, "per_s": 1, "workers": {}})"}) {
    CAPTURE(text);
    std::ofstream(folder / "status.json") << text;
    CHECK_FALSE(running_status(folder.path()));
  }
  std::ofstream(folder / "status.json")
      << R"({"done": 1, "total": 2, "bytes": 0, "per_s": 1, "left_s": 4, "workers": []})";
  const auto status = running_status(folder.path());
  REQUIRE(status);
  CHECK(status->left_s == 4.0);
}

TEST_CASE("a job without room for the file tells its status once a second, and all else",
          "[movie]") {
  LastStatus to;
  PacedSink sink(to);
  sink.update(progress_of(1, 9));
  CHECK(to.last.progress.done == 1);
  sink.update(progress_of(2, 9));
  CHECK(to.updates == 2);
}
