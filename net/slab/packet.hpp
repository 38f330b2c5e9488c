// Wire format of slabs over UDP. A packet is a header of 40 bytes, a tag of 16 bytes
// (packet_seal.hpp) over header and payload, and the payload. All numbers are little endian.
//
// Terms: a slab is the bytes that answer one request; it travels in pieces of equal size, the last
// of which may be shorter. Sequence numbers count the packets of one session and direction from 1.
// None is used twice: a piece that is sent again gets a new number, so an ack is never ambiguous.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace tilewall::net {

enum class PacketKind : std::uint8_t {
  hello = 1,    ///< opens the path to the other side; a client acks it at once; no payload
  request = 2,  ///< client to server: asks for a slab; the payload is the application's
  data = 3,     ///< server to client: a piece of a slab
  parity = 4,   ///< server to client: a parity piece of a group (parity_groups.hpp)
  ack = 5,      ///< client to server: which packets arrived (AckHeader)
  cancel = 6    ///< client to server: numbers of requests whose slabs are no longer wanted
};

struct PacketHeader {           // offset
  std::uint32_t magic;          //  0  'TWS1'
  PacketKind kind;              //  4
  std::uint8_t reserved;        //  5  always 0
  std::uint16_t payload_bytes;  //  6  length of the bytes behind the tag
  std::uint64_t session;        //  8  session number from the server's welcome
  std::uint64_t sequence;       // 16  packet number in this direction, from 1
  std::uint32_t request;        // 24  number of the client's request
  // Data: index of the piece, whose bytes begin at piece * piece size. Parity: ParityPiece.
  std::uint32_t piece;  // 28
  // Data and parity: bytes of the whole slab. Request: microseconds for which the slab is of use,
  // 0 for no limit.
  std::uint64_t slab_bytes;  // 32
};
static_assert(sizeof(PacketHeader) == 40 && offsetof(PacketHeader, kind) == 4 &&
              offsetof(PacketHeader, reserved) == 5 && offsetof(PacketHeader, payload_bytes) == 6 &&
              offsetof(PacketHeader, session) == 8 && offsetof(PacketHeader, sequence) == 16 &&
              offsetof(PacketHeader, request) == 24 && offsetof(PacketHeader, piece) == 28 &&
              offsetof(PacketHeader, slab_bytes) == 32);
static_assert(std::is_trivially_copyable_v<PacketHeader> &&
              std::has_unique_object_representations_v<PacketHeader>);  // no padding

inline constexpr std::uint32_t packet_magic = 0x31535754;  // "TWS1" in memory order
inline constexpr std::size_t packet_tag_bytes = 16;
inline constexpr std::size_t packet_head_bytes = sizeof(PacketHeader) + packet_tag_bytes;
static_assert(packet_head_bytes == 56);

/// Bounds on the sizes that a peer may send or announce.
inline constexpr std::size_t smallest_piece_bytes = 512;
inline constexpr std::size_t largest_piece_bytes = 65'507 - packet_head_bytes;
inline constexpr std::uint64_t largest_slab_bytes = std::uint64_t{1} << 30;
inline constexpr std::size_t largest_request_bytes = 8192;

/// Bounds on the open requests of a session. A server ignores a request beyond them. Over UDP the
/// client repeats it until there is room; over TCP it would wait for ever.
inline constexpr std::size_t most_open_requests = 10'240;
inline constexpr std::size_t most_open_payload_bytes = std::size_t{4} << 20;

/// Checks a header's magic, kind, lengths and bounds against the size of its datagram. The tag is
/// checked later.
[[nodiscard]] bool check_packet(const PacketHeader& header, std::size_t datagram_bytes) noexcept;

/// The payload of an ack.
struct AckHeader {         // offset
  std::uint64_t largest;   //  0  highest sequence number that arrived
  std::uint64_t received;  //  8  packets that arrived; a repeated one counts once
  std::uint32_t delay_us;  // 16  microseconds from the arrival of `largest` to this ack
  // Length of the bitmap that follows, a multiple of 64. Bit i is bit i % 8, counted from the
  // lowest, of byte i / 8. It is set if packet largest - bitmap_bits + i arrived.
  std::uint32_t bitmap_bits;  // 20
};
static_assert(sizeof(AckHeader) == 24 && offsetof(AckHeader, received) == 8 &&
              offsetof(AckHeader, delay_us) == 16 && offsetof(AckHeader, bitmap_bits) == 20);
static_assert(std::is_trivially_copyable_v<AckHeader> &&
              std::has_unique_object_representations_v<AckHeader>);
inline constexpr std::uint32_t most_ack_bits = 65'536;

/// A parsed ack. `bitmap` views the payload that was parsed.
struct Ack {
  AckHeader header;
  std::span<const std::byte> bitmap;
  /// Whether the packet arrived. @pre largest - bitmap_bits <= sequence < largest
  [[nodiscard]] bool came(std::uint64_t sequence) const noexcept {
    const std::uint64_t i = sequence + header.bitmap_bits - header.largest;
    return (std::to_integer<unsigned>(bitmap[i / 8]) >> (i % 8) & 1U) != 0;
  }
};
/// Empty if the payload is malformed. `largest` is not compared with the packets that were sent.
[[nodiscard]] std::optional<Ack> parse_ack(std::span<const std::byte> payload) noexcept;

/// The request numbers in a cancel's payload, u32 each. Bytes after the last whole number are
/// ignored.
[[nodiscard]] std::vector<std::uint32_t> parse_cancel(std::span<const std::byte> payload);

/// How a slab is cut into pieces. Client and server compute it alike.
struct SlabShape {
  std::uint64_t slab_bytes = 0;
  std::uint32_t piece_bytes = 0;

  /// Number of pieces. An empty slab has one empty piece, whose arrival completes it.
  [[nodiscard]] std::uint32_t pieces() const noexcept {
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

}  // namespace tilewall::net
