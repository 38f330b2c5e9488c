// Zeroed memory in huge pages, where the system has them: a ray touches a new page every few
// samples, and with small pages each of those is a TLB miss.
#pragma once

#include <cstddef>
#include <utility>

namespace tilewall::render {

/// Move-only owner. The memory starts at a 2 MiB boundary, and takes no pages until it is written.
/// Less than 2 MiB lies in small pages, as a huge page would be held for a part of it.
class HugeMemory {
 public:
  HugeMemory() noexcept = default;
  /// Throws JobError where the system does not have that much memory.
  explicit HugeMemory(std::size_t bytes);
  HugeMemory(HugeMemory&& other) noexcept
      : mapping_(std::exchange(other.mapping_, nullptr)),
        mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
        start_(std::exchange(other.start_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  HugeMemory& operator=(HugeMemory other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    std::swap(start_, other.start_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HugeMemory();
  /// Bytes that memory of `bytes` holds once all of it is written.
  [[nodiscard]] static std::size_t held_bytes(std::size_t bytes) noexcept;
  [[nodiscard]] std::byte* data() const noexcept { return start_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* start_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tilewall::render
