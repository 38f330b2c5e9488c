#include "render/volume/huge_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>

#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr std::size_t small_page_bytes = 4096;

}  // namespace

HugeMemory::HugeMemory(std::size_t bytes) : bytes_(bytes) {
  mapped_bytes_ = bytes + 2 * huge_page_bytes;  // the rest of the last huge page is ours as well
  mapping_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw_errno("mmap of a volume", errno);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  start_ = static_cast<std::byte*>(mapping_) +
           ((address + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes - address);
  // This is best effort: a kernel without huge pages is slower, not wrong.
  const bool is_large = bytes >= huge_page_bytes;
  static_cast<void>(::madvise(mapping_, mapped_bytes_, is_large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
}

std::size_t HugeMemory::held_bytes(std::size_t bytes) noexcept {
  const std::size_t page = bytes >= huge_page_bytes ? huge_page_bytes : small_page_bytes;
  return (bytes + page - 1) / page * page;
}

HugeMemory::~HugeMemory() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_bytes_);
}

}  // namespace tilewall::render
