#include "player/bench/disk_reading.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <span>

#include "player/bench/common.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

// O_DIRECT requires this alignment of buffers, sizes and offsets.
constexpr std::size_t alignment_bytes = 4096;
constexpr std::size_t write_bytes = std::size_t{1} << 20;

struct FreeDeleter {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
using AlignedBuffer = std::unique_ptr<char[], FreeDeleter>;

AlignedBuffer aligned_buffer(std::size_t bytes) {
  void* const memory = std::aligned_alloc(alignment_bytes, bytes);
  TW_CHECK(memory != nullptr, "{} bytes", bytes);
  std::memset(memory, 0, bytes);  // touches all pages before the measurement
  return AlignedBuffer(static_cast<char*>(memory));
}

double ms_since(SteadyClock::time_point start) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
}

[[noreturn]] void fail(const std::filesystem::path& file, const char* action, int number) {
  throw JobError(fmt::format("{}: {}: {}", file.string(), action, std::strerror(number)));
}

std::vector<off_t> random_places(const std::filesystem::path& file, std::size_t size_bytes) {
  const auto count = std::filesystem::file_size(file) / size_bytes;
  std::vector<off_t> places(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<off_t>(i * size_bytes);
  std::shuffle(places.begin(), places.end(), std::mt19937(1));
  return places;
}

void read_one_by_one(int fd, std::size_t size_bytes, std::span<const off_t> places,
                     const std::filesystem::path& file, ReadTimes& times) {
  const AlignedBuffer buffer = aligned_buffer(size_bytes);
  for (const off_t place : places) {
    const auto start = SteadyClock::now();
    const ssize_t got = retry_eintr([&] { return ::pread(fd, buffer.get(), size_bytes, place); });
    if (got != static_cast<ssize_t>(size_bytes)) fail(file, "read", got < 0 ? errno : EIO);
    times.latency_ms.push_back(ms_since(start));
  }
}

/// io_uring with one buffer for each read in flight.
class ReadRing {
 public:
  ReadRing(int fd, std::size_t size_bytes, int depth) : fd_(fd), size_bytes_(size_bytes) {
    const int error = ::io_uring_queue_init(static_cast<unsigned>(depth), &ring_, 0);
    if (error < 0) throw JobError(fmt::format("io_uring: {}", std::strerror(-error)));
    for (int i = 0; i < depth; ++i) slots_.push_back({aligned_buffer(size_bytes), {}});
  }
  ~ReadRing() { ::io_uring_queue_exit(&ring_); }
  ReadRing(const ReadRing&) = delete;
  ReadRing& operator=(const ReadRing&) = delete;

  void read_all(std::span<const off_t> places, const std::filesystem::path& file,
                ReadTimes& times) {
    std::size_t next = 0;
    for (Slot& slot : slots_)
      if (next < places.size()) submit(slot, places[next++]);
    for (std::size_t done = 0; done < places.size(); ++done) {
      io_uring_cqe* end = nullptr;
      const int error = ::io_uring_wait_cqe(&ring_, &end);
      if (error < 0) fail(file, "io_uring", -error);
      if (end->res != static_cast<int>(size_bytes_))
        fail(file, "read", end->res < 0 ? -end->res : EIO);
      Slot& slot = *static_cast<Slot*>(::io_uring_cqe_get_data(end));
      times.latency_ms.push_back(ms_since(slot.start));
      ::io_uring_cqe_seen(&ring_, end);
      if (next < places.size()) submit(slot, places[next++]);
    }
  }

 private:
  struct Slot {
    AlignedBuffer buffer;
    SteadyClock::time_point start;
  };

  void submit(Slot& slot, off_t place) {
    io_uring_sqe* const request = ::io_uring_get_sqe(&ring_);
    TW_CHECK(request != nullptr);
    slot.start = SteadyClock::now();
    ::io_uring_prep_read(request, fd_, slot.buffer.get(), static_cast<unsigned>(size_bytes_),
                         static_cast<std::uint64_t>(place));
    ::io_uring_sqe_set_data(request, &slot);
    ::io_uring_submit(&ring_);
  }

  const int fd_;
  const std::size_t size_bytes_;
  io_uring ring_ = {};
  std::vector<Slot> slots_;
};

}  // namespace

const char* to_string(ReadEngine engine) noexcept {
  switch (engine) {
    case ReadEngine::cached:
      return "cached";
    case ReadEngine::buffered:
      return "buffered";
    case ReadEngine::direct:
      return "direct";
    case ReadEngine::ring:
      return "ring";
  }
  return "unknown";
}

void write_disk_file(const std::filesystem::path& file, std::uint64_t bytes) {
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (fd.empty()) fail(file, "open", errno);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> noise(write_bytes / sizeof(std::uint64_t));
  for (std::uint64_t done = 0; done < bytes; done += write_bytes) {
    std::generate(noise.begin(), noise.end(), [&] { return random(); });
    if (::write(fd.get(), noise.data(), write_bytes) != static_cast<ssize_t>(write_bytes))
      fail(file, "write", errno);
  }
  if (::fsync(fd.get()) != 0) fail(file, "fsync", errno);
}

void drop_from_page_cache(const std::filesystem::path& file) {
  const UniqueFd fd = open_for_reading(file);
  ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
}

ReadTimes measure_reading(const std::filesystem::path& file, const ReadPattern& pattern) {
  const bool past_cache =
      pattern.engine == ReadEngine::direct || pattern.engine == ReadEngine::ring;
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | (past_cache ? O_DIRECT : 0)));
  if (fd.empty()) fail(file, past_cache ? "open with O_DIRECT" : "open", errno);
  const std::vector<off_t> places = random_places(file, pattern.size_bytes);
  ReadTimes warm_up;
  if (pattern.engine == ReadEngine::cached)
    read_one_by_one(fd.get(), pattern.size_bytes, places, file, warm_up);
  else
    drop_from_page_cache(file);
  ReadTimes times;
  times.bytes = places.size() * pattern.size_bytes;
  const double cpu_s = process_cpu_s();
  const auto start = SteadyClock::now();
  if (pattern.engine == ReadEngine::ring)
    ReadRing(fd.get(), pattern.size_bytes, pattern.depth).read_all(places, file, times);
  else
    read_one_by_one(fd.get(), pattern.size_bytes, places, file, times);
  times.wall_s = ms_since(start) * 1e-3;
  times.cpu_s = process_cpu_s() - cpu_s;
  return times;
}

}  // namespace tilewall::bench
