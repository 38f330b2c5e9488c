#include "sync/base/shared_counter.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/base/check.hpp"

namespace tilewall {
namespace {

using Counter = std::atomic<std::uint64_t>;
static_assert(Counter::is_always_lock_free && sizeof(Counter) == 8);

}  // namespace

void SharedCounterTraits::close(Raw counter) noexcept { ::munmap(counter, sizeof(Counter)); }

SharedCounter::SharedCounter()
    : fd_(check_sys(::memfd_create("tilewall-counter", MFD_CLOEXEC), "memfd_create")) {
  check_sys(::ftruncate(fd_.get(), sizeof(Counter)), "ftruncate");
  map();
}

SharedCounter::SharedCounter(int fd) : fd_(fd) {
  struct stat status = {};
  check_sys(::fstat(fd, &status), "fstat of a shared counter");
  if (status.st_size != static_cast<off_t>(sizeof(Counter)))
    throw JobError("a shared counter of another size");
  map();
}

void SharedCounter::map() {
  void* const at =
      ::mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (at == MAP_FAILED) throw_errno("mmap", errno);
  // A fresh memfd has zeros, which are a counter at 0.
  counter_ = UniqueHandle<SharedCounterTraits>(static_cast<Counter*>(at));
}

std::uint64_t SharedCounter::value() const noexcept {
  return counter_.get()->load(std::memory_order_relaxed);
}

void SharedCounter::increment() noexcept {
  counter_.get()->fetch_add(1, std::memory_order_relaxed);
}

}  // namespace tilewall
