// The parts that processes play which connect to the director: a panel, the sound process, a
// process that traces, a client. Each role knows its own hello and its own messages.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "player/director/control_server.hpp"

namespace tilewall::director {

/// A message as it comes in.
struct RoleMessage {
  ConnectionId from = 0;
  std::string type;            ///< its field "type"; "" where it has none
  const nlohmann::json& json;  ///< all of it
  std::vector<std::uint8_t> blob;
};

class ConnectionRole {
 public:
  virtual ~ConnectionRole() = default;

  /// Whether a message of that type is how a process takes this role.
  [[nodiscard]] virtual bool is_hello(std::string_view type) const = 0;
  /// Its hello. Throws InputError where it is wrong, or lacks the show's key.
  virtual void welcome(const RoleMessage& hello) = 0;

  /// Whether the message is of a process that has this role.
  [[nodiscard]] virtual bool takes(const RoleMessage& message) const = 0;
  /// Throws InputError for what such a process never says.
  virtual void take(RoleMessage& message) = 0;

  /// The connection is gone, whatever its role was.
  virtual void lose(ConnectionId id) = 0;
};

/// Gives the message to the role whose hello it is, else to the first one that takes it.
/// Throws what the role throws.
void route(std::span<ConnectionRole* const> roles, ConnectionId from, const nlohmann::json& json,
           std::vector<std::uint8_t>&& blob);

}  // namespace tilewall::director
