#include "sync/base/busy_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <system_error>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view note_suffix = ".busy";
constexpr std::size_t longest_path = 65536;

std::string note_prefix() { return fmt::format("tilewall-{}-", ::getuid()); }

/// "" where the environment names a folder that is not there.
fs::path folder_of_notes() {
  try {
    return user_run_folder();
  } catch (const fs::filesystem_error&) {
    return {};
  }
}

/// The text of an open note; "" where it is not this user's, or no job holds it any more.
std::string folder_of(int fd, const fs::path& note) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    return "";
  if (::flock(fd, LOCK_SH | LOCK_NB) == 0) {
    std::error_code ignored;
    fs::remove(note, ignored);
    return "";
  }
  try {
    return read_all(fd, note, longest_path);
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace

BusyFolder::BusyFolder(const fs::path& folder) {
  static std::atomic<unsigned> notes{0};
  const fs::path notes_folder = folder_of_notes();
  if (notes_folder.empty()) return;
  note_ = notes_folder / fmt::format("{}{}-{}{}", note_prefix(), ::getpid(), notes++, note_suffix);
  // It gets its name once it is locked, because readers remove notes without a lock.
  const fs::path unlocked = note_.string() + ".tmp";
  std::error_code error;
  fs::remove(unlocked, error);  // one that a killed process of this number has left
  UniqueFd file(
      ::open(unlocked.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.empty()) return;
  try {
    check_sys(::flock(file.get(), LOCK_EX | LOCK_NB), "flock");
    write_all(file.get(), fs::absolute(folder).lexically_normal().string(), unlocked.string());
    fs::rename(unlocked, note_);
    lock_ = std::move(file);
  } catch (const std::exception&) {  // the disk is full, for instance
    fs::remove(unlocked, error);
  }
}

BusyFolder::~BusyFolder() {
  if (lock_.empty()) return;
  std::error_code ignored;
  fs::remove(note_, ignored);
}

std::vector<fs::path> busy_folders() {
  std::vector<fs::path> folders;
  const fs::path notes_folder = folder_of_notes();
  if (notes_folder.empty()) return folders;
  for (const fs::path& note : entries_of(notes_folder)) {
    const std::string name = note.filename().string();
    if (!name.starts_with(note_prefix()) || !name.ends_with(note_suffix)) continue;
    const UniqueFd fd(::open(note.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd.empty()) continue;
    if (std::string folder = folder_of(fd.get(), note); !folder.empty())
      folders.emplace_back(std::move(folder));
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace tilewall
