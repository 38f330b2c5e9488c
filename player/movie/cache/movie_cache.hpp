// The user's cache: movies that `play` has imported, and the files of the demo.
//
// Every folder and file in it whose name does not begin with a dot is an entry. The modification
// time of an entry is the time of its last use. `.users/` names the entries that are in use
// (cache_uses.hpp), `.limit_bytes` holds the limit, and `.lock` is locked (flock) while entries are
// removed or come into use. Several processes and hosts may share a cache.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::movie {

inline constexpr std::uint64_t default_cache_limit_bytes = std::uint64_t{20} << 30;

/// Path of the user's cache: $XDG_CACHE_HOME/tilewall, else ~/.cache/tilewall, else tilewall-cache
/// in the temporary folder. Does not create it.
[[nodiscard]] std::filesystem::path cache_folder();

struct CacheEntry {
  std::filesystem::path path;
  std::uintmax_t bytes = 0;                 ///< size of all its files
  std::filesystem::file_time_type used_at;  ///< time of its last use
  bool in_use = false;                      ///< a show or an import uses it now
};

/// The cache's entries, the least recently used first; none if there is no cache. Reads the size of
/// every file, which may take long. Throws JobError if the cache cannot be locked.
[[nodiscard]] std::vector<CacheEntry> cache_entries(const std::filesystem::path& cache);

/// The cache's limit; the default if none is set, or it cannot be read.
[[nodiscard]] std::uint64_t cache_limit_bytes(const std::filesystem::path& cache);

/// Sets the cache's limit; creates the cache if there is none. Throws JobError.
void set_cache_limit(const std::filesystem::path& cache, std::uint64_t bytes);

/// Result of a cleaning.
struct CacheCleaning {
  std::vector<CacheEntry> removed;
  std::uintmax_t left_bytes = 0;    ///< size of the entries that stay
  std::uintmax_t in_use_bytes = 0;  ///< the part of `left_bytes` that is in use
};

/// Removes the least recently used entries until the others have at most `to_bytes`; skips those in
/// use. Throws JobError if the cache cannot be locked or an entry cannot be removed. Files that
/// could not be removed stay on the disk as `.trash-*`, and the next cleaning tries again.
CacheCleaning clean_cache(const std::filesystem::path& cache, std::uint64_t to_bytes);

/// Removes the entries with these names (without folders). Throws InputError, before it removes
/// anything, for an unknown name and for an entry in use; JobError as clean_cache does.
CacheCleaning remove_from_cache(const std::filesystem::path& cache,
                                const std::vector<std::string>& names);

}  // namespace tilewall::movie
