// Folders and links that another user leaves where a show will make its own.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "player/command/control_client.hpp"
#include "player/host/host_run_dir.hpp"
#include "player/movie/cache/movie_cache.hpp"
#include "player/supervisor/run_dir.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/attack/other_user.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// A folder like /tmp, where shows have their run directories.
class SharedTemporary {
 public:
  SharedTemporary() {
    fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::others_exec);
    fs::create_directory(path());
    ::chmod(path().c_str(), 01777);
  }
  [[nodiscard]] fs::path path() const { return folder_ / "tmp"; }
  /// The name that older versions gave the run directory of a process.
  [[nodiscard]] fs::path planted(pid_t pid) const {
    return path() / fmt::format("tilewall-{}-{}", ::getuid(), pid);
  }

 private:
  const TemporaryFolder folder_;
  const ScopedEnvironment temporary_{"TMPDIR", path()};
  const ScopedEnvironment runtime_{"XDG_RUNTIME_DIR", ""};
};

mode_t mode_of(const fs::path& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

bool make_open_folder(const fs::path& path) {
  return ::mkdir(path.c_str(), 0777) == 0 && ::chmod(path.c_str(), 0777) == 0;
}

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a run directory in a shared folder has a name that nobody can guess", "[attack]") {
  const SharedTemporary shared;
  std::string first;
  {
    const supervisor::RunDir run_dir("");
    first = run_dir.path().filename().string();
    CHECK(run_dir.path().parent_path() == shared.path());
    CHECK(first.size() == shared.planted(::getpid()).filename().string().size() + 33);
    for (const fs::path& folder : {run_dir.path(), run_dir.path() / "logs"})
      CHECK(mode_of(folder) == 0700);
    run_dir.write("control.addr", "127.0.0.1:1");
    run_dir.write_secret("control.secret", "a secret of this show");
    CHECK(mode_of(run_dir.path() / "control.secret") == 0600);
    CHECK(supervisor::running_walls().own == std::vector<fs::path>{run_dir.path()});
  }
  CHECK(fs::is_empty(shared.path()));
  CHECK(supervisor::RunDir("").path().filename() != first);
}

TEST_CASE("a runtime folder of which others have a part is not used", "[attack]") {
  const SharedTemporary shared;
  const TemporaryFolder runtime;
  const ScopedEnvironment named("XDG_RUNTIME_DIR", runtime.path());
  CHECK(supervisor::run_dir_base() == runtime.path());
  fs::permissions(runtime.path(), fs::perms::owner_all | fs::perms::group_read);
  CHECK(supervisor::run_dir_base() == shared.path());
  fs::permissions(runtime.path(), fs::perms::owner_all);
  const fs::path link = shared.path() / "link";
  fs::create_symlink(runtime.path(), link);
  const ScopedEnvironment linked("XDG_RUNTIME_DIR", link);
  CHECK(supervisor::run_dir_base() == shared.path());
}

TEST_CASE("folders that another user has planted get no secret and give no address", "[attack]") {
  if (!may_be_other_user()) return;
  const SharedTemporary shared;
  const fs::path planted = shared.planted(::getpid());
  REQUIRE(as_other_user([&] {
    if (!make_open_folder(planted)) return false;
    std::ofstream(planted / "control.addr") << "127.0.0.1:1\n";
    return ::symlink(shared.path().c_str(), (planted / "logs").c_str()) == 0;
  }));
  CHECK(supervisor::running_walls().own.empty());
  const supervisor::RunDir run_dir("");
  CHECK(run_dir.path() != planted);
  run_dir.write("control.addr", "127.0.0.1:2");
  run_dir.write_secret("control.secret", "a secret of this show");
  CHECK(supervisor::running_walls().own == std::vector<fs::path>{run_dir.path()});
  CHECK_FALSE(as_other_user([&] {
    return ::access((run_dir.path() / "control.addr").c_str(), F_OK) == 0 ||
           ::mkdir((run_dir.path() / "more").c_str(), 0777) == 0;
  }));
  CHECK_FALSE(fs::exists(planted / "control.secret"));

  const std::string fault = "one of user 65534";
  CHECK_THAT(
      refusal_of([&] { const supervisor::RunDir named(planted); }),
      Catch::Contains("--run-dir: expected a folder of this user alone") && Catch::Contains(fault));
  CHECK_THAT(refusal_of([&] {
               const supervisor::RunDir resumed(planted, supervisor::RunDirUse::resumed);
             }),
             Catch::Contains("--resume"));
  CHECK_THAT(
      refusal_of([&] { const host::HostRunDir keepers(planted, std::chrono::milliseconds(0)); }),
      Catch::Contains("a folder of this user alone") && Catch::Contains(fault));
  command::WallAddress address;
  address.run_dir = planted;
  CHECK_THAT(refusal_of([&] { const command::WallConnection connection(address); }),
             Catch::Contains("--run-dir") && Catch::Contains(fault));
  CHECK(fs::exists(planted / "control.addr"));  // nothing was removed there
}

TEST_CASE("a pointer file of another user names no wall", "[attack]") {
  if (!may_be_other_user()) return;
  const SharedTemporary shared;
  const fs::path wall = shared.path() / "wall";
  const fs::path pointer = shared.planted(::getpid()).string() + ".run-dir";
  REQUIRE(as_other_user([&] {
    if (!make_open_folder(wall)) return false;
    std::ofstream(wall / "control.addr") << "127.0.0.1:1\n";
    std::ofstream(pointer) << wall.string() << "\n";
    return fs::exists(pointer);
  }));
  CHECK(supervisor::running_walls().given.empty());
}

TEST_CASE("a link in place of a run directory or of a log is not followed", "[attack]") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "target");
  fs::permissions(folder / "target", fs::perms::owner_all);
  fs::create_symlink(folder / "target", folder / "run");
  CHECK_THAT(refusal_of([&] { const supervisor::RunDir run_dir(folder / "run"); }),
             Catch::Contains("a symbolic link"));
  CHECK_THAT(refusal_of([&] {
               const host::HostRunDir keepers(folder / "run", std::chrono::milliseconds(0));
             }),
             Catch::Contains("a symbolic link"));
  CHECK(fs::is_empty(folder / "target"));

  std::ofstream(folder / "precious") << "precious\n";
  fs::create_symlink(folder / "precious", folder / "role.log");
  ChildOptions options;
  options.output = folder / "role.log";
  const pid_t child = start_program({"echo", "text"}, options);
  CHECK(wait_for(child, std::chrono::seconds(10)).exit_code == 0);
  CHECK(read_text_file(folder / "precious", 100) == "precious\n");
}

TEST_CASE("a cache that another user has planted is refused", "[attack]") {
  if (!may_be_other_user()) return;
  const SharedTemporary shared;
  const ScopedEnvironment cache("XDG_CACHE_HOME", "");
  const ScopedEnvironment home("HOME", "");
  const fs::path own = movie::cache_folder();
  CHECK(mode_of(own) == 0700);
  fs::remove(own);
  REQUIRE(as_other_user([&] { return make_open_folder(own); }));
  CHECK_THROWS_WITH(movie::cache_folder(), Catch::Contains("one of user 65534"));
  const ScopedEnvironment named("XDG_CACHE_HOME", shared.path());
  REQUIRE(as_other_user([&] { return make_open_folder(shared.path() / "tilewall"); }));
  CHECK_THROWS_WITH(movie::cache_folder(), Catch::Contains("one of user 65534"));
}
