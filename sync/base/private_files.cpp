#include "sync/base/private_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"

namespace tilewall {
namespace {

constexpr mode_t others_bits = S_IRWXG | S_IRWXO;
constexpr mode_t permission_bits = 07777;

/// What is wrong with a folder apart from its mode; "" where nothing is.
std::string fault_of_owner(const struct stat& status) {
  if (S_ISLNK(status.st_mode)) return "a symbolic link";
  if (!S_ISDIR(status.st_mode)) return "no folder";
  if (status.st_uid != ::geteuid()) return fmt::format("one of user {}", status.st_uid);
  return "";
}

}  // namespace

std::string fault_of_private_folder(const std::filesystem::path& folder, OthersMay others) {
  struct stat status = {};
  if (::lstat(folder.c_str(), &status) != 0) return std::strerror(errno);
  if (std::string fault = fault_of_owner(status); !fault.empty()) return fault;
  const mode_t allowed = others == OthersMay::anything ? others_bits
                         : others == OthersMay::read
                             ? others_bits & ~static_cast<mode_t>(S_IWGRP | S_IWOTH)
                             : 0;
  if ((status.st_mode & others_bits & ~allowed) == 0) return "";
  return fmt::format("mode {:04o}", status.st_mode & permission_bits);
}

bool make_private_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), S_IRWXU) != 0) return false;
  const UniqueFd made(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return !made.empty() && ::fchmod(made.get(), S_IRWXU) == 0;
}

std::string make_private(const std::filesystem::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status = {};
  if (fd.empty() || ::fstat(fd.get(), &status) != 0) {
    std::string fault = fault_of_private_folder(folder);
    return fault.empty() ? std::strerror(errno) : fault;
  }
  if (std::string fault = fault_of_owner(status); !fault.empty()) return fault;
  return ::fchmod(fd.get(), S_IRWXU) == 0 ? "" : std::strerror(errno);
}

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
  std::string bytes(max_bytes + 1, '\0');
  std::size_t size = 0;
  for (ssize_t got = 1; got > 0 && size < bytes.size(); size += static_cast<std::size_t>(got)) {
    got = retry_eintr([&] { return ::read(fd.get(), bytes.data() + size, bytes.size() - size); });
    if (got < 0) throw InputError({path.string()}, "", "a readable file", std::strerror(errno));
  }
  if (size > max_bytes)
    throw InputError({path.string()}, "", fmt::format("at most {} bytes", max_bytes), "more");
  bytes.resize(size);
  return bytes;
}

std::filesystem::path user_run_folder() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const bool is_usable =
      runtime != nullptr && *runtime != '\0' && fault_of_private_folder(runtime).empty();
  return is_usable ? std::filesystem::path(runtime) : std::filesystem::temp_directory_path();
}

}  // namespace tilewall
