// Memory for slabs: large, not cleared, on huge pages where the system gives them.
//
// A slab is a run of bytes that one request asks for: the blocks of a frame, the bricks of a
// timestep. Threads: a buffer belongs to whoever holds it; the pool may be asked by any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace tilewall::net {

/// Owned memory, movable. Its bytes are undefined until they are written.
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

  /// Makes it `size` bytes; keeps what it holds up to there. Throws JobError where there is no
  /// memory.
  void resize(std::size_t size);

 private:
  void release() noexcept;

  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Keeps buffers that are done with for the next ones: fresh pages cost more than what is written
/// into them. Any thread.
class SlabPool {
 public:
  /// Keeps up to so many bytes that nobody uses.
  explicit SlabPool(std::size_t keep_bytes) noexcept : keep_bytes_(keep_bytes) {}

  [[nodiscard]] SlabBuffer take(std::size_t size);
  void give_back(SlabBuffer buffer) noexcept;

  /// The buffer for many readers; it comes back here after the last. This outlives it.
  [[nodiscard]] std::shared_ptr<const SlabBuffer> share(SlabBuffer buffer);

 private:
  const std::size_t keep_bytes_;
  std::mutex mutex_;
  std::vector<SlabBuffer> kept_;  // guarded by mutex_
  std::size_t kept_bytes_ = 0;    // guarded by mutex_
};

}  // namespace tilewall::net
