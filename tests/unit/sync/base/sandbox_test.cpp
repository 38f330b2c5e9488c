#include "sync/base/sandbox.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "sync/base/child_process.hpp"
#include "sync/base/process.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using test::TemporaryFolder;

namespace {

/// Runs `body` in a child that has entered the sandbox. The exit code is the body's.
int confined(const Sandbox& sandbox, const std::function<int(const Confinement&)>& body) {
  const pid_t child = start_role("sandboxed", {}, [&] { return body(enter_sandbox(sandbox)); });
  return wait_for(child, std::chrono::seconds(60)).exit_code;
}

/// The errno of a call that returned `result`; 0 if it was done.
int error_of(long result) { return result < 0 ? errno : 0; }

int open_error(const std::filesystem::path& path, int flags) {
  return error_of(::open(path.c_str(), flags, 0600));
}

}  // namespace

TEST_CASE("a sandbox shows the folder of the file alone", "[base]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "in" / "below");
  for (const char* name : {"in/file", "in/below/file", "out"})
    std::ofstream(folder / name) << "text";
  const auto file = folder / "in" / "file";
  const int wrong = confined({.readable = folders_to_read(file)}, [&](const Confinement& holds) {
    if (!holds.files) return 0;  // a kernel without Landlock
    if (open_error(file, O_RDONLY) != 0) return 1;
    if (open_error(folder / "in" / "below" / "file", O_RDONLY) != 0) return 2;
    if (open_error(folder / "in", O_RDONLY | O_DIRECTORY) != 0) return 3;
    if (open_error(folder / "out", O_RDONLY) != EACCES) return 4;
    if (open_error("/etc/passwd", O_RDONLY) != EACCES) return 5;
    if (open_error(file, O_WRONLY) != EACCES) return 6;
    if (open_error(folder / "in" / "new", O_WRONLY | O_CREAT) != EACCES) return 7;
    if (error_of(::unlink(file.c_str())) != EACCES) return 8;
    if (open_error(folder / "nowhere", O_RDONLY) != ENOENT) return 9;
    return 0;
  });
  CHECK(wrong == 0);
}

TEST_CASE("a sandbox writes in the folders that it was given", "[base]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "logs");
  const int wrong = confined(
      {.readable = {}, .writable = {folder / "logs", folder / "nowhere"}, .writes_files = true},
      [&](const Confinement& holds) {
        std::ofstream(folder / "logs" / "log") << "line\n";
        if (open_error(folder / "logs" / "log", O_RDONLY) != 0) return 1;
        const int error = open_error(folder / "other", O_WRONLY | O_CREAT);
        return !holds.files || error == EACCES ? 0 : 2;
      });
  CHECK(wrong == 0);
  CHECK(std::filesystem::file_size(folder / "logs" / "log") == 5);
}

TEST_CASE("a sandbox refuses sockets, programs and other processes", "[base]") {
  const int wrong = confined({.readable = {}}, [](const Confinement& holds) {
    if (!holds.system_calls) return 0;  // a kernel or container without seccomp
    if (error_of(::socket(AF_INET, SOCK_STREAM, 0)) != EPERM) return 1;
    if (error_of(::socket(AF_UNIX, SOCK_STREAM, 0)) != EPERM) return 2;
    char* const none[] = {nullptr};
    if (error_of(::execve("/bin/true", none, none)) != EPERM) return 3;
    if (error_of(::kill(::getppid(), 0)) != EPERM) return 4;
    if (test::sanitized()) return 0;
    if (error_of(::fork()) != EPERM) return 5;
    if (error_of(::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr)) != EPERM) return 6;
    return 0;
  });
  CHECK(wrong == 0);
}

TEST_CASE("a sandbox with sockets has those of IP alone", "[base]") {
  const int wrong = confined({.readable = {}, .sockets = true}, [](const Confinement& holds) {
    if (error_of(::socket(AF_INET, SOCK_STREAM, 0)) != 0) return 1;
    if (!holds.system_calls) return 0;
    if (error_of(::socket(AF_UNIX, SOCK_STREAM, 0)) != EPERM) return 2;
    return error_of(::socket(AF_NETLINK, SOCK_RAW, 0)) == EPERM ? 0 : 3;
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads run in a sandbox, memory has its limit, and a crash ends it", "[base]") {
  const int sum = confined({.readable = {}}, [](const Confinement&) {
    int value = 0;
    std::jthread([&value] { value = 7; }).join();
    return value;
  });
  CHECK(sum == 7);
  if (test::sanitized()) return;
  const int refused = confined({.readable = {}}, [](const Confinement&) {
    limit_memory(std::uint64_t{1} << 30);
    void* const memory = ::mmap(nullptr, std::size_t{2} << 30, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? errno : 0;
  });
  CHECK(refused == ENOMEM);
  const pid_t child = start_role("sandboxed", {}, [] {
    enter_sandbox({.readable = {}});
    std::signal(SIGABRT, SIG_DFL);  // the test framework's handler would report it
    std::abort();
    return 0;
  });
  CHECK(wait_for(child, std::chrono::seconds(60)).signal == SIGABRT);
}

TEST_CASE("what a sandbox lacks is named", "[base]") {
  CHECK(missing_confinement({true, true}).empty());
  CHECK(missing_confinement({false, true}) == "Landlock");
  CHECK(missing_confinement({true, false}) == "seccomp");
  CHECK(missing_confinement({false, false}) == "Landlock and seccomp");
}

TEST_CASE("the folders of files, links, folders and patterns", "[base]") {
  using Paths = std::vector<std::filesystem::path>;
  const TemporaryFolder made;
  const auto folder = std::filesystem::canonical(made.path());
  std::filesystem::create_directories(folder / "disk" / "deep");
  std::filesystem::create_directories(folder / "links");
  std::ofstream(folder / "disk" / "a%04d.nrrd") << "x";
  std::filesystem::create_symlink(folder / "disk" / "a%04d.nrrd", folder / "links" / "a");
  CHECK(folders_to_read(folder / "disk" / "a%04d.nrrd").front() == folder / "disk");
  CHECK(folders_to_read(folder / "links" / "a") == Paths{folder / "links", folder / "disk"});
  CHECK(folders_to_read(folder / "disk").front() == folder / "disk");
  CHECK(folders_to_read(folder / "disk" / "ct-%04d.nrrd") == Paths{folder / "disk"});
  CHECK(folders_to_read(folder / "*" / "deep" / "x*.nrrd") == Paths{folder});
  CHECK(folders_to_read("ct-*.nrrd") == Paths{"."});
  const test::ScopedEnvironment home("HOME", folder.string());
  CHECK(folders_to_read("~/disk/*.nrrd") == Paths{folder / "disk"});
}

TEST_CASE("files that links of a folder lead to are read, folders are not", "[base]") {
  using Paths = std::vector<std::filesystem::path>;
  const TemporaryFolder made;
  const auto folder = std::filesystem::canonical(made.path());
  for (const char* name : {"store", "scan", "scan/deep"})
    std::filesystem::create_directories(folder / name);
  for (const char* name : {"store/a", "store/b", "scan/header"})
    std::ofstream(folder / name) << "x";
  std::filesystem::create_symlink("../store/a", folder / "scan" / "data");
  std::filesystem::create_symlink("../../store/b", folder / "scan" / "deep" / "chunk");
  std::filesystem::create_symlink("../store", folder / "scan" / "all");
  std::filesystem::create_symlink("../store/none", folder / "scan" / "lost");
  CHECK(linked_files(folder / "scan" / "header").front() == folder / "store" / "a");
  CHECK(linked_files(folder / "scan" / "*.nrrd") == Paths{folder / "store" / "a"});
  Paths below = linked_files(folder / "scan");
  std::ranges::sort(below);
  below.erase(std::unique(below.begin(), below.end()), below.end());
  CHECK(below == Paths{folder / "store" / "a", folder / "store" / "b"});
  CHECK(linked_files(folder / "store").empty());
}

TEST_CASE("an isolated program has no environment and no descriptors", "[base]") {
  const test::ScopedEnvironment secret("TILEWALL_SECRET_FILE", "0123");
  const test::ScopedEnvironment delay("TILEWALL_TEST_DELAY", "5");
  const TemporaryFolder folder;
  const int open = ::open("/etc/passwd", O_RDONLY);  // exec does not close it
  ChildOptions options;
  options.environment = {{"GIVEN", "1"}};
  options.output = folder / "output";
  options.isolated = true;
  const pid_t child = start_program(
      {"/bin/sh", "-c",
       "test -e /proc/self/fd/" + std::to_string(open) + " && echo open; exec /usr/bin/env"},
      options);
  ::close(open);
  CHECK(wait_for(child, std::chrono::seconds(60)).exit_code == 0);
  std::ifstream output(options.output);
  bool given = false;
  for (std::string line; std::getline(output, line);) {
    CAPTURE(line);
    given = given || line == "GIVEN=1";
    CHECK(line != "open");
    CHECK_FALSE(line.starts_with("TILEWALL_SECRET_FILE"));
    CHECK_FALSE(line.starts_with("HOME="));
  }
  CHECK(given);
}
