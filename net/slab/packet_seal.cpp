#include "net/slab/packet_seal.hpp"

#include <isa-l/crc.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "sync/base/check.hpp"

namespace tilewall {
namespace {

static_assert(std::endian::native == std::endian::little);

using Nonce = std::array<unsigned char, 12>;

Nonce nonce_of(std::uint64_t sequence) noexcept {
  Nonce nonce{};
  std::memcpy(nonce.data() + 4, &sequence, sizeof sequence);
  return nonce;
}

/// As much of the CRC again; ISA-L writes nothing and counts in int.
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

/// Takes `input` in: as associated data where `output` is null.
bool feed(EVP_CIPHER_CTX* cipher, std::span<const std::byte> input, std::byte* output) noexcept {
  int written = 0;
  return input.empty() ||
         ::EVP_CipherUpdate(cipher, reinterpret_cast<unsigned char*>(output), &written,
                            reinterpret_cast<const unsigned char*>(input.data()),
                            static_cast<int>(input.size())) == 1;
}

/// What is left is to compare or compute the tag: GCM holds no bytes back.
bool finish(EVP_CIPHER_CTX* cipher) noexcept {
  std::array<unsigned char, 16> none;
  int written = 0;
  return ::EVP_CipherFinal_ex(cipher, none.data(), &written) == 1;
}

bool tag_control(EVP_CIPHER_CTX* cipher, int command, SealTag& tag) noexcept {
  return ::EVP_CIPHER_CTX_ctrl(cipher, command, static_cast<int>(tag.size()), tag.data()) == 1;
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

SessionKey key_of(const AuthKey& key, std::string_view label,
                  std::span<const std::byte> server_nonce,
                  std::span<const std::byte> client_nonce) {
  std::vector<std::byte> context;
  append(context, std::as_bytes(std::span(label)));
  append_nonce(context, server_nonce);
  append_nonce(context, client_nonce);
  return key.derive(context);
}

}  // namespace

void CipherTraits::close(Raw cipher) noexcept { ::EVP_CIPHER_CTX_free(cipher); }

PacketSeal::PacketSeal(SealKind kind, const SessionKey& key) : kind_(kind) {
  if (kind == SealKind::checksum) return;
  cipher_ = UniqueHandle<CipherTraits>(::EVP_CIPHER_CTX_new());
  if (cipher_.empty() ||
      ::EVP_CipherInit_ex(cipher_.get(), ::EVP_aes_256_gcm(), nullptr, key.data(), nullptr, 1) != 1)
    throw JobError("libcrypto: expected AES-256-GCM, found none");
}

SealTag PacketSeal::seal(std::uint64_t sequence, std::span<const std::byte> header,
                         std::span<const std::byte> payload, std::byte* sealed) noexcept {
  if (kind_ == SealKind::checksum) return checksum_of(sequence, header, payload);
  std::byte* const output = kind_ == SealKind::encrypted ? sealed : nullptr;
  SealTag tag{};
  if (start(Direction::seal, sequence) && run(header, payload, output) && finish(cipher_.get()) &&
      tag_control(cipher_.get(), EVP_CTRL_AEAD_GET_TAG, tag))
    return tag;
  // libcrypto has no reason to refuse; should it, then no plaintext goes out and the peer drops it.
  if (output != nullptr) std::memset(output, 0, payload.size());
  return {};
}

bool PacketSeal::open(std::uint64_t sequence, std::span<const std::byte> header,
                      std::span<std::byte> payload, const SealTag& tag) noexcept {
  if (kind_ == SealKind::checksum) {
    const SealTag expected = checksum_of(sequence, header, payload);
    return ::CRYPTO_memcmp(expected.data(), tag.data(), tag.size()) == 0;
  }
  SealTag expected = tag;  // as libcrypto's controls take no constant
  std::byte* const output = kind_ == SealKind::encrypted ? payload.data() : nullptr;
  return start(Direction::open, sequence) &&
         tag_control(cipher_.get(), EVP_CTRL_AEAD_SET_TAG, expected) &&
         run(header, payload, output) && finish(cipher_.get());
}

bool PacketSeal::start(Direction direction, std::uint64_t sequence) noexcept {
  const Nonce nonce = nonce_of(sequence);
  return ::EVP_CipherInit_ex(cipher_.get(), nullptr, nullptr, nullptr, nonce.data(),
                             static_cast<int>(direction)) == 1;
}

bool PacketSeal::run(std::span<const std::byte> header, std::span<const std::byte> payload,
                     std::byte* output) noexcept {
  return feed(cipher_.get(), header, nullptr) && feed(cipher_.get(), payload, output);
}

SessionKeys derive_session_keys(const AuthKey& key, std::span<const std::byte> server_nonce,
                                std::span<const std::byte> client_nonce) {
  return {key_of(key, "tilewall slab 1 to client", server_nonce, client_nonce),
          key_of(key, "tilewall slab 1 to server", server_nonce, client_nonce)};
}

}  // namespace tilewall
