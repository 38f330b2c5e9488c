// A slab that is being received: its memory, and which of its pieces have arrived.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <vector>

#include "net/slab/packet.hpp"
#include "net/slab/slab_buffer.hpp"

namespace tilewall::net {

class IncomingSlab {
 public:
  /// @pre buffer.size() == shape.slab_bytes
  IncomingSlab(const SlabShape& shape, SlabBuffer buffer);

  [[nodiscard]] const SlabShape& shape() const noexcept { return shape_; }
  /// Whether the piece exists and has not arrived.
  [[nodiscard]] bool wants(std::uint32_t piece) const noexcept {
    return piece < there_.size() && !there_[piece];
  }
  /// Where the piece is to be written. @pre wants(piece)
  [[nodiscard]] std::byte* place(std::uint32_t piece) const noexcept { return memory(piece); }
  /// Memory of the piece, whether it has arrived or not. @pre piece < shape().pieces()
  [[nodiscard]] std::byte* memory(std::uint32_t piece) const noexcept {
    return buffer_.data() + shape_.offset_of(piece);
  }
  /// Notes that the piece's bytes are at place(piece). @pre wants(piece)
  void mark(std::uint32_t piece) noexcept {
    there_[piece] = true;
    --missing_;
  }
  /// Number of pieces that have not arrived.
  [[nodiscard]] std::uint32_t missing() const noexcept { return missing_; }

  /// Hands the memory over. @pre missing() == 0
  [[nodiscard]] SlabBuffer finish() noexcept { return std::move(buffer_); }

 private:
  SlabShape shape_;
  SlabBuffer buffer_;
  std::vector<bool> there_;
  std::uint32_t missing_;
};

}  // namespace tilewall::net
