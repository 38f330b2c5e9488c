#include "player/host/host_run_dir.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"
#include "sync/base/process.hpp"

namespace tilewall::host {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds lock_look_interval{5};
constexpr std::chrono::seconds kill_limit{3};  // time for processes to end after SIGKILL

/// The contents of a lock file.
struct Holder {
  pid_t pid = 0;      // leader of the group of the host's processes
  bool made = false;  // it made the run directory
};

Holder holder_of(const fs::path& lock_file) {
  Holder holder;
  std::ifstream(lock_file) >> holder.pid >> holder.made;
  return holder;
}

/// Whoever else could write to the folder would choose what this host's processes read there.
void check_private(const fs::path& folder, const std::string& fault) {
  if (!fault.empty())
    throw JobError(
        fmt::format("{}: expected a folder of this user alone, found {}", folder.string(), fault));
}

bool is_same_file(int fd, const fs::path& path) {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

HostRunDir::HostRunDir(const fs::path& path, std::chrono::milliseconds patience)
    : path_(path), lock_file_(path / ("keeper-" + host_name() + ".lock")) {
  ::setpgid(0, 0);
  const auto kill_at = SteadyClock::now() + patience;
  for (bool asked = false; !try_lock(); std::this_thread::sleep_for(lock_look_interval)) {
    const auto now = SteadyClock::now();
    const pid_t leader = holder_of(lock_file_).pid;
    if (leader <= 1) {
      // The holder has not written its number yet.
    } else if (now > kill_at) {
      ::kill(-leader, SIGKILL);
    } else if (!std::exchange(asked, true)) {
      ::kill(leader, SIGTERM);
    }
    if (now > kill_at + kill_limit)
      throw JobError(fmt::format("processes of an older keeper of {} do not end: {} is locked",
                                 host_name(), lock_file_.string()));
  }
  for (const char* const part : {"pids", "logs"})
    if (!make_private_folder(path_ / part)) check_private(path_ / part, make_private(path_ / part));
}

HostRunDir::~HostRunDir() {
  std::error_code error;
  if (made_) fs::remove_all(path_, error);
}

/// Takes the lock if it is free. An older keeper may remove the directory with its lock file at any
/// moment before.
bool HostRunDir::try_lock() {
  std::error_code error;
  fs::create_directories(path_.parent_path(), error);
  const bool is_new = make_private_folder(path_);
  if (const std::string fault = fault_of_private_folder(path_); fs::exists(path_, error))
    check_private(path_, fault);
  UniqueFd file(::open(lock_file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.empty() && errno != ENOENT)
    throw JobError(fmt::format("{}: {}", lock_file_.string(), std::strerror(errno)));
  if (file.empty() || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 ||
      !is_same_file(file.get(), lock_file_))
    return false;
  made_ = is_new || holder_of(lock_file_).made;
  lock_ = std::move(file);
  const std::string text = fmt::format("{} {}\n", ::getpid(), made_ ? 1 : 0);
  check_sys(::ftruncate(lock_.get(), 0), "ftruncate");
  write_all(lock_.get(), text, lock_file_.string());
  return true;
}

}  // namespace tilewall::host
