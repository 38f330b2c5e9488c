#include "player/director/connections/connection_role.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace tilewall::director {
namespace {

/// The message's type; "" where it has none. The role that takes the message refuses "".
std::string type_of(const nlohmann::json& message) {
  const auto found = message.is_object() ? message.find("type") : message.end();
  const bool named = message.is_object() && found != message.end() && found->is_string();
  return named ? found->get<std::string>() : "";
}

}  // namespace

void route(std::span<ConnectionRole* const> roles, ConnectionId from, const nlohmann::json& json,
           std::vector<std::uint8_t>&& blob) {
  RoleMessage message{from, type_of(json), json, std::move(blob)};
  for (ConnectionRole* const role : roles)
    if (role->is_hello(message.type)) return role->welcome(message);
  for (ConnectionRole* const role : roles)
    if (role->takes(message)) return role->take(message);
}

}  // namespace tilewall::director
