// Preloaded into programs: every read of a wall movie's frame takes so many milliseconds longer as
// TILEWALL_TEST_READ_DELAY_MS says, and so many nanoseconds a byte as
// TILEWALL_TEST_READ_NS_PER_BYTE does, as on a disk that has become slow. In the last half of every
// TILEWALL_TEST_READ_STALL_MS none ends, as on a file server that has other things to do at times.
// While the file named by TILEWALL_TEST_READ_HANG exists, none ends either, as on a disk that
// hangs. With TILEWALL_TEST_READ_PART only frames whose path contains it are meant, and with
// TILEWALL_TEST_READ_PANEL only the panel of that number.

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace {

bool is_frame(int fd) {
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path);
  if (size <= 0) return false;
  const std::string_view name(path, static_cast<std::size_t>(size));
  static const char* const part = std::getenv("TILEWALL_TEST_READ_PART");
  return name.ends_with(".tif") && (part == nullptr || name.find(part) != name.npos);
}

/// Whether this program is one whose disk is slow.
bool is_meant() {
  const char* const panel = std::getenv("TILEWALL_TEST_READ_PANEL");
  if (panel == nullptr) return true;
  std::ifstream file("/proc/self/cmdline");
  std::string word;
  bool is_next = false;
  while (std::getline(file, word, '\0')) {
    if (is_next) return word == panel;
    is_next = word == "--panel";
  }
  return false;
}

long number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::atol(text) : 0;
}

/// Until the stall is over, if one is.
void wait_for_disk(long stall_ms) {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
  const auto passed = now.count() % stall_ms;
  if (passed >= stall_ms / 2)
    std::this_thread::sleep_for(std::chrono::milliseconds(stall_ms - passed));
}

/// Until the file that makes the disk hang is gone.
void wait_while_hung() {
  static const char* const file = std::getenv("TILEWALL_TEST_READ_HANG");
  while (file != nullptr && access(file, F_OK) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

ssize_t slowed(int fd, ssize_t got) {
  static const bool is_slow_here = is_meant();
  if (!is_slow_here) return got;
  static const long delay_ms = number("TILEWALL_TEST_READ_DELAY_MS");
  static const long ns_per_byte = number("TILEWALL_TEST_READ_NS_PER_BYTE");
  static const long stall_ms = number("TILEWALL_TEST_READ_STALL_MS");
  if (got > 0 && is_frame(fd)) wait_while_hung();
  const bool slow = delay_ms > 0 || ns_per_byte > 0 || stall_ms > 0;
  if (!slow || got <= 0 || !is_frame(fd)) return got;
  std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms) +
                              std::chrono::nanoseconds(ns_per_byte * got));
  if (stall_ms > 0) wait_for_disk(stall_ms);
  return got;
}

}  // namespace

extern "C" ssize_t pread64(int fd, void* bytes, size_t size, off64_t offset) {
  using Read = ssize_t (*)(int, void*, size_t, off64_t);
  static const Read real = reinterpret_cast<Read>(dlsym(RTLD_NEXT, "pread64"));
  return slowed(fd, real(fd, bytes, size, offset));
}

extern "C" ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  using Read = ssize_t (*)(int, const iovec*, int, off_t);
  static const Read real = reinterpret_cast<Read>(dlsym(RTLD_NEXT, "preadv"));
  return slowed(fd, real(fd, parts, count, offset));
}

extern "C" ssize_t pread(int fd, void* bytes, size_t size, off_t offset) {
  return pread64(fd, bytes, size, offset);
}
