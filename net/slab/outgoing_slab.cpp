#include "net/slab/outgoing_slab.hpp"

#include <algorithm>
#include <cstring>

#include "net/slab/parity.hpp"

namespace tilewall::net {

OutgoingSlab::OutgoingSlab(std::shared_ptr<const SlabBuffer> bytes, std::uint32_t piece_bytes,
                           bool has_parity)
    : bytes_(std::move(bytes)),
      shape_{bytes_->size(), piece_bytes},
      has_parity_(has_parity),
      fates_(shape_.pieces(), Fate::on_its_way) {
  const ParityGroups cut{shape_.pieces()};
  groups_.resize(has_parity ? cut.count() : 1);
  for (std::uint32_t i = 0; i < groups(); ++i) {
    groups_[i].first = has_parity ? cut.first(i) : 0;
    groups_[i].data = has_parity ? cut.size(i) : shape_.pieces();
  }
  incomplete_ = groups();
}

std::optional<OutgoingSlab::Piece> OutgoingSlab::next(double loss, double residual) {
  const auto past_use = [this] {  // the client has the group, so its parity is not needed
    return groups_[group_].complete() && in_group_ >= groups_[group_].data;
  };
  while (has_next() && past_use()) begin_group(group_ + 1);
  if (!has_next()) return std::nullopt;
  Group& group = groups_[group_];
  Piece piece{PacketKind::data, group.first + in_group_};
  if (in_group_ >= group.data)
    piece = {PacketKind::parity, ParityPiece{group_, in_group_ - group.data}.number()};
  if (++in_group_ == group.data && has_parity_) encode(group, loss, residual);
  if (in_group_ == group.data + group.parity) begin_group(group_ + 1);
  return piece;
}

void OutgoingSlab::begin_group(std::uint32_t group) noexcept {
  group_ = group;
  in_group_ = 0;
}

void OutgoingSlab::encode(Group& group, double loss, double residual) const {
  const int count = static_cast<int>(group.data);
  group.parity = static_cast<std::uint32_t>(std::min(parity_for(count, loss, residual), count));
  if (group.parity == 0) return;
  group.parity_fates.assign(group.parity, Fate::on_its_way);
  const std::size_t bytes = shape_.bytes_of(group.first);
  group.parity_bytes.resize(bytes * group.parity);
  std::vector<const std::byte*> data;
  for (std::uint32_t i = 0; i < group.data; ++i)
    data.push_back(bytes_->data() + shape_.offset_of(group.first + i));
  // The slab's last piece may be shorter; the code sees it padded with zeros.
  std::vector<std::byte> padded(bytes);
  const std::uint32_t last_bytes = shape_.bytes_of(group.first + group.data - 1);
  if (last_bytes < bytes) {
    std::memcpy(padded.data(), data.back(), last_bytes);
    data.back() = padded.data();
  }
  std::vector<std::byte*> parity;
  for (std::uint32_t i = 0; i < group.parity; ++i)
    parity.push_back(group.parity_bytes.data() + i * bytes);
  ParityCode(count, static_cast<int>(group.parity)).encode(data, parity, bytes);
}

std::uint32_t OutgoingSlab::group_of(const Piece& piece) const {
  if (piece.kind == PacketKind::parity) return ParityPiece::from(piece.number).group;
  return groups_.size() == 1 ? 0 : ParityGroups{shape_.pieces()}.of(piece.number);
}

OutgoingSlab::Fate& OutgoingSlab::fate(const Piece& piece) {
  if (piece.kind == PacketKind::data) return fates_[piece.number];
  const ParityPiece parity = ParityPiece::from(piece.number);
  return groups_[parity.group].parity_fates[parity.index];
}

bool OutgoingSlab::note_arrived(const Piece& piece) {
  Group& group = groups_[group_of(piece)];
  Fate& now = fate(piece);
  if (now == Fate::arrived || group.complete()) return false;
  group.lost -= now == Fate::lost ? 1U : 0U;
  now = Fate::arrived;
  ++group.arrived;
  if (!group.complete()) return false;
  group.parity_bytes = {};
  return --incomplete_ == 0;
}

std::optional<OutgoingSlab::Piece> OutgoingSlab::note_lost(const Piece& piece) {
  Group& group = groups_[group_of(piece)];
  Fate& now = fate(piece);
  if (now != Fate::on_its_way || group.complete()) return std::nullopt;
  now = Fate::lost;
  ++group.lost;
  if (group.data + group.parity - group.lost >= group.data) return std::nullopt;
  // Always a data piece, as it spares the client the computation: this one, or for lost parity the
  // first lost piece of the group's data.
  std::uint32_t again = piece.number;
  if (piece.kind != PacketKind::data) {
    const auto begin = fates_.begin() + group.first;
    again = static_cast<std::uint32_t>(std::find(begin, begin + group.data, Fate::lost) -
                                       fates_.begin());
    if (again == group.first + group.data) return std::nullopt;
  }
  fates_[again] = Fate::on_its_way;
  --group.lost;
  repaired_groups_ += group.repaired ? 0U : 1U;
  group.repaired = true;
  return Piece{PacketKind::data, again};
}

bool OutgoingSlab::wants(const Piece& piece) const {
  return fates_[piece.number] != Fate::arrived && !groups_[group_of(piece)].complete();
}

std::span<const std::byte> OutgoingSlab::payload(const Piece& piece) const {
  if (piece.kind == PacketKind::data)
    return bytes_->bytes().subspan(shape_.offset_of(piece.number), shape_.bytes_of(piece.number));
  const ParityPiece parity = ParityPiece::from(piece.number);
  const Group& group = groups_[parity.group];
  const std::size_t bytes = shape_.bytes_of(group.first);
  return std::span(group.parity_bytes).subspan(parity.index * bytes, bytes);
}

}  // namespace tilewall::net
