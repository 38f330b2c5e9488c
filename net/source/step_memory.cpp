#include "net/source/step_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "sync/base/error.hpp"

namespace tilewall::net {

struct StepMemory::Store {
  const std::uint64_t limit_bytes;
  mutable std::mutex mutex;
  std::vector<SlabBuffer> unused;  // guarded by mutex, like all below; oldest first
  std::uint64_t bytes = 0;
  std::uint64_t most_bytes = 0;
  int leases = 0;
  bool keeps = false;

  explicit Store(std::uint64_t limit) : limit_bytes(limit) {}

  void drop_oldest() {
    bytes -= unused.front().capacity();
    unused.erase(unused.begin());
  }
  void put(SlabBuffer& buffer) noexcept {
    const std::scoped_lock lock(mutex);
    const std::size_t capacity = buffer.capacity();
    bytes -= capacity;
    if (!keeps) return;
    try {
      unused.push_back(std::move(buffer));
      bytes += capacity;
    } catch (const std::exception&) {  // the buffer is freed instead
    }
  }
};

StepMemory::StepMemory(std::uint64_t most_bytes) : store_(std::make_shared<Store>(most_bytes)) {}

StepMemory::Lease StepMemory::lease() {
  const auto end = [store = store_](const Store*) {
    const std::scoped_lock lock(store->mutex);
    --store->leases;
  };
  {
    const std::scoped_lock lock(store_->mutex);
    ++store_->leases;
  }
  return {store_.get(), end};
}

int StepMemory::leases() const {
  const std::scoped_lock lock(store_->mutex);
  return store_->leases;
}

// Where none of the unused buffers fits, the oldest one makes room for a new one, so that boxes of
// changing sizes do not leave more and more of them.
SlabBuffer StepMemory::take(std::size_t size) {
  SlabBuffer buffer;
  const std::scoped_lock lock(store_->mutex);
  auto& unused = store_->unused;
  const auto fits = std::ranges::find_if(unused, [&](const SlabBuffer& one) {
    return one.capacity() >= size && one.capacity() / 2 <= std::max<std::size_t>(size, 4096);
  });
  if (fits != unused.end()) {
    buffer = std::move(*fits);
    unused.erase(fits);
    buffer.resize(size);
    return buffer;
  }
  if (!unused.empty()) store_->drop_oldest();
  const std::uint64_t limit = store_->limit_bytes;
  while (limit > 0 && !unused.empty() && store_->bytes + size > limit) store_->drop_oldest();
  if (limit > 0 && store_->bytes + size > limit)
    throw JobError(fmt::format("memory: expected {} bytes of timesteps at most, found {}", limit,
                               store_->bytes + size));
  buffer.resize(size);
  store_->bytes += buffer.capacity();
  store_->most_bytes = std::max(store_->most_bytes, store_->bytes);
  return buffer;
}

std::shared_ptr<const SlabBuffer> StepMemory::share(SlabBuffer buffer, Lease lease) {
  const auto come_back = [store = store_, lease = std::move(lease)](SlabBuffer* done) {
    store->put(*done);
    delete done;
  };
  return std::shared_ptr<SlabBuffer>(new SlabBuffer(std::move(buffer)), come_back);
}

void StepMemory::keep_unused() noexcept {
  const std::scoped_lock lock(store_->mutex);
  store_->keeps = true;
}

std::vector<SlabBuffer> StepMemory::free_unused() noexcept {
  const std::scoped_lock lock(store_->mutex);
  store_->keeps = false;
  for (const SlabBuffer& buffer : store_->unused) store_->bytes -= buffer.capacity();
  return std::exchange(store_->unused, {});
}

std::uint64_t StepMemory::bytes() const {
  const std::scoped_lock lock(store_->mutex);
  return store_->bytes;
}

std::uint64_t StepMemory::most_bytes() const {
  const std::scoped_lock lock(store_->mutex);
  return store_->most_bytes;
}

}  // namespace tilewall::net
