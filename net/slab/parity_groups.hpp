// Divides a slab's pieces into groups that have parity pieces of their own: consecutive pieces, in
// groups that differ in size by at most one. Client and server compute it alike.
#pragma once

#include <cstdint>

#include "net/slab/packet.hpp"

namespace tilewall::net {

struct ParityGroups {
  static constexpr std::uint32_t most_data = 215;  // leaves 40 of a code's 255 pieces for parity

  std::uint32_t pieces = 1;  ///< number of the slab's pieces, at least one

  /// Number of groups.
  [[nodiscard]] constexpr std::uint32_t count() const noexcept {
    return (pieces + most_data - 1) / most_data;
  }
  /// First piece of a group. @pre group <= count()
  [[nodiscard]] constexpr std::uint32_t first(std::uint32_t group) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{pieces} * group / count());
  }
  /// Number of a group's data pieces. @pre group < count()
  [[nodiscard]] constexpr std::uint32_t size(std::uint32_t group) const noexcept {
    return first(group + 1) - first(group);
  }
  /// Group of a piece. @pre piece < pieces
  [[nodiscard]] constexpr std::uint32_t of(std::uint32_t piece) const noexcept {
    return static_cast<std::uint32_t>(((std::uint64_t{piece} + 1) * count() - 1) / pieces);
  }
};

/// What PacketHeader::piece means in a parity packet: group * 256 + index.
struct ParityPiece {
  std::uint32_t group = 0;
  std::uint32_t index = 0;  ///< number among the group's parity pieces, below 255

  [[nodiscard]] constexpr std::uint32_t number() const noexcept { return group << 8 | index; }
  [[nodiscard]] static constexpr ParityPiece from(std::uint32_t number) noexcept {
    return {number >> 8, number & 0xFF};
  }
};

}  // namespace tilewall::net
