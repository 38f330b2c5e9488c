#include "sync/base/private_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

constexpr mode_t others_bits = S_IRWXG | S_IRWXO;
constexpr mode_t permission_bits = 07777;

}  // namespace

std::string read_private_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const UniqueFd fd = open_for_reading(path);
  struct stat status = {};
  check_sys(::fstat(fd.get(), &status), "fstat");
  if (!S_ISREG(status.st_mode))
    throw InputError({path.string()}, "", "a regular file", "another kind of file");
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    throw InputError({path.string()}, "", "a file of this user",
                     fmt::format("one of user {}", status.st_uid));
  if ((status.st_mode & others_bits) != 0)
    throw InputError(
        {path.string()}, "",
        fmt::format("a file that its user alone may read (chmod 600 {})", path.string()),
        fmt::format("mode {:04o}", status.st_mode & permission_bits));
  return read_all(fd.get(), path, max_bytes);
}

}  // namespace tilewall
