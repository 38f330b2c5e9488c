// Which entries of caches a process uses: no cleaning removes them meanwhile.
//
// Every process has a file of its own in a cache's `.users`, locked (flock) for as long as the
// process and its forked children live, with the name of an entry on each line. A file that nobody
// holds locked is what a killed process left: the next cleaning removes it.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::movie {

/// One owner.
class CacheUses {
 public:
  CacheUses() = default;
  ~CacheUses();
  CacheUses(CacheUses&&) noexcept = default;
  CacheUses& operator=(CacheUses&&) noexcept = default;

  /// Uses the entry `path` of the cache that its folder is, from now on; makes that cache where
  /// there is none. The entry need not be there yet. Throws JobError.
  void add(const std::filesystem::path& path);

  /// The same where the folder of `path` is a cache, the user's own or one with users; nothing
  /// elsewhere, and where that fails: the entry may then be removed while it is used.
  void add_if_cached(const std::filesystem::path& path) noexcept;

 private:
  struct User {
    UniqueFd file;
    std::filesystem::path path;  // of the file
    int owner_pid = 0;           // a forked child leaves the file alone
    std::set<std::string> names;
  };
  std::map<std::filesystem::path, User> users_;  // by cache
};

/// Held while entries are removed or come into use; waits for who has it. Makes the cache. Throws
/// JobError.
[[nodiscard]] UniqueFd lock_cache(const std::filesystem::path& cache);

/// The names in use. Throws JobError where a process's file cannot be read. @pre the cache is
/// locked
[[nodiscard]] std::set<std::string> names_in_use(const std::filesystem::path& cache);

}  // namespace tilewall::movie
