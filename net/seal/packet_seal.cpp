#include "net/seal/packet_seal.hpp"

#include <isa-l/crc.h>
#include <sodium.h>

#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

static_assert(std::endian::native == std::endian::little);

GcmKey::Nonce nonce_of(std::uint64_t sequence) noexcept {
  GcmKey::Nonce nonce{};
  std::memcpy(nonce.data() + 4, &sequence, sizeof sequence);
  return nonce;
}

/// Continues a CRC over `bytes`. ISA-L takes a pointer to non-const but writes nothing, and takes
/// the length as int.
unsigned continue_crc(unsigned crc, std::span<const std::byte> bytes) noexcept {
  return ::crc32_iscsi(
      const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data())),
      static_cast<int>(bytes.size()), crc);
}

SealTag checksum_of(std::uint64_t sequence, std::span<const std::byte> header,
                    std::span<const std::byte> payload) noexcept {
  unsigned crc = continue_crc(~0U, std::as_bytes(std::span(&sequence, 1)));
  crc = ~continue_crc(continue_crc(crc, header), payload);
  SealTag tag{};
  std::memcpy(tag.data(), &crc, sizeof crc);
  return tag;
}

bool are_equal(const SealTag& a, const SealTag& b) noexcept {
  return ::sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

void append(std::vector<std::byte>& context, std::span<const std::byte> bytes) {
  context.insert(context.end(), bytes.begin(), bytes.end());
}

void append_nonce(std::vector<std::byte>& context, std::span<const std::byte> nonce) {
  TW_CHECK(nonce.size() >= shortest_nonce_bytes, "{} bytes", nonce.size());
  const std::uint64_t length_bytes = nonce.size();
  append(context, std::as_bytes(std::span(&length_bytes, 1)));
  append(context, nonce);
}

}  // namespace

PacketSeal::PacketSeal(SealKind kind, const SessionKey& key) : kind_(kind) {
  if (kind != SealKind::checksum) key_.emplace(key);
}

SealTag PacketSeal::seal(std::uint64_t sequence, std::span<const std::byte> header,
                         std::span<const std::byte> payload, std::byte* sealed) noexcept {
  switch (kind_) {
    case SealKind::checksum:
      return checksum_of(sequence, header, payload);
    case SealKind::tag:
      return key_->authenticate(nonce_of(sequence), header, payload);
    case SealKind::encrypted:
      return key_->encrypt(nonce_of(sequence), header, payload, sealed);
  }
  return {};
}

bool PacketSeal::open(std::uint64_t sequence, std::span<const std::byte> header,
                      std::span<std::byte> payload, const SealTag& tag) noexcept {
  switch (kind_) {
    case SealKind::checksum:
      return are_equal(checksum_of(sequence, header, payload), tag);
    case SealKind::tag:
      return are_equal(key_->authenticate(nonce_of(sequence), header, payload), tag);
    case SealKind::encrypted:
      return key_->decrypt(nonce_of(sequence), header, payload, tag);
  }
  return false;
}

SessionKey derive_session_key(const AuthKey& key, std::string_view label,
                              std::span<const std::byte> server_nonce,
                              std::span<const std::byte> client_nonce) {
  std::vector<std::byte> context;
  append(context, std::as_bytes(std::span(label)));
  append_nonce(context, server_nonce);
  append_nonce(context, client_nonce);
  return key.derive(context);
}

SessionKeys derive_session_keys(const AuthKey& key, std::span<const std::byte> server_nonce,
                                std::span<const std::byte> client_nonce) {
  const auto key_for = [&](std::string_view label) {
    return derive_session_key(key, label, server_nonce, client_nonce);
  };
  return {key_for("tilewall slab 2 to client"), key_for("tilewall slab 2 to server"),
          key_for("tilewall slab 2 control to client"),
          key_for("tilewall slab 2 control to server")};
}

}  // namespace tilewall::net
