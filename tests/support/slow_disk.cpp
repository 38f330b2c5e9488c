// Preloaded into programs: every read of a wall movie's frame takes so many milliseconds longer as
// TILEWALL_TEST_READ_DELAY_MS says, and so many nanoseconds a byte as
// TILEWALL_TEST_READ_NS_PER_BYTE does, as on a disk that has become slow.

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

bool is_frame(int fd) {
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path);
  return size > 0 && std::string_view(path, static_cast<std::size_t>(size)).ends_with(".tif");
}

long number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::atol(text) : 0;
}

}  // namespace

extern "C" ssize_t pread64(int fd, void* bytes, size_t size, off64_t offset) {
  using Read = ssize_t (*)(int, void*, size_t, off64_t);
  static const Read real = reinterpret_cast<Read>(dlsym(RTLD_NEXT, "pread64"));
  static const long delay_ms = number("TILEWALL_TEST_READ_DELAY_MS");
  static const long ns_per_byte = number("TILEWALL_TEST_READ_NS_PER_BYTE");
  const ssize_t got = real(fd, bytes, size, offset);
  if ((delay_ms > 0 || ns_per_byte > 0) && got > 0 && is_frame(fd))
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms) +
                                std::chrono::nanoseconds(ns_per_byte * got));
  return got;
}

extern "C" ssize_t pread(int fd, void* bytes, size_t size, off_t offset) {
  return pread64(fd, bytes, size, offset);
}
