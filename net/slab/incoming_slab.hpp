// A slab that is coming: its memory, and which pieces are there. One owner.
#pragma once

#include <cstdint>
#include <vector>

#include "net/slab/packet.hpp"
#include "net/slab/slab_buffer.hpp"

namespace tilewall {

class IncomingSlab {
 public:
  /// `buffer` has shape.slab_bytes.
  IncomingSlab(const SlabShape& shape, SlabBuffer buffer);

  [[nodiscard]] const SlabShape& shape() const noexcept { return shape_; }
  /// Whether the piece exists and is not there yet.
  [[nodiscard]] bool wants(std::uint32_t piece) const noexcept {
    return piece < there_.size() && !there_[piece];
  }
  /// Where it goes. @pre wants(piece)
  [[nodiscard]] std::byte* place(std::uint32_t piece) const noexcept { return memory(piece); }
  /// Where it goes, or lies. @pre piece < shape().pieces()
  [[nodiscard]] std::byte* memory(std::uint32_t piece) const noexcept {
    return buffer_.data() + shape_.offset_of(piece);
  }
  /// Its bytes lie at place(piece). @pre wants(piece)
  void mark(std::uint32_t piece) noexcept {
    there_[piece] = true;
    --missing_;
  }
  [[nodiscard]] std::uint32_t missing() const noexcept { return missing_; }

  /// @pre missing() == 0
  [[nodiscard]] SlabBuffer finish() noexcept { return std::move(buffer_); }

 private:
  SlabShape shape_;
  SlabBuffer buffer_;
  std::vector<bool> there_;
  std::uint32_t missing_;
};

}  // namespace tilewall
