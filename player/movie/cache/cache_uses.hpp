// The entries of caches that a process uses, which no cleaning removes meanwhile.
//
// Every process has a file of its own in a cache's `.users`, with the name of one entry per line.
// The file is locked (flock) as long as the process and its forked children live. A file without a
// lock was left by a killed process; the next cleaning removes it.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::movie {

/// Threads: one owner.
class CacheUses {
 public:
  CacheUses() = default;
  ~CacheUses();
  CacheUses(CacheUses&&) noexcept = default;
  CacheUses& operator=(CacheUses&&) noexcept = default;

  /// Marks the entry `path` as used until this object's end. The folder of `path` is the cache, and
  /// is created if there is none; the entry need not exist yet. Throws JobError.
  void add(const std::filesystem::path& path);

  /// Calls add() if the folder of `path` is a cache: the user's own, or one with `.users`. Ignores
  /// failures, after which a cleaning may remove the entry while it is used.
  void add_if_cached(const std::filesystem::path& path) noexcept;

 private:
  struct User {
    UniqueFd file;
    std::filesystem::path path;   // path of `file`
    int owner_pid = 0;            // only this process removes the file, not a forked child
    std::set<std::string> names;  // lines of the file
  };
  std::map<std::filesystem::path, User> users_;  // by cache
};

/// Locks the cache until the descriptor is closed; waits while another process has the lock.
/// Entries are removed and come into use only under it. Creates the cache. Throws JobError.
[[nodiscard]] UniqueFd lock_cache(const std::filesystem::path& cache);

/// The names of all entries in use. Throws JobError if a process's file cannot be read. @pre the
/// cache is locked
[[nodiscard]] std::set<std::string> names_in_use(const std::filesystem::path& cache);

}  // namespace tilewall::movie
