#include "net/slab/incoming_parity.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "net/slab/parity.hpp"

namespace tilewall::net {
namespace {

std::uint32_t missing_of(const ParityGroups& groups, std::uint32_t group,
                         const IncomingSlab& slab) {
  std::uint32_t missing = 0;
  for (std::uint32_t i = 0; i < groups.size(group); ++i)
    missing += slab.wants(groups.first(group) + i) ? 1U : 0U;
  return missing;
}

}  // namespace

IncomingParity::IncomingParity(const SlabShape& shape) noexcept
    : shape_(shape), groups_{shape.pieces()} {}

void IncomingParity::add(ParityPiece piece, std::span<const std::byte> payload,
                         const IncomingSlab& slab) {
  if (piece.group >= groups_.count()) return;
  const std::uint32_t data = groups_.size(piece.group);
  const bool fits = piece.index + data < ParityCode::most_pieces &&
                    payload.size() == shape_.bytes_of(groups_.first(piece.group));
  if (!fits || missing_of(groups_, piece.group, slab) == 0) return;
  std::vector<Kept>& kept = kept_[piece.group];
  const bool known = std::any_of(kept.begin(), kept.end(),
                                 [&](const Kept& other) { return other.index == piece.index; });
  if (!known && kept.size() < data) kept.push_back({piece.index, {payload.begin(), payload.end()}});
}

std::uint32_t IncomingParity::recover(std::uint32_t group, IncomingSlab& slab) {
  const auto found = kept_.find(group);
  if (found == kept_.end()) return 0;
  const std::uint32_t missing = missing_of(groups_, group, slab);
  if (missing > found->second.size()) return 0;
  std::vector<Kept> kept = std::move(found->second);
  kept_.erase(found);
  if (missing == 0) return 0;

  const std::uint32_t data = groups_.size(group);
  const std::uint32_t first = groups_.first(group);
  const std::size_t bytes = shape_.bytes_of(first);
  std::uint32_t parity = 0;
  for (const Kept& one : kept) parity = std::max(parity, one.index + 1);
  std::array<std::byte*, ParityCode::most_pieces> pieces;
  std::array<bool, ParityCode::most_pieces> there{};
  for (std::uint32_t i = 0; i < data; ++i) {
    there[i] = !slab.wants(first + i);
    pieces[i] = slab.memory(first + i);
  }
  // The slab's last piece may be shorter; the code sees it padded with zeros.
  std::vector<std::byte> padded(bytes);
  const std::uint32_t last_bytes = shape_.bytes_of(first + data - 1);
  std::byte* const last = pieces[data - 1];
  if (last_bytes < bytes) {
    if (there[data - 1]) std::memcpy(padded.data(), last, last_bytes);
    pieces[data - 1] = padded.data();
  }
  std::vector<std::byte> absent(bytes * parity);  // stands for parity that did not arrive; not read
  for (std::uint32_t i = 0; i < parity; ++i) pieces[data + i] = absent.data() + i * bytes;
  for (Kept& one : kept) {
    pieces[data + one.index] = one.bytes.data();
    there[data + one.index] = true;
  }
  ParityCode code(static_cast<int>(data), static_cast<int>(parity));
  if (!code.recover({pieces.data(), data + parity}, {there.data(), data + parity}, bytes)) return 0;
  if (last_bytes < bytes && !there[data - 1]) std::memcpy(last, padded.data(), last_bytes);
  for (std::uint32_t i = 0; i < data; ++i)
    if (!there[i]) slab.mark(first + i);
  return missing;
}

}  // namespace tilewall::net
