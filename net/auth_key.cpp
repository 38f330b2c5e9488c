#include "net/auth_key.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sync/base/check.hpp"
#include "sync/base/private_files.hpp"

namespace tilewall::net {
namespace {

const unsigned char* bytes_of(std::span<const std::byte> data) noexcept {
  return reinterpret_cast<const unsigned char*>(data.data());
}

std::string hex_of(std::span<const std::byte> data) {
  std::string hex(2 * data.size() + 1, '\0');
  ::sodium_bin2hex(hex.data(), hex.size(), bytes_of(data), data.size());
  hex.pop_back();
  return hex;
}

/// Empty when the text is anything but whole bytes in hexadecimal, at most `most` of them.
std::vector<unsigned char> bytes_from_hex(std::string_view hex, std::size_t most) {
  std::vector<unsigned char> bytes(hex.size() / 2);
  if (bytes.empty()) return bytes;  // libsodium takes no null
  std::size_t length = 0;
  const bool whole = hex.size() % 2 == 0 && bytes.size() <= most &&
                     ::sodium_hex2bin(bytes.data(), bytes.size(), hex.data(), hex.size(), nullptr,
                                      &length, nullptr) == 0 &&
                     length == bytes.size();
  if (!whole) bytes.clear();
  return bytes;
}

std::string random_hex(std::size_t bytes) {
  TW_CHECK(::sodium_init() >= 0);
  std::vector<std::byte> random(bytes);
  ::randombytes_buf(random.data(), random.size());
  return hex_of(random);
}

constexpr double fewest_bits = 56;

/// The bits of a text by the frequencies of its bytes alone. 16 random bytes have 56 or more,
/// except for one in ten thousand; words and repeated signs, which somebody could guess, have
/// fewer.
double estimated_bits(std::string_view text) {
  std::array<double, 256> counts{};
  for (const char one : text) ++counts[static_cast<unsigned char>(one)];
  double bits = 0;
  for (const double count : counts)
    if (count > 0) bits += count * std::log2(static_cast<double>(text.size()) / count);
  return bits;
}

std::string read_secret(const std::filesystem::path& path) {
  std::string secret = read_private_file(path, AuthKey::longest_bytes);
  if (secret.size() < AuthKey::shortest_bytes)
    throw InputError({path.string()}, "",
                     fmt::format("a key of at least {} bytes", AuthKey::shortest_bytes),
                     fmt::format("{} bytes", secret.size()));
  if (const double bits = estimated_bits(secret); bits < fewest_bits)
    throw InputError({path.string()}, "",
                     "a key that nobody can guess (make one with 'tilewall key new FILE')",
                     fmt::format("one of about {:.0f} bits", bits));
  return secret;
}

}  // namespace

AuthKey::AuthKey(std::span<const std::byte> secret) {
  TW_CHECK(secret.size() >= shortest_bytes, "{} bytes", secret.size());
  TW_CHECK(::sodium_init() >= 0);
  ::crypto_generichash(key_.data(), key_.size(), bytes_of(secret), secret.size(), nullptr, 0);
}

AuthKey::~AuthKey() { ::sodium_memzero(key_.data(), key_.size()); }

AuthKey AuthKey::from_file(const std::filesystem::path& path) {
  std::string secret = read_secret(path);
  AuthKey key(std::as_bytes(std::span(secret)));
  ::sodium_memzero(secret.data(), secret.size());
  return key;
}

AuthKey AuthKey::from_hex(std::string_view hex, const std::string& place) {
  auto secret = bytes_from_hex(hex, longest_bytes);
  if (secret.size() < shortest_bytes)
    throw InputError({place}, "", "a secret in hexadecimal", "something else");
  AuthKey key(std::as_bytes(std::span(secret)));
  ::sodium_memzero(secret.data(), secret.size());
  return key;
}

AuthTag AuthKey::tag(std::span<const std::byte> message) const noexcept {
  AuthTag tag{};
  ::crypto_generichash(tag.data(), tag.size(), bytes_of(message), message.size(), key_.data(),
                       key_.size());
  return tag;
}

void AuthKey::derive(std::span<const std::byte> context,
                     std::array<std::uint8_t, 32>& derived) const noexcept {
  ::crypto_generichash(derived.data(), derived.size(), bytes_of(context), context.size(),
                       key_.data(), key_.size());
}

std::array<std::uint8_t, 32> AuthKey::derive(std::span<const std::byte> context) const noexcept {
  std::array<std::uint8_t, 32> derived{};
  derive(context, derived);
  return derived;
}

AuthKey AuthKey::for_purpose(std::string_view label) const noexcept {
  AuthKey key;
  derive(std::as_bytes(std::span(label)), key.key_);
  return key;
}

bool AuthKey::matches(std::span<const std::byte> message, const AuthTag& given) const noexcept {
  const AuthTag expected = tag(message);
  return ::sodium_memcmp(expected.data(), given.data(), given.size()) == 0;
}

std::string random_secret_hex() { return random_hex(32); }

std::string random_nonce_hex() { return random_hex(16); }

std::string to_hex(const AuthTag& tag) { return hex_of(std::as_bytes(std::span(tag))); }

std::optional<AuthTag> tag_from_hex(std::string_view hex) {
  AuthTag tag{};
  const auto bytes = bytes_from_hex(hex, tag.size());
  if (bytes.size() != tag.size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), tag.begin());
  return tag;
}

}  // namespace tilewall::net
