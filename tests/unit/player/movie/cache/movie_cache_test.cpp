// The user's cache: what is removed first, and what never.

#include "player/movie/cache/movie_cache.hpp"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <thread>

#include "player/movie/cache/cache_uses.hpp"
#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// A cache with the entries a, b, c and d of 1000 bytes each; a was used last the longest ago.
class Cache {
 public:
  Cache() {
    for (int i = 0; i < 4; ++i) {
      const fs::path entry = folder_ / std::string(1, static_cast<char>('a' + i));
      fs::create_directory(entry);
      std::ofstream(entry / "frame") << std::string(1000, 'x');
      fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
    }
  }
  [[nodiscard]] fs::path path() const { return folder_.path(); }
  [[nodiscard]] fs::path operator/(const char* name) const { return folder_ / name; }

  /// The names of what is there, the least recently used first.
  [[nodiscard]] std::string names() const {
    std::string names;
    for (const CacheEntry& entry : cache_entries(path())) names += entry.path.filename().string();
    return names;
  }

 private:
  const TemporaryFolder folder_;
};

/// The permissions of folders hold for this thread meanwhile, also where root runs the test.
class BoundByPermissions {
 public:
  BoundByPermissions() {
    ::syscall(SYS_capget, &header_, before_);
    __user_cap_data_struct bound[2] = {before_[0], before_[1]};
    bound[0].effective &= ~(std::uint32_t{1} << CAP_DAC_OVERRIDE);
    ::syscall(SYS_capset, &header_, bound);
  }
  ~BoundByPermissions() { ::syscall(SYS_capset, &header_, before_); }
  BoundByPermissions(const BoundByPermissions&) = delete;
  BoundByPermissions& operator=(const BoundByPermissions&) = delete;

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2] = {};
};

int trash_count(const Cache& cache) {
  int count = 0;
  for (const auto& found : fs::directory_iterator(cache.path()))
    if (found.path().filename().string().starts_with(".trash-")) ++count;
  return count;
}

}  // namespace

TEST_CASE("the least recently used entries go first, until the limit holds", "[cache]") {
  const Cache cache;
  CHECK(cache.names() == "abcd");
  CacheUses uses;
  uses.add(cache / "b");  // used now, and in use
  CHECK(cache.names() == "acdb");
  const CacheCleaning cleaning = clean_cache(cache.path(), 2500);
  CHECK(cleaning.removed.size() == 2);
  CHECK(cleaning.left_bytes == 2000);
  CHECK(cleaning.in_use_bytes == 1000);
  CHECK(cache.names() == "db");
  CHECK(clean_cache(cache.path(), 2000).removed.empty());
}

TEST_CASE("an entry in use is never removed, also not by a forked child's user", "[cache]") {
  const Cache cache;
  {
    CacheUses uses;
    uses.add(cache / "c");
    uses.add(cache / "d");
    const pid_t child = ::fork();
    if (child == 0) {
      // As the director is: forked from who uses it, with a user of its own beside the parent's.
      CacheUses own;
      own.add(cache / "d");
      { const CacheUses inherited = std::move(uses); }  // its end leaves the parent's file
      ::_exit(0);
    }
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK(clean_cache(cache.path(), 0).removed.size() == 2);
    CHECK(cache.names() == "cd");
    CHECK_THROWS_WITH(remove_from_cache(cache.path(), {"c"}), Catch::Contains("one in use"));
  }
  CHECK(remove_from_cache(cache.path(), {"c"}).removed.size() == 1);
  CHECK(cache.names() == "d");
  CHECK_THROWS_WITH(remove_from_cache(cache.path(), {"d", "x"}),
                    "cache clean: expected the name of an entry (tilewall cache lists them), found "
                    "\"x\"");
  CHECK(clean_cache(cache.path(), 0).left_bytes == 0);
  CHECK(fs::is_empty(cache / ".users"));  // also what the child left, as it was not ended in order
}

TEST_CASE("what is being written for an entry in use is in use", "[cache]") {
  const Cache cache;
  for (const char* name : {"demo.mp4.tmp", "demo.mp4.123.tmp", "other.mp4.123.tmp", "demo.mp4.x"})
    std::ofstream(cache / name) << "x";
  CacheUses uses;
  uses.add(cache / "demo.mp4");  // which is not there yet
  CHECK(clean_cache(cache.path(), 0).removed.size() == 6);
  CHECK(fs::exists(cache / "demo.mp4.tmp"));
  CHECK(fs::exists(cache / "demo.mp4.123.tmp"));
}

TEST_CASE("trash that cannot be removed is an error, and the rest of it is removed", "[cache]") {
  const Cache cache;
  fs::create_directory(cache / "a/fixed");
  std::ofstream(cache / "a/fixed/frame") << "x";
  fs::last_write_time(cache / "a", fs::file_time_type::clock::now() - std::chrono::hours(10));
  {
    const BoundByPermissions bound;
    fs::permissions(cache / "a/fixed", fs::perms::owner_read | fs::perms::owner_exec);
    CHECK_THROWS_WITH(clean_cache(cache.path(), 0), Catch::Contains("-a: remove: "));
  }
  CHECK(cache.names().empty());
  CHECK(trash_count(cache) == 1);
  for (const auto& found : fs::recursive_directory_iterator(cache.path()))
    if (found.path().filename() == "fixed") fs::permissions(found.path(), fs::perms::owner_all);
  clean_cache(cache.path(), 0);
  CHECK(trash_count(cache) == 0);
}

TEST_CASE("the trash is emptied also where an entry cannot be moved there", "[cache]") {
  const Cache cache;
  const std::string long_name(252, 'z');  // too long a name with a prefix
  std::ofstream(cache / long_name.c_str()) << "x";
  CHECK_THROWS_AS(clean_cache(cache.path(), 0), JobError);
  CHECK(cache.names() == long_name);
  CHECK(trash_count(cache) == 0);
}

TEST_CASE("users that end while a cache is cleaned are no error", "[cache]") {
  constexpr int cleanings = 1000;
  const Cache cache;
  CacheUses kept;
  kept.add(cache / "b");
  std::jthread others([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      CacheUses ends_at_once;
      ends_at_once.add(cache / "a");
    }
  });
  for (int i = 0; i < cleanings; ++i) {
    const UniqueFd lock = lock_cache(cache.path());
    REQUIRE(names_in_use(cache.path()).contains("b"));
  }
}

TEST_CASE("the limit is kept, and what cannot be read is the default", "[cache]") {
  const TemporaryFolder folder;
  const fs::path cache = folder / "tilewall";
  CHECK(cache_limit_bytes(cache) == 20ULL * 1024 * 1024 * 1024);
  CHECK(cache_entries(cache).empty());
  CHECK(clean_cache(cache, 0).removed.empty());
  CHECK_FALSE(fs::exists(cache));
  set_cache_limit(cache, 12345);
  CHECK(cache_limit_bytes(cache) == 12345);
  std::ofstream(cache / ".limit_bytes") << "much";
  CHECK(cache_limit_bytes(cache) == default_cache_limit_bytes);
}

TEST_CASE("a path outside of a cache is used by nobody", "[cache]") {
  const TemporaryFolder folder;
  CacheUses uses;
  uses.add_if_cached(folder / "movie");
  CHECK(fs::is_empty(folder.path()));
}
