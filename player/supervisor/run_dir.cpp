#include "player/supervisor/run_dir.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "net/auth_key.hpp"
#include "player/console/access/sessions.hpp"
#include "player/console/access/tokens.hpp"
#include "player/director/log/journal.hpp"
#include "player/host/kept_program.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"

namespace tilewall::supervisor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view own_prefix = "tilewall-";
constexpr const char* log_folder = "logs";
constexpr const char* failed_show_file = "show-failed";
constexpr const char* lock_file = "lock";
constexpr std::string_view pointer_suffix = ".run-dir";  // a file that has the path of a --run-dir

bool is_pointer(const fs::path& path) { return path.extension() == pointer_suffix; }

constexpr std::size_t random_digits = 32;  // of hexadecimal, at the end of names in /tmp

/// The process number in the name of a run directory or pointer; 0 if `path` is neither.
pid_t pid_of(const fs::path& path) {
  const std::string name = (is_pointer(path) ? path.stem() : path.filename()).string();
  const std::string prefix = fmt::format("{}{}-", own_prefix, ::getuid());
  if (!name.starts_with(prefix)) return 0;
  pid_t pid = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, pid);
  if (error != std::errc{}) return 0;
  const std::string_view rest(stop, static_cast<std::size_t>(end - stop));
  const bool is_random = rest.size() == 1 + random_digits && rest.front() == '-' &&
                         rest.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
  return rest.empty() || is_random ? pid : 0;
}

constexpr std::size_t most_failed_shows = 5;  // the logs of older ones are removed
constexpr std::size_t probe_bytes = 4096;

/// Whether the folder has only the remains of a failed show. It may be removed if so, and therefore
/// must not have any other file.
bool is_of_failed_show(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path / failed_show_file, error)) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (name != failed_show_file && name != log_folder) return false;
  }
  return !error;
}

fs::file_time_type changed_at(const fs::path& folder) {
  std::error_code ignored;
  return fs::last_write_time(folder, ignored);
}

/// Whether a file or folder is this user's, and no link to another one.
bool is_own(const fs::path& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
         !S_ISLNK(status.st_mode);
}

/// Whether run directories may have names that others can guess: in a folder that is this user's
/// alone nobody else makes one first.
bool is_private_base(const fs::path& base) { return fault_of_private_folder(base).empty(); }

/// Removes this user's run directories whose process has ended; of failed shows, the oldest ones.
void remove_stale(const fs::path& base) {
  std::error_code error;
  std::vector<fs::path> failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(base, error)) {
    const pid_t pid = pid_of(entry.path());
    if (pid <= 0 || ::kill(pid, 0) == 0 || errno != ESRCH || !is_own(entry.path())) continue;
    if (is_of_failed_show(entry.path()))
      failed.push_back(entry.path());
    else
      fs::remove_all(entry.path(), error);
  }
  std::sort(failed.begin(), failed.end(),
            [](const fs::path& a, const fs::path& b) { return changed_at(a) > changed_at(b); });
  for (std::size_t i = most_failed_shows; i < failed.size(); ++i) fs::remove_all(failed[i], error);
}

/// The path of this process's own run directory. Removes what dead walls left beside it.
fs::path own_path() {
  const fs::path base = run_dir_base();
  remove_stale(base);
  const std::string name = fmt::format("{}{}-{}", own_prefix, ::getuid(), ::getpid());
  return base / (is_private_base(base) ? name : name + "-" + net::random_nonce_hex());
}

/// A folder that others can write to may have the address and the secret of their choice.
bool runs_a_wall(const fs::path& run_dir) {
  std::error_code error;
  return fault_of_private_folder(run_dir).empty() && fs::exists(run_dir / "control.addr", error);
}

/// Tells whose run directory that is, and what to do.
std::string used_folder(const fs::path& path) {
  const UniqueFd lock(::open((path / lock_file).c_str(), O_RDWR | O_CLOEXEC));
  if (lock.empty() || ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0)
    return fmt::format(
        "{0}, of a show that died: resume it (tilewall play --resume {0}), or remove "
        "the folder",
        path.string());
  const std::string pid = file_beginning(path / "pids" / "supervisor", 20);
  return fmt::format("{}, of a show that runs (process {})", path.string(),
                     pid.substr(0, pid.find('\n')));
}

[[noreturn]] void refuse_folder(const char* option, const fs::path& path,
                                const std::string& fault) {
  throw InputError({option}, "", "a folder of this user alone (chmod 700)",
                   fmt::format("{}, {}", path.string(), fault));
}

/// The path that a pointer file has; "" if it cannot be read, or is not this user's.
fs::path target_of(const fs::path& pointer) {
  if (!is_own(pointer)) return {};
  std::string target;
  std::getline(std::ifstream(pointer), target);
  return target;
}

}  // namespace

fs::path run_dir_base() { return user_run_folder(); }

RunDir::RunDir(const fs::path& wanted, RunDirUse use) {
  const fs::path path = wanted.empty() ? own_path() : fs::absolute(wanted);
  if (use == RunDirUse::fresh)
    make_fresh(path);
  else
    take_over(path);
  path_ = path;
  for (const char* const part : {"pids", log_folder})
    if (!make_private_folder(path / part))
      if (const std::string fault = make_private(path / part); !fault.empty())
        refuse_folder("--run-dir", path / part, fault);
  // A rehearsal in the run directory of another show is no wall that `ctl` means.
  if (wanted.empty() || runs_a_wall(path.parent_path())) return;
  pointer_ = own_path();
  pointer_ += pointer_suffix;
  try {
    write_file_atomically(pointer_, path.string() + "\n");
  } catch (const JobError&) {
    // Without the pointer, `ctl` only cannot name this directory in an error line.
  }
}

void RunDir::make_fresh(const fs::path& path) {
  std::error_code error;
  const bool is_there = fs::symlink_status(path, error).type() != fs::file_type::not_found;
  if (is_there)
    if (const std::string fault = fault_of_private_folder(path, OthersMay::anything);
        !fault.empty())
      refuse_folder("--run-dir", path, fault);
  if (is_of_failed_show(path)) fs::remove_all(path, error);
  if (fs::exists(path / director::journal_file, error))
    throw InputError({"--run-dir"}, "", "a folder that is new or empty", used_folder(path));
  if (fs::exists(path, error) && !fs::is_empty(path, error))
    throw InputError({"--run-dir"}, "", "a folder that is new or empty", path.string());
  fs::create_directories(path.parent_path(), error);
  if (!make_private_folder(path) && errno != EEXIST)
    throw InputError({"--run-dir"}, "", "a folder that can be made",
                     fmt::format("{} ({})", path.string(), std::strerror(errno)));
  // Once it is private, nobody else puts anything into it.
  if (const std::string fault = make_private(path); !fault.empty())
    refuse_folder("--run-dir", path, fault);
  if (!fs::is_empty(path, error))
    throw InputError({"--run-dir"}, "", "a folder that is new or empty", path.string());
  lock(path, "--run-dir", std::chrono::milliseconds(0));
}

void RunDir::take_over(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path / director::journal_file, error))
    throw InputError({"--resume"}, "", "the run directory of a show that died, with its journal",
                     path.string());
  if (const std::string fault = fault_of_private_folder(path); !fault.empty())
    refuse_folder("--resume", path, fault);
  // The processes of a show that has just died hold its lock until they are killed, too.
  lock(path, "--resume", std::chrono::seconds(1));
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const fs::path name = entry.path().filename();
    if (name != log_folder && name != director::journal_file && name != lock_file &&
        name != console::console_file && name != console::sessions_file)
      others.push_back(entry.path());
  }
  for (const fs::path& other : others) fs::remove_all(other, error);
  keeps_journal_ = true;
}

/// Locks the folder for this process, or throws InputError if another one has it for `patience`.
void RunDir::lock(const fs::path& path, const char* option, std::chrono::milliseconds patience) {
  lock_ =
      UniqueFd(::open((path / lock_file).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (lock_.empty())
    throw InputError({option}, "", "a folder that can be written to",
                     fmt::format("{} ({})", path.string(), std::strerror(errno)));
  const auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return;
  throw InputError({option}, "", "a folder that no show uses", used_folder(path));
}

RunDir::~RunDir() {
  std::error_code error;
  if (!pointer_.empty()) fs::remove(pointer_, error);
  if (!keeps_logs_ && !keeps_journal_) {
    fs::remove_all(path_, error);
    return;
  }
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    const fs::path name = entry.path().filename();
    const bool stays = keeps_journal_ && name == director::journal_file;
    if (name != log_folder && !stays) others.push_back(entry.path());
  }
  for (const fs::path& path : others) fs::remove_all(path, error);
  if (keeps_journal_) return;
  const UniqueFd marker(::open((path_ / failed_show_file).c_str(),
                               O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
}

fs::path RunDir::keep_logs() {
  const fs::path logs = path_ / log_folder;
  std::error_code error;
  std::vector<fs::path> empty;
  for (const fs::directory_entry& entry : fs::directory_iterator(logs, error))
    if (fs::is_empty(entry.path(), error)) empty.push_back(entry.path());
  for (const fs::path& log : empty) fs::remove(log, error);
  keeps_logs_ = !fs::is_empty(logs, error) && !error;
  return keeps_logs_ ? logs : fs::path();
}

std::string RunDir::write_trouble() const {
  const fs::path probe = path_ / "probe";
  const UniqueFd fd(::open(probe.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (fd.empty()) return std::strerror(errno);
  const std::string bytes(probe_bytes, ' ');
  const ssize_t written = ::write(fd.get(), bytes.data(), bytes.size());
  const int error_number = written < 0 ? errno : ENOSPC;
  ::unlink(probe.c_str());
  return written == static_cast<ssize_t>(bytes.size()) ? "" : std::strerror(error_number);
}

fs::path RunDir::log(const std::string& role) const { return path_ / log_folder / (role + ".log"); }

void RunDir::write_pid(const std::string& role, pid_t pid) const noexcept {
  host::note_pid(path_ / "pids" / role, pid);
}

void RunDir::write_secret(const std::string& name, const std::string& text) const {
  write_private_file(path_ / name, text + "\n");
}

void RunDir::write(const std::string& name, const std::string& text) const {
  write_file_atomically(path_ / name, text + "\n");
}

RunningWalls running_walls() {
  RunningWalls walls;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(run_dir_base(), error)) {
    const pid_t pid = pid_of(entry.path());
    if (pid <= 0 || ::kill(pid, 0) != 0) continue;
    if (!is_pointer(entry.path()) && runs_a_wall(entry.path()))
      walls.own.push_back(entry.path());
    else if (const fs::path target = target_of(entry.path());
             is_pointer(entry.path()) && runs_a_wall(target))
      walls.given.push_back(target);
  }
  for (auto* found : {&walls.own, &walls.given})
    std::sort(found->begin(), found->end(),
              [](const fs::path& a, const fs::path& b) { return changed_at(a) > changed_at(b); });
  return walls;
}

}  // namespace tilewall::supervisor
