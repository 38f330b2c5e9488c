// Memory for timesteps that are held, reused from one timestep to the next: fresh pages cost more
// than writing to them. It counts how much is held, and for how many timesteps.
//
// Threads: any. Buffers keep what they need of it alive, so they may outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "net/slab/slab_buffer.hpp"

namespace tilewall::net {

class StepMemory {
 public:
  /// `most_bytes` for all buffers, unused ones included; 0: no limit.
  explicit StepMemory(std::uint64_t most_bytes);

  /// Stands for one timestep as long as a copy of it, or a buffer that was shared with it, exists.
  using Lease = std::shared_ptr<const void>;
  [[nodiscard]] Lease lease();
  /// Number of timesteps of which something exists.
  [[nodiscard]] int leases() const;

  /// A buffer of `size` undefined bytes. Throws JobError where there is no memory, or not so much.
  [[nodiscard]] SlabBuffer take(std::size_t size);
  /// Shares a buffer of a timestep among readers. After the last one it is kept for later ones, or
  /// freed.
  [[nodiscard]] std::shared_ptr<const SlabBuffer> share(SlabBuffer buffer, Lease lease);
  /// From now on buffers are kept for later ones. At first they are freed.
  void keep_unused() noexcept;
  /// From now on they are freed. Returns those that were kept, for the caller to free where that
  /// holds up nobody: gigabytes take a while.
  [[nodiscard]] std::vector<SlabBuffer> free_unused() noexcept;

  /// Bytes in buffers, unused ones included.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t most_bytes() const;

 private:
  struct Store;
  const std::shared_ptr<Store> store_;
};

}  // namespace tilewall::net
