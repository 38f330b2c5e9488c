// Parity pieces of a slab that is being received, kept until they can replace the missing data
// pieces of their groups.
//
// Memory: at most as many parity pieces per group as the group has data pieces. Threads: one owner.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "net/slab/incoming_slab.hpp"
#include "net/slab/parity_groups.hpp"

namespace tilewall::net {

class IncomingParity {
 public:
  explicit IncomingParity(const SlabShape& shape) noexcept;

  /// Copies a parity piece unless it is out of range, known already, or its group is complete.
  void add(ParityPiece piece, std::span<const std::byte> payload, const IncomingSlab& slab);

  /// Whether any parity piece of the group is kept.
  [[nodiscard]] bool has(std::uint32_t group) const { return kept_.contains(group); }

  /// If data and parity pieces suffice, computes the group's missing pieces into the slab, marks
  /// them, and drops the group's parity. Returns how many pieces were computed.
  std::uint32_t recover(std::uint32_t group, IncomingSlab& slab);

  [[nodiscard]] const ParityGroups& groups() const noexcept { return groups_; }

 private:
  struct Kept {
    std::uint32_t index = 0;
    std::vector<std::byte> bytes;
  };

  SlabShape shape_;
  ParityGroups groups_;
  std::map<std::uint32_t, std::vector<Kept>> kept_;  // by group
};

}  // namespace tilewall::net
