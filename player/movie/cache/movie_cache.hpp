// The user's cache: movies that were imported to be played, and the demo's own files.
//
// Every folder and file of it whose name does not begin with a dot is an entry; its modification
// time is when it was used last. `.users/` names the entries that are in use (cache_uses.hpp),
// `.limit_bytes` holds the limit, and `.lock` is held (flock) while entries are removed or come
// into use. Several processes and hosts may share a cache. Threads: any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewall::movie {

inline constexpr std::uint64_t default_cache_limit_bytes = std::uint64_t{20} << 30;

/// $XDG_CACHE_HOME/tilewall, else ~/.cache/tilewall, else one in the temporary folder. Not made
/// here.
[[nodiscard]] std::filesystem::path cache_folder();

struct CacheEntry {
  std::filesystem::path path;
  std::uintmax_t bytes = 0;  ///< of all files in it
  std::filesystem::file_time_type used_at;
  bool in_use = false;  ///< by a show or an import
};

/// The least recently used first; none where there is no cache. Reads the size of every file.
[[nodiscard]] std::vector<CacheEntry> cache_entries(const std::filesystem::path& cache);

/// The default where none was set, or what was set cannot be read.
[[nodiscard]] std::uint64_t cache_limit_bytes(const std::filesystem::path& cache);

/// Makes the cache where there is none. Throws JobError.
void set_cache_limit(const std::filesystem::path& cache, std::uint64_t bytes);

struct CacheCleaning {
  std::vector<CacheEntry> removed;
  std::uintmax_t left_bytes = 0;
  std::uintmax_t in_use_bytes = 0;  ///< of what is left
};

/// Removes the least recently used entries until the others have `to_bytes` at most; never one that
/// is in use. Throws JobError where the cache cannot be locked or an entry not be removed; what
/// could not be removed stays on the disk as `.trash-*`, and the next cleaning tries again.
CacheCleaning clean_cache(const std::filesystem::path& cache, std::uint64_t to_bytes);

/// Removes these entries (names without folders). Throws InputError, before anything is removed,
/// for a name that is none and for an entry in use; JobError as clean_cache does.
CacheCleaning remove_from_cache(const std::filesystem::path& cache,
                                const std::vector<std::string>& names);

}  // namespace tilewall::movie
