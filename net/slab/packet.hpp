// Slabs over UDP: what stands in a packet. Little endian; every packet is a header of 40 bytes, a
// tag of 16 (see packet_seal.hpp) over header and payload, then the payload.
//
// Sequence numbers count the packets of one session and direction from 1; none is used twice, a
// piece that is sent again gets a new one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewall {

/// hello: client to server, so that the server learns where the client is. request: asks for a
/// slab. data, parity: a piece of it. ack: which packets came. cancel: slabs nobody wants any more.
enum class PacketKind : std::uint8_t {
  hello = 1,
  request = 2,
  data = 3,
  parity = 4,
  ack = 5,
  cancel = 6
};

struct PacketHeader {           // offset
  std::uint32_t magic;          //  0  'TWS1'
  PacketKind kind;              //  4
  std::uint8_t reserved;        //  5  0
  std::uint16_t payload_bytes;  //  6
  std::uint64_t session;        //  8
  std::uint64_t sequence;       // 16
  std::uint32_t request;        // 24  which of the client's requests
  std::uint32_t piece;  // 28  data: which one; its bytes begin at piece * piece size. parity: see
                        //     parity_groups.hpp
  std::uint64_t slab_bytes;  // 32  data, parity: of the whole slab. request: microseconds for which
                             //     the slab is of use, 0: always
};
static_assert(sizeof(PacketHeader) == 40 && offsetof(PacketHeader, slab_bytes) == 32);

inline constexpr std::uint32_t packet_magic = 0x31535754;  // "TWS1" in memory order
inline constexpr std::size_t packet_tag_bytes = 16;
inline constexpr std::size_t packet_head_bytes = sizeof(PacketHeader) + packet_tag_bytes;

/// Bounds of what a peer may ask for or announce.
inline constexpr std::size_t smallest_piece_bytes = 512;
inline constexpr std::size_t largest_piece_bytes = 65'507 - packet_head_bytes;
inline constexpr std::uint64_t largest_slab_bytes = std::uint64_t{1} << 30;
inline constexpr std::size_t largest_request_bytes = 8192;

/// Whether this can be the header of a datagram of so many bytes: magic, kind, lengths and bounds.
[[nodiscard]] bool check_packet(const PacketHeader& header, std::size_t datagram_bytes) noexcept;

/// The payload of an ack.
struct AckHeader {         // offset
  std::uint64_t largest;   //  0  highest sequence number that came
  std::uint64_t received;  //  8  packets that came, those that came twice counted once
  std::uint32_t delay_us;  // 16  from when `largest` came to this ack
  std::uint32_t
      bitmap_bits;  // 20  of the bitmap behind, a multiple of 64: bit i (of byte i / 8,
                    //     from the lowest) says that packet largest - bitmap_bits + i came
};
static_assert(sizeof(AckHeader) == 24);
inline constexpr std::uint32_t most_ack_bits = 65'536;

/// An ack as it was parsed; `bitmap` views the payload.
struct Ack {
  AckHeader header;
  std::span<const std::byte> bitmap;
  /// Whether a packet before the largest came. @pre largest - bitmap_bits <= sequence < largest
  [[nodiscard]] bool came(std::uint64_t sequence) const noexcept {
    const std::uint64_t i = sequence + header.bitmap_bits - header.largest;
    return (std::to_integer<unsigned>(bitmap[i / 8]) >> (i % 8) & 1U) != 0;
  }
};
[[nodiscard]] std::optional<Ack> parse_ack(std::span<const std::byte> payload) noexcept;

/// The numbers in a cancel's payload: u32 each.
[[nodiscard]] std::vector<std::uint32_t> parse_cancel(std::span<const std::byte> payload);

/// How a slab is cut: the same on both sides.
struct SlabShape {
  std::uint64_t slab_bytes = 0;
  std::uint32_t piece_bytes = 0;

  [[nodiscard]] std::uint32_t pieces() const noexcept {  // a slab of no bytes has one, empty
    return slab_bytes == 0
               ? 1
               : static_cast<std::uint32_t>((slab_bytes + piece_bytes - 1) / piece_bytes);
  }
  [[nodiscard]] std::uint64_t offset_of(std::uint32_t piece) const noexcept {
    return std::uint64_t{piece} * piece_bytes;
  }
  /// @pre piece < pieces()
  [[nodiscard]] std::uint32_t bytes_of(std::uint32_t piece) const noexcept {
    const std::uint64_t left = slab_bytes - offset_of(piece);
    return left < piece_bytes ? static_cast<std::uint32_t>(left) : piece_bytes;
  }
};

}  // namespace tilewall
