#include "net/clock/clock_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall::net {
namespace {

constexpr std::chrono::milliseconds page_look_interval{2};

[[noreturn]] void throw_for(const std::filesystem::path& path, const char* call, int error) {
  throw JobError(fmt::format("{}: {}: {}", path.string(), call, std::strerror(error)));
}

bool is_whole(const ClockPage& page) noexcept {
  return page.magic.load(std::memory_order_acquire) == ClockPage::magic_value &&
         page.version == ClockPage::version_value && page.size_bytes == sizeof(ClockPage);
}

UniqueClockPage map_page(int fd, int protection) {
  void* const at = ::mmap(nullptr, sizeof(ClockPage), protection, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) throw_errno("mmap", errno);
  return UniqueClockPage(static_cast<ClockPage*>(at));
}

/// A file of the page's size with its blocks reserved, so a full disk fails here and not as SIGBUS
/// when the mapping is written.
UniqueFd open_page_file(const std::filesystem::path& path) {
  UniqueFd fd(
      retry_eintr([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644); }));
  if (fd.empty()) throw_for(path, "open", errno);
  const int error = ::posix_fallocate(fd.get(), 0, sizeof(ClockPage));
  if (error != 0) throw_for(path, "posix_fallocate", error);
  return fd;
}

void make_empty(ClockPage* page) noexcept {
  page->magic.store(0, std::memory_order_relaxed);
  new (&page->board) ClockBoard;
  page->version = ClockPage::version_value;
  page->size_bytes = sizeof(ClockPage);
  page->magic.store(ClockPage::magic_value, std::memory_order_release);  // seen by is_whole()
}

}  // namespace

void ClockPageTraits::close(Raw page) noexcept { ::munmap(page, sizeof(ClockPage)); }

std::unique_ptr<ClockPageReader> ClockPageReader::try_open(const std::filesystem::path& path) {
  const UniqueFd fd(retry_eintr([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (fd.empty()) {
    if (errno == ENOENT) return nullptr;
    throw_for(path, "open", errno);
  }
  struct stat status = {};
  check_sys(::fstat(fd.get(), &status), "fstat");
  if (!S_ISREG(status.st_mode) || status.st_size < static_cast<off_t>(sizeof(ClockPage)))
    return nullptr;
  UniqueClockPage page = map_page(fd.get(), PROT_READ);
  if (!is_whole(*page.get())) return nullptr;
  return std::make_unique<ClockPageReader>(std::move(page));
}

sync::ClockStatus ClockPageReader::status() const noexcept {
  return page_.get()->board.newest().value_or(sync::ClockStatus{});
}

std::unique_ptr<ClockPageReader> wait_for_clock_page(const std::filesystem::path& path,
                                                     std::chrono::milliseconds limit) {
  const LocalInstant give_up = local_now() + limit;
  std::unique_ptr<ClockPageReader> reader;
  for (;;) {
    if (!reader) reader = ClockPageReader::try_open(path);
    if (reader && reader->status().state != sync::ClockState::collecting) return reader;
    if (local_now() >= give_up) break;
    std::ignore = sync::wait_until(local_now() + page_look_interval, Nanos{0});
  }
  throw JobError(
      fmt::format("{}: no global time within {} ms: {}", path.string(), limit.count(),
                  reader ? "the clock daemon does not answer" : "nobody keeps the clock"));
}

ClockPageWriter::ClockPageWriter(const std::filesystem::path& path)
    : page_(map_page(open_page_file(path).get(), PROT_READ | PROT_WRITE)) {
  if (!is_whole(*page_.get())) make_empty(page_.get());
  previous_ = page_.get()->board.newest();
  // A status later than now was written before the machine's last boot.
  if (previous_ && previous_->updated > local_now()) previous_.reset();
}

}  // namespace tilewall::net
