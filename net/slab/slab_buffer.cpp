#include "net/slab/slab_buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

std::size_t capacity_for(std::size_t size) {
  const std::size_t unit = size < huge_page_bytes ? page_bytes : huge_page_bytes;
  return (std::max<std::size_t>(size, 1) + unit - 1) / unit * unit;
}

std::byte* map_memory(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw JobError("out of memory for blocks from the network");
  if (bytes >= huge_page_bytes) ::madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

}  // namespace

SlabBuffer::SlabBuffer(SlabBuffer&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

SlabBuffer& SlabBuffer::operator=(SlabBuffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  memory_ = std::exchange(other.memory_, nullptr);
  size_ = std::exchange(other.size_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
  return *this;
}

SlabBuffer::~SlabBuffer() { release(); }

void SlabBuffer::release() noexcept {
  if (memory_ != nullptr) ::munmap(memory_, capacity_);
}

void SlabBuffer::resize(std::size_t size) {
  if (size > capacity_) {
    const std::size_t capacity = capacity_for(size);
    std::byte* const memory = map_memory(capacity);
    if (size_ > 0) std::memcpy(memory, memory_, size_);
    release();
    memory_ = memory;
    capacity_ = capacity;
  }
  size_ = size;
}

SlabBuffer SlabPool::take(std::size_t size) {
  SlabBuffer buffer;
  {
    const std::scoped_lock lock(mutex_);
    const auto fits = [&](const SlabBuffer& kept) {
      return kept.capacity() >= size && kept.capacity() / 4 <= size + page_bytes;
    };
    // From the newest on, whose removal moves no others where all have the same size.
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(), fits);
    if (found != kept_.rend()) {
      buffer = std::move(*found);
      kept_.erase(std::next(found).base());
      kept_bytes_ -= buffer.capacity();
    }
  }
  buffer.resize(size);
  return buffer;
}

void SlabPool::give_back(SlabBuffer buffer) noexcept {
  const std::scoped_lock lock(mutex_);
  if (buffer.capacity() > keep_bytes_ || buffer.capacity() == 0) return;
  while (kept_bytes_ + buffer.capacity() > keep_bytes_) {  // frees the oldest first
    kept_bytes_ -= kept_.front().capacity();
    kept_.pop_front();
  }
  kept_bytes_ += buffer.capacity();
  kept_.push_back(std::move(buffer));
}

std::shared_ptr<const SlabBuffer> SlabPool::share(SlabBuffer buffer) {
  const auto come_back = [this](SlabBuffer* done) {
    give_back(std::move(*done));
    delete done;
  };
  return std::shared_ptr<SlabBuffer>(new SlabBuffer(std::move(buffer)), come_back);
}

}  // namespace tilewall::net
