#include "net/auth_key.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

const unsigned char* bytes_of(std::span<const std::byte> data) noexcept {
  return reinterpret_cast<const unsigned char*>(data.data());
}

}  // namespace

AuthKey::AuthKey(std::span<const std::byte> secret) {
  TW_CHECK(secret.size() >= shortest_bytes, "{} bytes", secret.size());
  TW_CHECK(::sodium_init() >= 0);
  ::crypto_generichash(key_.data(), key_.size(), bytes_of(secret), secret.size(), nullptr, 0);
}

AuthKey AuthKey::from_file(const std::filesystem::path& path) {
  const std::string secret = read_text_file(path, longest_bytes);
  if (secret.size() < shortest_bytes)
    throw InputError({path.string()}, "", fmt::format("a key of at least {} bytes", shortest_bytes),
                     fmt::format("{} bytes", secret.size()));
  return AuthKey(std::as_bytes(std::span(secret)));
}

AuthTag AuthKey::tag(std::span<const std::byte> message) const noexcept {
  AuthTag tag{};
  ::crypto_generichash(tag.data(), tag.size(), bytes_of(message), message.size(), key_.data(),
                       key_.size());
  return tag;
}

bool AuthKey::matches(std::span<const std::byte> message, const AuthTag& given) const noexcept {
  const AuthTag expected = tag(message);
  return ::sodium_memcmp(expected.data(), given.data(), given.size()) == 0;
}

}  // namespace tilewall
