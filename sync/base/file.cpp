#include "sync/base/file.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall {
namespace {

/// The first or the last bytes; "" where the file cannot be read.
std::string part_of_file(const std::filesystem::path& path, std::size_t max_bytes, bool from_end) {
  const UniqueFd fd(
      retry_eintr([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (fd.empty()) return "";
  struct stat status = {};
  const auto most = static_cast<off_t>(max_bytes);
  if (from_end && ::fstat(fd.get(), &status) == 0 && status.st_size > most)
    ::lseek(fd.get(), -most, SEEK_END);
  std::string text(max_bytes, '\0');
  const ssize_t got = retry_eintr([&] { return ::read(fd.get(), text.data(), text.size()); });
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

/// Whether the file is a device or a pipe, which is written to and never replaced.
bool is_special(const std::string& name) {
  struct stat status = {};
  return ::stat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void write_through(const std::string& name, std::string_view bytes) {
  const UniqueFd fd(retry_eintr([&] { return ::open(name.c_str(), O_WRONLY | O_CLOEXEC); }));
  if (fd.empty()) throw JobError(name + ": open: " + std::strerror(errno));
  write_all(fd.get(), bytes, name);
}

constexpr const char* file_beneath = "a file beneath the served folder";

std::filesystem::path whole_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return (error ? path : whole).lexically_normal();
}

/// The file, which was opened with O_NONBLOCK, without that.
UniqueFd checked_for_reading(UniqueFd fd, const std::filesystem::path& path) {
  struct stat status = {};
  check_sys(::fstat(fd.get(), &status), "fstat");
  if (S_ISDIR(status.st_mode)) throw InputError({path.string()}, "", "a file", "a directory");
  check_sys(::fcntl(fd.get(), F_SETFL, O_RDONLY), "fcntl(F_SETFL)");
  return fd;
}

}  // namespace

UniqueFd open_for_reading(const std::filesystem::path& path) {
  // Without O_NONBLOCK a pipe without a writer would block for ever.
  UniqueFd fd(retry_eintr([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (fd.empty())
    throw InputError({path.empty() ? "\"\"" : path.string()}, "", "a readable file",
                     std::strerror(errno));
  return checked_for_reading(std::move(fd), path);
}

void check_beneath(const std::filesystem::path& folder, const std::filesystem::path& path) {
  const std::filesystem::path relative = whole_path(path).lexically_relative(folder);
  if (relative.empty() || relative.is_absolute() || *relative.begin() == "..")
    throw InputError({path.string()}, "", file_beneath, "one elsewhere");
}

UniqueFd open_for_reading_beneath(int at, const std::filesystem::path& folder,
                                  const std::filesystem::path& path) {
  check_beneath(folder, path);
  const std::filesystem::path relative = whole_path(path).lexically_relative(folder);
  UniqueFd fd = open_below(at, relative.string(), O_RDONLY);
  if (fd.empty() && errno == EXDEV)
    throw InputError({path.string()}, "", file_beneath, "a link to one elsewhere");
  if (fd.empty()) throw InputError({path.string()}, "", file_beneath, std::strerror(errno));
  return checked_for_reading(std::move(fd), path);
}

UniqueFd open_below(int at, const std::string& path, int flags) {
  open_how how = {};
  // With O_PATH open() refuses O_NONBLOCK, and does not wait anyway.
  const int more = (flags & O_PATH) != 0 ? 0 : O_NONBLOCK;
  how.flags = static_cast<decltype(how.flags)>(flags | O_CLOEXEC | more);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(
      retry_eintr([&] { return ::syscall(SYS_openat2, at, path.c_str(), &how, sizeof how); })));
}

std::string read_all(int fd, const std::filesystem::path& path, std::size_t max_bytes) {
  std::string bytes;
  char chunk[16384];
  for (;;) {
    const ssize_t got = retry_eintr([&] { return ::read(fd, chunk, sizeof chunk); });
    if (got < 0) throw InputError({path.string()}, "", "a readable file", std::strerror(errno));
    if (got == 0) return bytes;
    bytes.append(chunk, static_cast<std::size_t>(got));
    if (bytes.size() > max_bytes)
      throw InputError({path.string()}, "", fmt::format("at most {} bytes", max_bytes), "more");
  }
}

std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const UniqueFd fd = open_for_reading(path);
  return read_all(fd.get(), path, max_bytes);
}

void write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = retry_eintr([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (written < 0) throw JobError(name + ": write: " + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;  // a loop over the range would throw where the disk fails on the way
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    entries.push_back(it->path());
  return entries;
}

std::string file_beginning(const std::filesystem::path& path, std::size_t max_bytes) {
  return part_of_file(path, max_bytes, false);
}

std::string file_ending(const std::filesystem::path& path, std::size_t max_bytes) {
  return part_of_file(path, max_bytes, true);
}

std::string last_line_beginning(const std::string& text, std::string_view begin) {
  std::string last;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (const std::string_view own = parse_log_line(line).text; own.starts_with(begin)) last = own;
  return last;
}

bool overwrite_file(const std::filesystem::path& path, std::string_view bytes) noexcept {
  const UniqueFd fd(retry_eintr([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }));
  if (fd.empty()) return false;
  const auto size = static_cast<ssize_t>(bytes.size());
  // The file is cut only after the write, so that its block is not given back first.
  if (retry_eintr([&] { return ::pwrite(fd.get(), bytes.data(), bytes.size(), 0); }) != size)
    return false;
  return ::ftruncate(fd.get(), size) == 0;
}

namespace {

/// `mode`: of the new file; empty: as usual.
void replace_file(const std::filesystem::path& path, std::string_view bytes,
                  std::optional<mode_t> mode) {
  const std::string name = path.string();
  if (is_special(name)) return write_through(name, bytes);
  const std::string temporary = fmt::format("{}.{}.tmp", name, ::getpid());
  try {
    UniqueFd fd(retry_eintr([&] {
      return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                    mode.value_or(0644));
    }));
    if (fd.empty()) throw JobError(name + ": open: " + std::strerror(errno));
    // The mask of this process may have taken away what the file allows.
    if (mode && ::fchmod(fd.get(), *mode) != 0)
      throw JobError(name + ": fchmod: " + std::strerror(errno));
    write_all(fd.get(), bytes, name);
    fd.reset();
    if (::rename(temporary.c_str(), name.c_str()) != 0)
      throw JobError(name + ": rename: " + std::strerror(errno));
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  replace_file(path, bytes, std::nullopt);
}

void write_private_file(const std::filesystem::path& path, std::string_view bytes) {
  replace_file(path, bytes, S_IRUSR | S_IWUSR);
}

void rewrite_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code missing;
  const std::filesystem::path real = std::filesystem::canonical(path, missing);
  struct stat now {};
  if (missing || ::stat(real.c_str(), &now) != 0) return write_file_atomically(path, bytes);
  constexpr mode_t permissions = 07777;
  replace_file(real, bytes, now.st_mode & permissions);
}

}  // namespace tilewall
