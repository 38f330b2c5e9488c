#include "net/show_keys.hpp"

#include <cstdlib>
#include <string_view>

#include "sync/base/error.hpp"
#include "sync/base/private_files.hpp"

namespace tilewall::net {
namespace {

std::string_view name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::control:
      return "control";
    case Protocol::clock:
      return "clock";
    case Protocol::stream:
      break;
  }
  return "stream";
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool is_keyless(Protocol protocol) {
  const std::string listed = "," + std::string(variable(keyless_variable)) + ",";
  return listed.find("," + std::string(name_of(protocol)) + ",") != std::string::npos;
}

/// A secret that stays in this process's memory, and the path of the file that had it.
struct HeldSecret {
  std::string path;
  AuthKey key;
};

std::optional<HeldSecret>& held_secret() {
  static std::optional<HeldSecret> held;
  return held;
}

AuthKey shared_key(std::string_view path, Protocol protocol) {
  const std::optional<HeldSecret>& held = held_secret();
  if (held && held->path == path) return protocol_key(held->key, protocol);
  return key_from_file(path, protocol);
}

}  // namespace

AuthKey protocol_key(const AuthKey& secret, Protocol protocol) {
  const std::string label = "tilewall " + std::string(name_of(protocol));
  return secret.for_purpose(label);
}

AuthKey key_from_file(const std::filesystem::path& path, Protocol protocol) {
  return protocol_key(AuthKey::from_file(path), protocol);
}

AuthKey key_of(Protocol protocol) {
  const std::string_view path = variable(secret_file_variable);
  if (path.empty())
    throw InputError({secret_file_variable}, "", "the path of the show's secret file", "nothing");
  return shared_key(path, protocol);
}

std::optional<AuthKey> outer_key_of(Protocol protocol) {
  const std::string_view path = variable(secret_file_variable);
  if (path.empty() || is_keyless(protocol)) return std::nullopt;
  return shared_key(path, protocol);
}

void hold_secret() {
  held_secret().reset();
  const std::string_view path = variable(secret_file_variable);
  if (!path.empty()) held_secret().emplace(HeldSecret{std::string(path), AuthKey::from_file(path)});
}

void require_key_beyond_loopback(const SocketAddress& peer, bool has_key) {
  if (has_key || peer.loopback()) return;
  throw InputError({to_string(peer)}, "key",
                   "the wall's key, as this is another machine: give it with --key-file FILE",
                   "none");
}

void use_secret_file(const std::filesystem::path& path, SecretOwner owner, ClockOwner clock) {
  if (!path.empty()) static_cast<void>(AuthKey::from_file(path));
  const bool is_shared = path.empty() || owner == SecretOwner::wall;
  const char* const shows_own = clock == ClockOwner::show ? "stream" : "stream,clock";
  const std::string file = path.empty() ? "" : std::filesystem::absolute(path).string();
  ::setenv(secret_file_variable, file.c_str(), 1);
  ::setenv(keyless_variable, is_shared ? "" : shows_own, 1);
}

}  // namespace tilewall::net
