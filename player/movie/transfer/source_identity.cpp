#include "player/movie/transfer/source_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

constexpr std::size_t hashed_bytes = 65536;  // at either end

std::uint64_t hash_range(int fd, std::int64_t offset) {
  std::vector<char> bytes(hashed_bytes);
  const ssize_t got = retry_eintr([&] { return ::pread(fd, bytes.data(), bytes.size(), offset); });
  return XXH3_64bits(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
}

std::string identity_of(const std::filesystem::path& file) {
  const UniqueFd fd = open_for_reading(file);
  struct stat status = {};
  check_sys(::fstat(fd.get(), &status), "fstat");
  const std::int64_t tail =
      std::max<std::int64_t>(0, std::int64_t{status.st_size} - std::int64_t{hashed_bytes});
  return fmt::format("{}-{}.{:09}-{:016x}{:016x}", std::int64_t{status.st_size},
                     std::int64_t{status.st_mtim.tv_sec}, std::int64_t{status.st_mtim.tv_nsec},
                     hash_range(fd.get(), 0), hash_range(fd.get(), tail));
}

}  // namespace

std::string source_identity(const std::vector<std::filesystem::path>& files) {
  if (files.size() == 1) return identity_of(files.front());
  std::string all;
  for (const std::filesystem::path& file : files)
    all += file.empty() ? std::string("gap\n")
                        : file.filename().string() + " " + identity_of(file) + "\n";
  return fmt::format("{}-files-{:016x}", files.size(), XXH3_64bits(all.data(), all.size()));
}

}  // namespace tilewall
