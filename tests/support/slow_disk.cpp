// Preloaded into programs: every read of a wall movie's frame takes so many milliseconds longer as
// TILEWALL_TEST_READ_DELAY_MS says, as on a disk that has become slow.

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

}  // namespace

extern "C" ssize_t pread64(int fd, void* bytes, size_t size, off64_t offset) {
  using Read = ssize_t (*)(int, void*, size_t, off64_t);
  static const Read real = reinterpret_cast<Read>(dlsym(RTLD_NEXT, "pread64"));
  static const char* const delay_ms = std::getenv("TILEWALL_TEST_READ_DELAY_MS");
  if (delay_ms != nullptr && is_frame(fd))
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(delay_ms)));
  return real(fd, bytes, size, offset);
}

extern "C" ssize_t pread(int fd, void* bytes, size_t size, off_t offset) {
  return pread64(fd, bytes, size, offset);
}
