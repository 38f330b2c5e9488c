// Memory for slabs: large buffers that are not cleared, on huge pages if the system has them.
//
// A slab is the bytes that answer one request: the blocks of a frame, the voxels of a box.
//
// Threads: a buffer has one owner at a time; any thread may call the pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>

namespace tilewall::net {

/// Owns memory; movable. Its bytes are undefined until they are written.
class SlabBuffer {
 public:
  SlabBuffer() noexcept = default;
  SlabBuffer(SlabBuffer&& other) noexcept;
  SlabBuffer& operator=(SlabBuffer&& other) noexcept;
  ~SlabBuffer();

  [[nodiscard]] std::byte* data() const noexcept { return memory_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {memory_, size_}; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {memory_, size_}; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// Sets the size in bytes. Contents up to the smaller of both sizes are kept, and bytes beyond
  /// are undefined. Throws JobError if there is no memory.
  void resize(std::size_t size);

 private:
  void release() noexcept;

  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Keeps used buffers for later slabs, because mapping fresh pages takes longer than writing to
/// them.
///
/// Threads: any.
class SlabPool {
 public:
  /// Keeps at most `keep_bytes` of unused memory.
  explicit SlabPool(std::size_t keep_bytes) noexcept : keep_bytes_(keep_bytes) {}

  /// Returns a buffer of `size` bytes: a kept one that fits, else a new one. Throws JobError if
  /// there is no memory.
  [[nodiscard]] SlabBuffer take(std::size_t size);
  /// Keeps a buffer for later, and frees the oldest ones if there are too many.
  void give_back(SlabBuffer buffer) noexcept;

  /// Shares a buffer among readers. After the last one it returns to this pool, which must outlive
  /// it.
  [[nodiscard]] std::shared_ptr<const SlabBuffer> share(SlabBuffer buffer);

 private:
  const std::size_t keep_bytes_;
  std::mutex mutex_;
  std::deque<SlabBuffer> kept_;  // guarded by mutex_; the newest is at the end
  std::size_t kept_bytes_ = 0;   // guarded by mutex_
};

}  // namespace tilewall::net
