// Preloaded into programs: SDL's disk audio driver, which sleeps for a buffer's length between
// buffers, becomes a device with a clock of its own: it plays from its first buffer on without a
// pause, TILEWALL_TEST_DEVICE_PPM faster than it says. When it began (CLOCK_MONOTONIC, nanoseconds)
// stands in the file that TILEWALL_TEST_DEVICE_FILE names.

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

constexpr long long ns_per_s = 1'000'000'000;

long long nanos(const timespec& time) { return time.tv_sec * ns_per_s + time.tv_nsec; }

bool is_audio_thread() {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  return std::string_view(name).starts_with("SDLAudio");
}

long long begin_device(const char* file) {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (std::FILE* const out = std::fopen(file, "w")) {
    std::fprintf(out, "%lld\n", nanos(now));
    std::fclose(out);
  }
  return nanos(now);
}

/// Until the device has played as many buffers as it was given.
void play_buffer(const timespec& length, const char* file) {
  static const char* const ppm = std::getenv("TILEWALL_TEST_DEVICE_PPM");
  static const double rate = 1.0 + (ppm != nullptr ? std::atof(ppm) * 1e-6 : 0);
  static const long long begin_ns = begin_device(file);
  static long long given_ns = 0;
  given_ns += nanos(length);
  const auto until_ns = begin_ns + static_cast<long long>(static_cast<double>(given_ns) / rate);
  const timespec until = {until_ns / ns_per_s, until_ns % ns_per_s};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace

extern "C" int nanosleep(const timespec* length, timespec* left) {
  using Sleep = int (*)(const timespec*, timespec*);
  static const Sleep real = reinterpret_cast<Sleep>(dlsym(RTLD_NEXT, "nanosleep"));
  static const char* const file = std::getenv("TILEWALL_TEST_DEVICE_FILE");
  if (file == nullptr || !is_audio_thread()) return real(length, left);
  play_buffer(*length, file);
  return 0;
}
