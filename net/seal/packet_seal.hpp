// Seals packets with 16 bytes, the tag, which prove that a packet is undamaged and from the peer.
//
// SealKind::checksum is CRC-32C (RFC 3720) of sequence number (u64), header and payload: 4 bytes
// little endian, then 12 zeros. It finds damage but no forgery, so it is for loopback without a
// key. SealKind::tag is GMAC: AES-256-GCM (NIST SP 800-38D) with header and payload as associated
// data and no plaintext. SealKind::encrypted is AES-256-GCM with the header as associated data and
// the payload as plaintext: it proves both and hides the payload.
//
// The 96-bit nonce is 4 zero bytes and the packet's sequence number, 64 bits little endian. GCM
// breaks when a nonce is used twice with one key. So a key belongs to one session, one direction
// and one kind, and its sender gives every packet a new number, also a packet that it sends again.
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
#include <string_view>

#include "net/auth_key.hpp"
#include "net/seal/gcm_key.hpp"

namespace tilewall::net {

enum class SealKind : std::uint8_t { checksum, tag, encrypted };

using SessionKey = GcmKey::Key;
using SealTag = GcmKey::Tag;

/// Seals or opens the packets of one direction of a session. Headers and payloads are shorter than
/// 2 GiB. SealKind::tag does not prove where the header ends, so all headers under one key have the
/// same length.
class PacketSeal {
 public:
  /// SealKind::checksum ignores the key. Throws JobError if the library has no AES-256-GCM.
  PacketSeal(SealKind kind, const SessionKey& key);

  [[nodiscard]] SealKind kind() const noexcept { return kind_; }

  /// Returns the tag of a packet. SealKind::encrypted also writes payload.size() bytes of
  /// ciphertext to `sealed`, which is the payload's own memory or does not overlap it. The other
  /// kinds ignore `sealed`, which may be null.
  /// @pre with a key, no other packet was sealed under this key and `sequence`
  [[nodiscard]] SealTag seal(std::uint64_t sequence, std::span<const std::byte> header,
                             std::span<const std::byte> payload, std::byte* sealed) noexcept;

  /// Returns whether the packet is what the peer sealed; tags are compared in constant time.
  /// SealKind::encrypted decrypts the payload in place. If the result is false, the payload's
  /// contents are undefined and must not be used.
  [[nodiscard]] bool open(std::uint64_t sequence, std::span<const std::byte> header,
                          std::span<std::byte> payload, const SealTag& tag) noexcept;

 private:
  SealKind kind_;
  std::optional<GcmKey> key_;  // empty for a checksum
};

struct SessionKeys {
  SessionKey to_client;
  SessionKey to_server;
  /// Key of the control connection's messages to the client (control_seal.hpp).
  SessionKey control_to_client;
  SessionKey control_to_server;  ///< Key of the control connection's messages to the server
};

inline constexpr std::size_t shortest_nonce_bytes = 16;

/// Derives a key of one session: keyed BLAKE2b-256 of a label, which names the protocol and the
/// direction, and both nonces. There is no forward secrecy: whoever learns the wall's key can
/// derive the keys of a recorded session.
/// @pre each nonce has at least shortest_nonce_bytes, fresh and random from its side
[[nodiscard]] SessionKey derive_session_key(const AuthKey& key, std::string_view label,
                                            std::span<const std::byte> server_nonce,
                                            std::span<const std::byte> client_nonce);

/// Derives the keys of a session with slabs.
/// @pre as for derive_session_key()
[[nodiscard]] SessionKeys derive_session_keys(const AuthKey& key,
                                              std::span<const std::byte> server_nonce,
                                              std::span<const std::byte> client_nonce);

}  // namespace tilewall::net
