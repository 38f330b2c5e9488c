// The roles of processes that connect to the director: a panel, the sound process, a traced
// process, a client. Each role handles its own hello and its own messages.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "player/director/connections/control_server.hpp"

namespace tilewall::director {

/// A received message.
struct RoleMessage {
  ConnectionId from = 0;
  std::string type;            ///< the field "type"; "" where it has none
  const nlohmann::json& json;  ///< the whole text
  std::vector<std::uint8_t> blob;
};

class ConnectionRole {
 public:
  virtual ~ConnectionRole() = default;

  /// Whether `type` is the hello of this role.
  [[nodiscard]] virtual bool is_hello(std::string_view type) const = 0;
  /// Handles a hello. Throws InputError where it is malformed or has a wrong tag.
  virtual void welcome(const RoleMessage& hello) = 0;

  /// Whether the message comes from a process with this role.
  [[nodiscard]] virtual bool takes(const RoleMessage& message) const = 0;
  /// Handles a message. Throws InputError where this role has no such message.
  virtual void take(RoleMessage& message) = 0;

  /// Forgets a closed connection. Called on all roles, whichever the connection had.
  virtual void lose(ConnectionId id) = 0;
};

/// Gives the message to the role whose hello it is, else to the first role that takes it. Throws
/// what the role throws.
void route(std::span<ConnectionRole* const> roles, ConnectionId from, const nlohmann::json& json,
           std::vector<std::uint8_t>&& blob);

}  // namespace tilewall::director
