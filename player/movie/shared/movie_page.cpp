#include "player/movie/shared/movie_page.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/base/terminal_text.hpp"
#include "sync/global_time.hpp"

namespace tilewall::movie {

namespace {

constexpr int fixed_size = F_SEAL_SHRINK | F_SEAL_GROW;

std::size_t sealed_bytes(int fd) {
  struct stat status = {};
  check_sys(::fstat(fd, &status), "fstat");
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & fixed_size) != fixed_size)
    throw JobError("a movie's shared memory: expected a sealed size, found one that can change");
  if (status.st_size < static_cast<off_t>(slots_offset_bytes))
    throw JobError(fmt::format("a movie's shared memory: expected {} bytes or more, found {}",
                               slots_offset_bytes, status.st_size));
  return static_cast<std::size_t>(status.st_size);
}

/// Copies a line and its 0 at the end; cuts a line that does not fit.
template <std::size_t N>
void set_line(char (&to)[N], std::string_view line) noexcept {
  const std::size_t length = std::min(line.size(), N - 1);
  std::memcpy(to, line.data(), length);
  to[length] = '\0';
}

/// Copies a line first, because another process may be writing it. The copy may hold anything, so
/// the result is made printable UTF-8.
template <std::size_t N>
std::string line_of(const char (&from)[N]) {
  char line[N];
  std::memcpy(line, from, N);
  return printable_text({line, ::strnlen(line, N)});
}

}  // namespace

MovieMemory::MovieMemory(int fd) : bytes_(sealed_bytes(fd)) {
  begin_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (begin_ == MAP_FAILED) {
    begin_ = nullptr;
    throw_errno("mmap", errno);
  }
  const MoviePage& found = page();
  if (found.magic == MoviePage::magic_value && found.version == MoviePage::version_value &&
      found.page_bytes == sizeof(MoviePage))
    return;
  ::munmap(begin_, bytes_);
  begin_ = nullptr;
  throw JobError("a movie's shared memory: its layout is of another version");
}

MovieMemory::MovieMemory(MovieMemory&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MovieMemory& MovieMemory::operator=(MovieMemory&& other) noexcept {
  MovieMemory taken(std::move(other));
  std::swap(begin_, taken.begin_);
  std::swap(bytes_, taken.bytes_);
  return *this;
}

MovieMemory::~MovieMemory() {
  if (begin_ != nullptr) ::munmap(begin_, bytes_);
}

std::span<std::uint8_t> MovieMemory::slot(int slot, std::uint64_t slot_bytes) const noexcept {
  const std::size_t room = slots_bytes();
  if (slot < 0 || slot >= max_movie_slots || slot_bytes == 0 || slot_bytes > room ||
      slot_bytes % plane_alignment_bytes != 0)
    return {};
  const std::size_t at = static_cast<std::size_t>(slot) * slot_bytes;
  if (at > room - slot_bytes) return {};
  return {static_cast<std::uint8_t*>(begin_) + slots_offset_bytes + at, slot_bytes};
}

UniqueFd make_movie_memory(std::size_t slots_bytes) {
  UniqueFd fd(
      check_sys(::memfd_create("tilewall-movie", MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create"));
  check_sys(::ftruncate(fd.get(), static_cast<off_t>(slots_offset_bytes + slots_bytes)),
            "ftruncate");
  void* const at =
      ::mmap(nullptr, sizeof(MoviePage), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) throw_errno("mmap", errno);
  (new (at) MoviePage)->made_ns = static_cast<std::uint64_t>(local_now().since_epoch.count());
  ::munmap(at, sizeof(MoviePage));
  check_sys(::fcntl(fd.get(), F_ADD_SEALS, fixed_size | F_SEAL_SEAL), "F_ADD_SEALS");
  return fd;
}

void set_refusal(MoviePage& page, std::string_view line) noexcept { set_line(page.refusal, line); }

std::string refusal_of(const MoviePage& page) { return line_of(page.refusal); }

void set_device_note(MoviePage& page, std::string_view line) noexcept {
  set_line(page.device_note, line);
}

std::string device_note_of(const MoviePage& page) { return line_of(page.device_note); }

void wake_panels(MoviePage& page) noexcept {
  page.published.fetch_add(1);
  futex_wake_all(page.published);
}

void wake_decoder(MoviePage& page) noexcept {
  page.asked.fetch_add(1);
  if (page.decoder_sleeps.load() != 0) futex_wake_all(page.asked);
}

static_assert(sizeof(std::atomic<std::uint32_t>) == 4 &&
              std::atomic<std::uint32_t>::is_always_lock_free);

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds limit) noexcept {
  const timespec time = {static_cast<time_t>(limit.count() / 1'000'000'000),
                         static_cast<long>(limit.count() % 1'000'000'000)};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &time, nullptr, 0);
}

void futex_wake_all(const std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace tilewall::movie
