#include "player/movie/cache/cache_uses.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "player/movie/cache/movie_cache.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

namespace fs = std::filesystem;

constexpr const char* users_folder = ".users";
constexpr const char* lock_file = ".lock";
constexpr std::size_t max_user_file_bytes = 16 << 20;

[[noreturn]] void fail(const fs::path& path, const char* action) {
  throw JobError(path.string() + ": " + action + ": " + std::strerror(errno));
}

bool lock_at_once(int fd) {
  return retry_eintr([&] { return ::flock(fd, LOCK_EX | LOCK_NB); }) == 0;
}

/// Makes this process's file and locks it. The cache's lock keeps a cleaning from seeing the file
/// before it is locked. @pre the cache is locked
UniqueFd make_user_file(const fs::path& cache, fs::path& path) {
  path = cache / users_folder / "XXXXXX";
  std::string name = path.string();
  UniqueFd file(::mkostemp(name.data(), O_CLOEXEC | O_APPEND));
  if (file.empty()) fail(path, "create");
  path = name;
  if (!lock_at_once(file.get())) fail(path, "lock");
  return file;
}

/// Sets an entry's modification time, which is the time of its last use, to now.
void touch(const fs::path& entry) { ::utimensat(AT_FDCWD, entry.c_str(), nullptr, 0); }

bool is_cache(const fs::path& folder) {
  std::error_code error;
  return folder == cache_folder() || fs::is_directory(folder / users_folder, error);
}

/// Reads a file through its descriptor, because its name may be gone by now. Throws JobError.
std::string read_open_file(const UniqueFd& file, const fs::path& path) {
  std::string text;
  char chunk[16384];
  for (;;) {
    const auto offset = static_cast<off_t>(text.size());
    const ssize_t got =
        retry_eintr([&] { return ::pread(file.get(), chunk, sizeof chunk, offset); });
    if (got < 0) fail(path, "read");
    if (got == 0) return text;
    text.append(chunk, static_cast<std::size_t>(got));
    if (text.size() > max_user_file_bytes)
      throw JobError(path.string() + ": expected at most 16 MiB, found more");
  }
}

/// Adds the names in a process's file; removes a file without a lock. A file that has vanished has
/// no names, because its process has ended.
void read_user_file(const fs::path& path, std::set<std::string>& names) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.empty()) return;
  if (lock_at_once(file.get())) {
    ::unlink(path.c_str());
    return;
  }
  std::istringstream lines(read_open_file(file, path));
  for (std::string name; std::getline(lines, name);) names.insert(name);
}

}  // namespace

UniqueFd lock_cache(const fs::path& cache) {
  std::error_code error;
  fs::create_directories(cache / users_folder, error);
  const fs::path path = cache / lock_file;
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.empty()) fail(path, "open");
  if (retry_eintr([&] { return ::flock(file.get(), LOCK_EX); }) != 0) fail(path, "lock");
  return file;
}

std::set<std::string> names_in_use(const fs::path& cache) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(cache / users_folder, error))
    read_user_file(entry.path(), names);
  return names;
}

CacheUses::~CacheUses() {
  for (const auto& [cache, user] : users_)
    if (user.owner_pid == ::getpid()) ::unlink(user.path.c_str());
}

void CacheUses::add(const fs::path& path) {
  const UniqueFd lock = lock_cache(path.parent_path());
  User& user = users_[path.parent_path()];
  if (user.file.empty() || user.owner_pid != ::getpid()) {
    user.file = make_user_file(path.parent_path(), user.path);
    user.owner_pid = ::getpid();
    user.names.clear();
  }
  const std::string name = path.filename().string();
  if (user.names.insert(name).second) {
    const std::string line = name + "\n";
    if (::write(user.file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      fail(user.path, "write");
  }
  touch(path);
}

void CacheUses::add_if_cached(const fs::path& path) noexcept {
  try {
    if (path.has_filename() && is_cache(path.parent_path())) add(path);
  } catch (const std::exception&) {
    // A show need not end because a cache cannot be written.
  }
}

}  // namespace tilewall::movie
