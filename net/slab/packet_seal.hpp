// What proves that a packet is whole and from the peer: 16 bytes that travel with it.
//
// checksum: CRC-32C (RFC 3720) of sequence number, header and payload; little-endian, in the first
// 4 bytes, zeros behind. It finds damage but no forger, so it is for loopback without a key. tag:
// GMAC, that is AES-256-GCM (NIST SP 800-38D) with header and payload as associated data and no
// plaintext. encrypted: AES-256-GCM with the header as associated data and the payload as
// plaintext; both are proven, the payload is hidden too.
//
// The 96-bit nonce is 4 zero bytes and the packet's sequence number, 64 bits little-endian. GCM
// breaks when a nonce is used twice with one key. So a key is for one session, one direction and
// one kind, and its sender numbers every packet anew, also one that it sends again.
// derive_session_keys() gives each session and direction a key of its own as long as one of the two
// nonces is fresh.
//
// Threads: a PacketSeal belongs to one thread at a time; no internal locking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "net/auth_key.hpp"
#include "net/slab/gcm_key.hpp"

namespace tilewall {

enum class SealKind : std::uint8_t { checksum, tag, encrypted };

using SessionKey = GcmKey::Key;
using SealTag = GcmKey::Tag;

/// Seals or opens the packets of one direction of a session. Headers and payloads are shorter than
/// 2 GiB. `tag` does not see where the header ends: with it, all headers have the same length.
class PacketSeal {
 public:
  /// A checksum needs no key and ignores it. Throws JobError where there is no AES-256-GCM.
  PacketSeal(SealKind kind, const SessionKey& key);

  [[nodiscard]] SealKind kind() const noexcept { return kind_; }

  /// The tag of a packet. encrypted: writes payload.size() bytes to `sealed`, which is the
  /// payload's own memory or does not overlap it; the other kinds do not touch it, it may be null.
  /// @pre tag, encrypted: no other packet was sealed under this key and `sequence`
  [[nodiscard]] SealTag seal(std::uint64_t sequence, std::span<const std::byte> header,
                             std::span<const std::byte> payload, std::byte* sealed) noexcept;

  /// Whether the packet is what the peer sealed; compares tags in constant time. encrypted:
  /// decrypts the payload in place; what it holds after false is undefined and not to be used.
  [[nodiscard]] bool open(std::uint64_t sequence, std::span<const std::byte> header,
                          std::span<std::byte> payload, const SealTag& tag) noexcept;

 private:
  SealKind kind_;
  std::optional<GcmKey> key_;  // empty for a checksum
};

struct SessionKeys {
  SessionKey to_client;
  SessionKey to_server;
  SessionKey control_to_client;  // messages of the control connection: see control_seal.hpp
  SessionKey control_to_server;
};

inline constexpr std::size_t shortest_nonce_bytes = 16;

/// The keys of the session that these nonces name: keyed BLAKE2b-256 of a label, which has the
/// direction, and both nonces. Who learns the wall's key later can derive them from a recorded
/// session.
/// @pre each nonce has at least shortest_nonce_bytes, fresh and random from its side
[[nodiscard]] SessionKeys derive_session_keys(const AuthKey& key,
                                              std::span<const std::byte> server_nonce,
                                              std::span<const std::byte> client_nonce);

}  // namespace tilewall
