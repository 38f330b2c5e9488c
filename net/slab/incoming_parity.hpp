// A coming slab's parity pieces, kept until they make up for what was lost of their groups.
//
// Memory: of each group as many pieces as it has of data, at most. One owner.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "net/slab/incoming_slab.hpp"
#include "net/slab/parity_groups.hpp"

namespace tilewall {

class IncomingParity {
 public:
  explicit IncomingParity(const SlabShape& shape) noexcept;

  /// Keeps a piece, if it is one of the slab's and of use.
  void add(ParityPiece piece, std::span<const std::byte> payload, const IncomingSlab& slab);

  /// Whether parity of the group is there.
  [[nodiscard]] bool has(std::uint32_t group) const { return kept_.contains(group); }

  /// Computes what is missing of the group into the slab, and marks it there, where what is there
  /// suffices; then forgets the group's parity. How many pieces those were.
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

}  // namespace tilewall
