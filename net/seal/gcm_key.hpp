// AES-256-GCM (NIST SP 800-38D) under one key. The implementation is Intel's IPsec library if
// tilewall was built with it (x86; three to four times as fast), else libcrypto. Both give the same
// bytes.
//
// Threads: a GcmKey belongs to one thread at a time; no internal locking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tilewall::net {

class GcmKey {
 public:
  using Key = std::array<std::uint8_t, 32>;
  using Nonce = std::array<std::uint8_t, 12>;
  using Tag = std::array<std::uint8_t, 16>;

  /// Throws JobError if the library has no AES-256-GCM.
  explicit GcmKey(const Key& key);
  GcmKey(GcmKey&&) noexcept;
  GcmKey& operator=(GcmKey&&) noexcept;
  ~GcmKey();

  /// Encrypts `plain` to as many bytes at `cipher`, which is the same memory or does not overlap
  /// it. Returns the tag of the ciphertext and `header`.
  /// @pre as for authenticate()
  [[nodiscard]] Tag encrypt(const Nonce& nonce, std::span<const std::byte> header,
                            std::span<const std::byte> plain, std::byte* cipher) noexcept;
  /// Decrypts in place. Returns false if header, text or tag were changed; the contents of `text`
  /// are then undefined.
  [[nodiscard]] bool decrypt(const Nonce& nonce, std::span<const std::byte> header,
                             std::span<std::byte> text, const Tag& tag) noexcept;

  /// Returns the tag of `header` followed by `payload`; neither is encrypted (GMAC).
  /// @pre nothing else was encrypted or authenticated under this key and nonce
  [[nodiscard]] Tag authenticate(const Nonce& nonce, std::span<const std::byte> header,
                                 std::span<const std::byte> payload) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::net
