// Slabs over TCP: chunks on one or several connections ("stripes"), each saying where its bytes
// belong. Little endian; a chunk is a header of 40 bytes, a tag of 16 (see packet_seal.hpp), then
// its bytes.
//
// One owner each.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "net/slab/packet.hpp"
#include "net/slab/packet_seal.hpp"
#include "net/slab/slab_buffer.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::net {

struct StripeHeader {        // offset
  std::uint32_t magic;       //  0  'TWST'
  PacketKind kind;           //  4  request, data or cancel
  std::uint8_t reserved[3];  //  5  0
  std::uint32_t request;     //  8  which of the client's requests
  std::uint32_t bytes;       // 12  behind the tag
  std::uint64_t slab_bytes;  // 16  data: of the whole slab
  std::uint64_t offset;      // 24  data: where the bytes belong
  std::uint64_t sequence;    // 32  the chunk's number on its way, and from bit 56 on the stripe's
};
static_assert(sizeof(StripeHeader) == 40 && offsetof(StripeHeader, sequence) == 32);

inline constexpr std::uint32_t stripe_magic = 0x54535754;  // "TWST" in memory order
inline constexpr std::size_t stripe_head_bytes = sizeof(StripeHeader) + packet_tag_bytes;
inline constexpr std::uint32_t largest_chunk_bytes = 256 * 1024;
inline constexpr int most_stripes = 64;

/// Whether a header can be: magic, kind, bounds.
[[nodiscard]] bool check_stripe(const StripeHeader& header) noexcept;

/// The sequence number of a stripe's n-th chunk, from 1.
[[nodiscard]] constexpr std::uint64_t stripe_sequence(int stripe, std::uint64_t n) noexcept {
  return static_cast<std::uint64_t>(stripe) << 56 | n;
}

enum class StripeStatus { open, closed, malformed };

/// Puts chunks on a connection, one behind the other.
class StripeWriter {
 public:
  /// `socket`: connected, never blocking; outlives this. `seal`: of this direction, shared by the
  /// session's stripes; outlives this.
  StripeWriter(int socket, int stripe, PacketSeal& seal) noexcept
      : socket_(socket), stripe_(stripe), seal_(seal) {}

  [[nodiscard]] bool idle() const noexcept { return left_.empty(); }

  /// Starts a chunk; magic, sequence and bytes are filled in. `owner` keeps the payload alive.
  /// @pre idle(); payload.size() <= largest_chunk_bytes
  void start(StripeHeader header, std::span<const std::byte> payload,
             std::shared_ptr<const void> owner);

  /// Sends as much as the socket takes now.
  [[nodiscard]] StripeStatus write_some();

 private:
  int socket_;
  int stripe_;
  PacketSeal& seal_;
  std::uint64_t chunks_ = 0;
  std::byte head_[stripe_head_bytes] = {};
  std::vector<std::byte> sealed_;  // where the seal encrypts
  std::shared_ptr<const void> owner_;
  std::vector<std::span<const std::byte>> left_;
};

/// Takes chunks off a connection, their bytes where they belong.
class StripeReader {
 public:
  struct Handler {
    /// Where the chunk's bytes go; null: nowhere, they are read and dropped.
    std::function<std::byte*(const StripeHeader&)> place;
    /// The chunk is whole and the peer's.
    std::function<void(const StripeHeader&, std::span<const std::byte> payload)> done;
  };

  StripeReader(int socket, int stripe, PacketSeal& seal) noexcept
      : socket_(socket), stripe_(stripe), seal_(seal) {}

  /// The memory that place() gave for chunks of this request is no longer there: the rest of one
  /// that is coming is dropped.
  void forget(std::uint32_t request);

  /// Reads what has come, some MiB at most.
  [[nodiscard]] StripeStatus read_some(const Handler& handler);

 private:
  [[nodiscard]] StripeStatus begin_chunk(const Handler& handler);
  [[nodiscard]] StripeStatus end_chunk(const Handler& handler);

  int socket_;
  int stripe_;
  PacketSeal& seal_;
  std::uint64_t chunks_ = 0;
  std::byte head_[stripe_head_bytes] = {};
  std::size_t head_got_ = 0;
  StripeHeader header_ = {};
  std::vector<std::byte> nowhere_;
  std::byte* place_ = nullptr;
  std::size_t payload_got_ = 0;
};

}  // namespace tilewall::net
