// Wire format of slabs over TCP: chunks on one or more connections ("stripes"). A chunk is a header
// of 40 bytes, a tag of 16 bytes (packet_seal.hpp) and its payload; the header has the payload's
// place in the slab, so chunks of one slab may travel on all stripes. All numbers are little
// endian.
//
// Threads: one owner each.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "net/seal/packet_seal.hpp"
#include "net/slab/packet.hpp"
#include "net/slab/slab_buffer.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::net {

struct StripeHeader {        // offset
  std::uint32_t magic;       //  0  'TWST'
  PacketKind kind;           //  4  request, data or cancel
  std::uint8_t reserved[3];  //  5  always 0
  std::uint32_t request;     //  8  number of the client's request
  std::uint32_t bytes;       // 12  length of the payload behind the tag
  std::uint64_t slab_bytes;  // 16  data: size of the whole slab
  std::uint64_t offset;      // 24  data: the payload's place in the slab
  std::uint64_t sequence;    // 32  see stripe_sequence()
};
static_assert(sizeof(StripeHeader) == 40 && offsetof(StripeHeader, kind) == 4 &&
              offsetof(StripeHeader, reserved) == 5 && offsetof(StripeHeader, request) == 8 &&
              offsetof(StripeHeader, bytes) == 12 && offsetof(StripeHeader, slab_bytes) == 16 &&
              offsetof(StripeHeader, offset) == 24 && offsetof(StripeHeader, sequence) == 32);
static_assert(std::is_trivially_copyable_v<StripeHeader> &&
              std::has_unique_object_representations_v<StripeHeader>);

inline constexpr std::uint32_t stripe_magic = 0x54535754;  // "TWST" in memory order
inline constexpr std::size_t stripe_head_bytes = sizeof(StripeHeader) + packet_tag_bytes;
static_assert(stripe_head_bytes == 56 && sizeof(SealTag) == packet_tag_bytes);
inline constexpr std::uint32_t largest_chunk_bytes = 256 * 1024;
inline constexpr int most_stripes = 64;

/// Checks a header's magic, kind and bounds.
[[nodiscard]] bool check_stripe(const StripeHeader& header) noexcept;

/// Sequence number of a stripe's n-th chunk in one direction, n from 1. The stripe stands in bits
/// 56 to 63, so that stripes that share a key never share a nonce.
[[nodiscard]] constexpr std::uint64_t stripe_sequence(int stripe, std::uint64_t n) noexcept {
  return static_cast<std::uint64_t>(stripe) << 56 | n;
}

enum class StripeStatus { open, closed, malformed };

/// Writes chunks to a connection, one after the other.
class StripeWriter {
 public:
  /// `socket` is connected. `seal` is this direction's, and shared by the session's stripes. Both
  /// outlive this.
  StripeWriter(int socket, int stripe, PacketSeal& seal) noexcept
      : socket_(socket), stripe_(stripe), seal_(seal) {}

  /// Whether all of the last chunk was written.
  [[nodiscard]] bool idle() const noexcept { return left_.empty(); }

  /// Starts a chunk. Sets the header's magic, sequence and bytes. `owner` keeps the payload alive.
  /// @pre idle(); payload.size() <= largest_chunk_bytes
  void start(StripeHeader header, std::span<const std::byte> payload,
             std::shared_ptr<const void> owner);

  /// Writes as much as the socket accepts without blocking.
  [[nodiscard]] StripeStatus write_some();

 private:
  int socket_;
  int stripe_;
  PacketSeal& seal_;
  std::uint64_t chunks_ = 0;
  std::byte head_[stripe_head_bytes] = {};
  std::vector<std::byte> sealed_;  // ciphertext, if the seal encrypts
  std::shared_ptr<const void> owner_;
  std::vector<std::span<const std::byte>> left_;  // parts of the chunk that are not written yet
};

/// Reads chunks from a connection, straight into the places that the handler names.
class StripeReader {
 public:
  struct Handler {
    /// Returns where the chunk's payload is to be written, or null to drop it. The header's tag is
    /// not checked yet, so nothing else may depend on it.
    std::function<std::byte*(const StripeHeader&)> place;
    /// Called for each complete chunk with a valid tag, dropped ones included.
    std::function<void(const StripeHeader&, std::span<const std::byte> payload)> done;
  };

  StripeReader(int socket, int stripe, PacketSeal& seal) noexcept
      : socket_(socket), stripe_(stripe), seal_(seal) {}

  /// Must be called before memory that place() returned for this request is freed. The rest of a
  /// chunk that is being received goes to memory of the reader.
  void forget(std::uint32_t request);

  /// Reads what has arrived, 8 MiB or a little more, without blocking.
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
  std::vector<std::byte> nowhere_;  // payloads without a place
  std::byte* place_ = nullptr;      // where the payload goes
  std::size_t payload_got_ = 0;
};

}  // namespace tilewall::net
