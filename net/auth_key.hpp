// The wall's key, with which processes of one wall authenticate each other beyond loopback.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewall::net {

using AuthTag = std::array<std::uint8_t, 16>;

/// Its memory is overwritten when it ends, so that a copy of this process that reads a foreign file
/// (sync/base/confined_call.hpp) has no trace of keys that were checked before.
class AuthKey {
 public:
  static constexpr std::size_t shortest_bytes = 16;
  static constexpr std::size_t longest_bytes = 4096;

  /// Derives the key from a secret of any length. @pre at least shortest_bytes
  explicit AuthKey(std::span<const std::byte> secret);
  AuthKey(const AuthKey&) = default;
  AuthKey& operator=(const AuthKey&) = default;
  ~AuthKey();

  /// Reads the secret from a file. Every byte counts, also a newline at the end. Throws InputError
  /// naming the file where it cannot be read, is too short or too long, has few bits by
  /// the frequencies of its bytes, or is not private as
  /// read_private_file() says.
  [[nodiscard]] static AuthKey from_file(const std::filesystem::path& path);

  /// The key of a secret in hexadecimal. Throws InputError naming `place` when the text is no
  /// secret.
  [[nodiscard]] static AuthKey from_hex(std::string_view hex, const std::string& place);

  /// Keyed BLAKE2b-128 of `message`.
  [[nodiscard]] AuthTag tag(std::span<const std::byte> message) const noexcept;

  /// A key for the one purpose that `context` names: keyed BLAKE2b-256 of it. It reveals nothing of
  /// the keys of other contexts, nor of tags, because BLAKE2b of another length is another
  /// function.
  [[nodiscard]] std::array<std::uint8_t, 32> derive(
      std::span<const std::byte> context) const noexcept;

  /// The key that derive() gives for a label.
  [[nodiscard]] AuthKey for_purpose(std::string_view label) const noexcept;

  /// Compares `tag` with that of `message` in constant time.
  [[nodiscard]] bool matches(std::span<const std::byte> message, const AuthTag& tag) const noexcept;

 private:
  AuthKey() = default;
  void derive(std::span<const std::byte> context,
              std::array<std::uint8_t, 32>& derived) const noexcept;

  std::array<std::uint8_t, 32> key_{};
};

/// A fresh secret of 32 bytes in hexadecimal.
[[nodiscard]] std::string random_secret_hex();

/// Random bytes in hexadecimal, for a challenge.
[[nodiscard]] std::string random_nonce_hex();

[[nodiscard]] std::string to_hex(const AuthTag& tag);
/// Empty when the text is no tag.
[[nodiscard]] std::optional<AuthTag> tag_from_hex(std::string_view hex);

}  // namespace tilewall::net
