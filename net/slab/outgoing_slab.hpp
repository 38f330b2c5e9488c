// A slab that a server sends by UDP: which piece is next, which have arrived, and which lost pieces
// must be sent again so that the client can complete the slab.
//
// With parity, a lost piece is sent again only if the pieces of its group that arrived or are on
// their way are fewer than its data pieces.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "net/slab/packet.hpp"
#include "net/slab/parity_groups.hpp"
#include "net/slab/slab_buffer.hpp"

namespace tilewall::net {

class OutgoingSlab {
 public:
  OutgoingSlab(std::shared_ptr<const SlabBuffer> bytes, std::uint32_t piece_bytes, bool has_parity);

  struct Piece {
    PacketKind kind = PacketKind::data;  ///< data or parity
    std::uint32_t number = 0;            ///< PacketHeader::piece
    bool operator==(const Piece&) const = default;
  };

  /// Returns the next piece that was never sent; empty after the last. A group's parity follows its
  /// data: as many pieces as reduce the probability of an incomplete group to `residual` if the
  /// path loses the share `loss` of packets, and at most as many as the group has data pieces.
  [[nodiscard]] std::optional<Piece> next(double loss, double residual);
  /// Whether a piece was never sent, useful or not.
  [[nodiscard]] bool has_next() const noexcept { return group_ < groups_.size(); }

  /// Notes that a piece arrived. Returns true once, when the client can complete the slab.
  [[nodiscard]] bool note_arrived(const Piece& piece);
  /// Notes that a piece was lost. Returns the piece to send again, if one is needed.
  [[nodiscard]] std::optional<Piece> note_lost(const Piece& piece);
  /// Whether the client still needs the piece. @pre a data piece
  [[nodiscard]] bool wants(const Piece& piece) const;

  /// Payload of the piece's packet; valid as long as this object. @pre next() returned the piece
  [[nodiscard]] std::span<const std::byte> payload(const Piece& piece) const;

  [[nodiscard]] const SlabShape& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::shared_ptr<const SlabBuffer>& bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool has_parity() const noexcept { return has_parity_; }
  /// Number of groups of which a piece had to be sent again.
  [[nodiscard]] std::uint32_t repaired_groups() const noexcept { return repaired_groups_; }
  [[nodiscard]] std::uint32_t groups() const noexcept {
    return static_cast<std::uint32_t>(groups_.size());
  }

 private:
  enum class Fate : std::uint8_t {
    on_its_way,  // on its way, or not sent yet
    arrived,
    lost
  };
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t data = 0;
    std::uint32_t parity = 0;
    std::uint32_t arrived = 0;
    std::uint32_t lost = 0;
    bool repaired = false;
    std::vector<Fate> parity_fates;       // empty until the group's data have been sent
    std::vector<std::byte> parity_bytes;  // freed once the group is complete

    [[nodiscard]] bool complete() const noexcept { return arrived >= data; }
  };

  void begin_group(std::uint32_t group) noexcept;
  void encode(Group& group, double loss, double residual) const;
  [[nodiscard]] std::uint32_t group_of(const Piece& piece) const;
  [[nodiscard]] Fate& fate(const Piece& piece);

  std::shared_ptr<const SlabBuffer> bytes_;
  SlabShape shape_;
  bool has_parity_;
  std::vector<Fate> fates_;     // one for each data piece
  std::vector<Group> groups_;   // a single one without parity
  std::uint32_t incomplete_;    // number of incomplete groups
  std::uint32_t group_ = 0;     // group of the next piece
  std::uint32_t in_group_ = 0;  // its number in the group, data before parity
  std::uint32_t repaired_groups_ = 0;
};

}  // namespace tilewall::net
