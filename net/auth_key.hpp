// The wall's key: what lets the processes of one wall know each other beyond loopback.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace tilewall {

using AuthTag = std::array<std::uint8_t, 16>;

class AuthKey {
 public:
  static constexpr std::size_t shortest_bytes = 16;
  static constexpr std::size_t longest_bytes = 4096;

  /// Derives the key from a secret of any length. @pre at least shortest_bytes
  explicit AuthKey(std::span<const std::byte> secret);

  /// Reads the secret from a file; every byte counts. Throws InputError naming the file.
  [[nodiscard]] static AuthKey from_file(const std::filesystem::path& path);

  /// Keyed BLAKE2b-128 of `message`.
  [[nodiscard]] AuthTag tag(std::span<const std::byte> message) const noexcept;

  /// Whether `tag` is that of `message`, in constant time.
  [[nodiscard]] bool matches(std::span<const std::byte> message, const AuthTag& tag) const noexcept;

 private:
  std::array<std::uint8_t, 32> key_{};
};

}  // namespace tilewall
