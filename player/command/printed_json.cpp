#include "player/command/printed_json.hpp"

#include <nlohmann/json.hpp>

namespace tilewall::command {

std::string printed_json(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string printed_json(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tilewall::command
