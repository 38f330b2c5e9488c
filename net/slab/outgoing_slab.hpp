// A slab on its way to a client, as the sender sees it: what goes next, what arrived, and what must
// go again so that the client can put the slab together.
//
// With parity, a lost piece goes again only where what is left of its group no longer suffices.
// One owner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "net/slab/packet.hpp"
#include "net/slab/parity_groups.hpp"
#include "net/slab/slab_buffer.hpp"

namespace tilewall {

class OutgoingSlab {
 public:
  OutgoingSlab(std::shared_ptr<const SlabBuffer> bytes, std::uint32_t piece_bytes, bool has_parity);

  struct Piece {
    PacketKind kind = PacketKind::data;  ///< data or parity
    std::uint32_t number = 0;            ///< as in the packet's header
    bool operator==(const Piece&) const = default;
  };

  /// The next one that was never sent; empty: all were. Parity follows its group, as much as takes
  /// the probability to `residual` that the group is not whole, where the path loses the share
  /// `loss` of packets; at most as many pieces as the group has.
  [[nodiscard]] std::optional<Piece> next(double loss, double residual);
  /// Whether something was never sent, be it of use or not.
  [[nodiscard]] bool has_next() const noexcept { return group_ < groups_.size(); }

  /// A piece arrived. True: so the client has the whole slab, for the first time.
  [[nodiscard]] bool note_arrived(const Piece& piece);
  /// A piece was lost: what is to be sent again, if anything.
  [[nodiscard]] std::optional<Piece> note_lost(const Piece& piece);
  /// Whether it is of any use that the piece goes (again).
  [[nodiscard]] bool wants(const Piece& piece) const;

  /// What a packet with the piece carries. Valid as long as this. @pre next() gave the piece
  [[nodiscard]] std::span<const std::byte> payload(const Piece& piece) const;

  [[nodiscard]] const SlabShape& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::shared_ptr<const SlabBuffer>& bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool has_parity() const noexcept { return has_parity_; }
  /// Groups of which something had to be sent again.
  [[nodiscard]] std::uint32_t repaired_groups() const noexcept { return repaired_groups_; }
  [[nodiscard]] std::uint32_t groups() const noexcept {
    return static_cast<std::uint32_t>(groups_.size());
  }

 private:
  enum class Fate : std::uint8_t {
    on_its_way,
    arrived,
    lost
  };  // what is not sent yet is as good
      // as on its way
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t data = 0;
    std::uint32_t parity = 0;
    std::uint32_t arrived = 0;
    std::uint32_t lost = 0;
    bool repaired = false;
    std::vector<Fate> parity_fates;  // parity: once its data went
    std::vector<std::byte> parity_bytes;

    [[nodiscard]] bool complete() const noexcept { return arrived >= data; }
  };

  void begin_group(std::uint32_t group) noexcept;
  void encode(Group& group, double loss, double residual) const;
  [[nodiscard]] std::uint32_t group_of(const Piece& piece) const;
  [[nodiscard]] Fate& fate(const Piece& piece);

  std::shared_ptr<const SlabBuffer> bytes_;
  SlabShape shape_;
  bool has_parity_;
  std::vector<Fate> fates_;    // of data pieces
  std::vector<Group> groups_;  // without parity: one
  std::uint32_t incomplete_;   // groups
  std::uint32_t group_ = 0;    // that next() is in
  std::uint32_t in_group_ = 0;
  std::uint32_t repaired_groups_ = 0;
};

}  // namespace tilewall
