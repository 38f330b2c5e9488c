// GcmKey with libcrypto.

#include <openssl/evp.h>

#include <cstring>

#include "net/seal/gcm_key.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::net {
namespace {

struct CipherTraits {
  using Raw = EVP_CIPHER_CTX*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw cipher) noexcept { ::EVP_CIPHER_CTX_free(cipher); }
};

enum class Direction { open = 0, seal = 1 };  // the values are those of EVP_CipherInit_ex's `enc`

bool start(EVP_CIPHER_CTX* cipher, Direction direction, const GcmKey::Nonce& nonce) noexcept {
  return ::EVP_CipherInit_ex(cipher, nullptr, nullptr, nullptr, nonce.data(),
                             static_cast<int>(direction)) == 1;
}

/// Processes `input`; it is associated data if `output` is null.
bool feed(EVP_CIPHER_CTX* cipher, std::span<const std::byte> input, std::byte* output) noexcept {
  int written = 0;
  return input.empty() ||
         ::EVP_CipherUpdate(cipher, reinterpret_cast<unsigned char*>(output), &written,
                            reinterpret_cast<const unsigned char*>(input.data()),
                            static_cast<int>(input.size())) == 1;
}

/// Compares or computes the tag. GCM holds back no bytes, so nothing is written.
bool finish(EVP_CIPHER_CTX* cipher) noexcept {
  std::array<unsigned char, 16> none;
  int written = 0;
  return ::EVP_CipherFinal_ex(cipher, none.data(), &written) == 1;
}

bool tag_control(EVP_CIPHER_CTX* cipher, int command, GcmKey::Tag& tag) noexcept {
  return ::EVP_CIPHER_CTX_ctrl(cipher, command, static_cast<int>(tag.size()), tag.data()) == 1;
}

}  // namespace

struct GcmKey::State {
  UniqueHandle<CipherTraits> cipher;
};

GcmKey::GcmKey(const Key& key) : state_(std::make_unique<State>()) {
  state_->cipher = UniqueHandle<CipherTraits>(::EVP_CIPHER_CTX_new());
  if (state_->cipher.empty() || ::EVP_CipherInit_ex(state_->cipher.get(), ::EVP_aes_256_gcm(),
                                                    nullptr, key.data(), nullptr, 1) != 1)
    throw JobError("libcrypto: expected AES-256-GCM, found none");
}

GcmKey::GcmKey(GcmKey&&) noexcept = default;
GcmKey& GcmKey::operator=(GcmKey&&) noexcept = default;
GcmKey::~GcmKey() = default;

GcmKey::Tag GcmKey::encrypt(const Nonce& nonce, std::span<const std::byte> header,
                            std::span<const std::byte> plain, std::byte* cipher) noexcept {
  EVP_CIPHER_CTX* const context = state_->cipher.get();
  Tag tag{};
  if (start(context, Direction::seal, nonce) && feed(context, header, nullptr) &&
      feed(context, plain, cipher) && finish(context) &&
      tag_control(context, EVP_CTRL_AEAD_GET_TAG, tag))
    return tag;
  // libcrypto is not expected to fail. If it does, zeros go out instead of plaintext, and the peer
  // drops the packet for its wrong tag.
  if (!plain.empty()) std::memset(cipher, 0, plain.size());
  return {};
}

bool GcmKey::decrypt(const Nonce& nonce, std::span<const std::byte> header,
                     std::span<std::byte> text, const Tag& tag) noexcept {
  EVP_CIPHER_CTX* const context = state_->cipher.get();
  Tag expected = tag;  // libcrypto's controls take a pointer to non-const
  return start(context, Direction::open, nonce) &&
         tag_control(context, EVP_CTRL_AEAD_SET_TAG, expected) && feed(context, header, nullptr) &&
         feed(context, text, text.data()) && finish(context);
}

GcmKey::Tag GcmKey::authenticate(const Nonce& nonce, std::span<const std::byte> header,
                                 std::span<const std::byte> payload) noexcept {
  EVP_CIPHER_CTX* const context = state_->cipher.get();
  Tag tag{};
  const bool done = start(context, Direction::seal, nonce) && feed(context, header, nullptr) &&
                    feed(context, payload, nullptr) && finish(context) &&
                    tag_control(context, EVP_CTRL_AEAD_GET_TAG, tag);
  return done ? tag : Tag{};
}

}  // namespace tilewall::net
