// Which pieces of a slab protect each other: groups of pieces that follow one another, as equal as
// can be, each with parity pieces of its own. The same on both sides.
#pragma once

#include <cstdint>

#include "net/slab/packet.hpp"

namespace tilewall {

struct ParityGroups {
  static constexpr std::uint32_t most_data = 215;  // with 40 of parity, all a code can have

  std::uint32_t pieces = 1;  ///< of the slab, at least one

  [[nodiscard]] constexpr std::uint32_t count() const noexcept {
    return (pieces + most_data - 1) / most_data;
  }
  /// @pre group <= count()
  [[nodiscard]] constexpr std::uint32_t first(std::uint32_t group) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{pieces} * group / count());
  }
  [[nodiscard]] constexpr std::uint32_t size(std::uint32_t group) const noexcept {
    return first(group + 1) - first(group);
  }
  /// @pre piece < pieces
  [[nodiscard]] constexpr std::uint32_t of(std::uint32_t piece) const noexcept {
    return static_cast<std::uint32_t>(((std::uint64_t{piece} + 1) * count() - 1) / pieces);
  }
};

/// The `piece` of a parity packet's header.
struct ParityPiece {
  std::uint32_t group = 0;
  std::uint32_t index = 0;  ///< of the group's parity pieces, < 255

  [[nodiscard]] constexpr std::uint32_t number() const noexcept { return group << 8 | index; }
  [[nodiscard]] static constexpr ParityPiece from(std::uint32_t number) noexcept {
    return {number >> 8, number & 0xFF};
  }
};

}  // namespace tilewall
