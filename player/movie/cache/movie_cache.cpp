#include "player/movie/cache/movie_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>

#include "player/movie/cache/cache_uses.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"

namespace tilewall::movie {
namespace {

namespace fs = std::filesystem;

constexpr const char* limit_file = ".limit_bytes";
constexpr std::string_view trash_prefix = ".trash-";

std::uintmax_t bytes_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const std::uintmax_t bytes = fs::file_size(path, error);
    return error ? 0 : bytes;
  }
  std::uintmax_t bytes = 0;
  for (auto file = fs::recursive_directory_iterator(path, error);
       !error && file != fs::recursive_directory_iterator(); file.increment(error)) {
    std::error_code gone;
    if (!file->is_regular_file(gone)) continue;
    const std::uintmax_t size = file->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

/// The entries, the least recently used first, with their sizes. Does not set `in_use`.
std::vector<CacheEntry> read_entries(const fs::path& cache) {
  std::vector<CacheEntry> entries;
  std::error_code error;
  for (const auto& found : fs::directory_iterator(cache, error)) {
    std::error_code gone;
    if (found.path().filename().string().starts_with('.')) continue;
    CacheEntry entry{found.path(), bytes_of(found.path()), found.last_write_time(gone), false};
    if (!gone) entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const CacheEntry& a, const CacheEntry& b) { return a.used_at < b.used_at; });
  return entries;
}

/// The final name of a file that is being written: "demo.mp4" for "demo.mp4.tmp" and for
/// "demo.mp4.123.tmp", where 123 is the writer's process id. Other names are returned unchanged.
std::string whole_name(const std::string& name) {
  constexpr std::string_view suffix = ".tmp";
  if (!name.ends_with(suffix)) return name;
  const std::string stem = name.substr(0, name.size() - suffix.size());
  const std::size_t end = stem.find_last_not_of("0123456789");
  const bool has_pid = end != std::string::npos && stem[end] == '.' && end + 1 < stem.size();
  return has_pid ? stem.substr(0, end) : stem;
}

/// Sets `in_use`. A file that is being written for an entry in use is in use, too.
void mark_used(std::vector<CacheEntry>& entries, const std::set<std::string>& in_use) {
  for (CacheEntry& entry : entries) {
    const std::string name = entry.path.filename().string();
    entry.in_use = in_use.contains(name) || in_use.contains(whole_name(name));
  }
}

/// Renames an entry, so that no process sees it any more. Removing its files takes longer, and is
/// done without the lock.
void move_to_trash(const fs::path& cache, const CacheEntry& entry) {
  const fs::path trash =
      cache / fmt::format("{}{}-{}", trash_prefix, ::getpid(), entry.path.filename().string());
  std::error_code error;
  fs::rename(entry.path, trash, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw JobError(entry.path.string() + ": remove: " + error.message());
}

/// Moves the entries for which `is_chosen` returns true to the trash, but none that is in use.
/// @pre the cache is locked
template <typename IsChosen>
CacheCleaning remove_entries(const fs::path& cache, std::vector<CacheEntry> entries,
                             IsChosen&& is_chosen) {
  CacheCleaning cleaning;
  for (CacheEntry& entry : entries) {
    if (!entry.in_use && is_chosen(entry)) {
      move_to_trash(cache, entry);
      cleaning.removed.push_back(std::move(entry));
      continue;
    }
    cleaning.left_bytes += entry.bytes;
    if (entry.in_use) cleaning.in_use_bytes += entry.bytes;
  }
  return cleaning;
}

/// Removes what this cleaning and earlier, interrupted ones moved to the trash. Tries all of it,
/// then throws JobError for the first failure. Other processes may empty the same trash meanwhile.
void empty_trash(const fs::path& cache) {
  std::error_code error;
  std::vector<fs::path> trash;
  for (const auto& found : fs::directory_iterator(cache, error))
    if (found.path().filename().string().starts_with(trash_prefix)) trash.push_back(found.path());
  std::string failure;
  for (const fs::path& path : trash) {
    fs::remove_all(path, error);
    const bool failed = error && error != std::errc::no_such_file_or_directory;
    if (failed && failure.empty()) failure = path.string() + ": remove: " + error.message();
  }
  if (!failure.empty()) throw JobError(failure);
}

/// Runs `clean`, which moves entries to the trash under the lock, then empties the trash. Does so
/// even if `clean` throws, because it may have moved some entries before.
template <typename Clean>
CacheCleaning clean_and_empty_trash(const fs::path& cache, Clean&& clean) {
  CacheCleaning cleaning;
  try {
    cleaning = clean();
  } catch (const std::exception&) {
    try {
      empty_trash(cache);
    } catch (const std::exception&) {
      // The first failure is the one to report.
    }
    throw;
  }
  empty_trash(cache);
  return cleaning;
}

[[noreturn]] void refuse_cache(const fs::path& cache, const std::string& fault) {
  throw InputError({cache.string()}, "", "a cache folder that its user alone may write to", fault);
}

/// Others could put movies of their own into a cache to which they may write. Below the user's own
/// folders it may be a link to a larger disk.
fs::path checked_cache(const fs::path& cache) {
  std::error_code missing;
  const fs::path real = fs::canonical(cache, missing);
  if (missing) return cache;
  if (const std::string fault = fault_of_private_folder(real, OthersMay::read); !fault.empty())
    refuse_cache(cache, fault);
  return cache;
}

bool is_there(const fs::path& cache) {
  std::error_code error;
  return fs::is_directory(cache, error);
}

}  // namespace

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return checked_cache(fs::path(cache) / "tilewall");
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return checked_cache(fs::path(home) / ".cache" / "tilewall");
  // Where everybody may make it, its user does so at once.
  const fs::path shared = fs::temp_directory_path() / fmt::format("tilewall-cache-{}", ::geteuid());
  static_cast<void>(make_private_folder(shared));
  if (const std::string fault = fault_of_private_folder(shared); !fault.empty())
    refuse_cache(shared, fault);
  return shared;
}

std::vector<CacheEntry> cache_entries(const fs::path& cache) {
  std::vector<CacheEntry> entries = read_entries(cache);
  if (entries.empty()) return entries;
  const UniqueFd lock = lock_cache(cache);
  mark_used(entries, names_in_use(cache));
  return entries;
}

std::uint64_t cache_limit_bytes(const fs::path& cache) {
  constexpr std::size_t max_bytes = 64;
  std::error_code error;
  if (!fs::exists(cache / limit_file, error)) return default_cache_limit_bytes;
  try {
    const std::string text = read_text_file(cache / limit_file, max_bytes);
    std::uint64_t bytes = 0;
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    return failed == std::errc{} && stop != text.data() ? bytes : default_cache_limit_bytes;
  } catch (const InputError&) {
    return default_cache_limit_bytes;
  }
}

void set_cache_limit(const fs::path& cache, std::uint64_t bytes) {
  std::error_code error;
  fs::create_directories(cache, error);
  write_file_atomically(cache / limit_file, std::to_string(bytes) + "\n");
}

CacheCleaning clean_cache(const fs::path& cache, std::uint64_t to_bytes) {
  if (!is_there(cache)) return {};
  // Reading takes long, so the lock is not held.
  std::vector<CacheEntry> entries = read_entries(cache);
  return clean_and_empty_trash(cache, [&] {
    const UniqueFd lock = lock_cache(cache);
    mark_used(entries, names_in_use(cache));
    std::uintmax_t left = 0;
    for (const CacheEntry& entry : entries) left += entry.bytes;
    return remove_entries(cache, std::move(entries), [&](const CacheEntry& entry) {
      if (left <= to_bytes) return false;
      left -= entry.bytes;
      return true;
    });
  });
}

CacheCleaning remove_from_cache(const fs::path& cache, const std::vector<std::string>& names) {
  std::vector<CacheEntry> entries = read_entries(cache);
  return clean_and_empty_trash(cache, [&] {
    const UniqueFd lock = lock_cache(cache);
    mark_used(entries, names_in_use(cache));
    for (const std::string& name : names) {
      const auto entry = std::find_if(entries.begin(), entries.end(), [&](const CacheEntry& one) {
        return one.path.filename() == name;
      });
      if (entry == entries.end())
        throw InputError({"cache clean"}, "", "the name of an entry (tilewall cache lists them)",
                         '"' + name + '"');
      if (entry->in_use)
        throw InputError({"cache clean"}, name, "an entry that no show uses", "one in use");
    }
    return remove_entries(cache, std::move(entries), [&](const CacheEntry& entry) {
      return std::find(names.begin(), names.end(), entry.path.filename()) != names.end();
    });
  });
}

}  // namespace tilewall::movie
