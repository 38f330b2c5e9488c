// Typed access to the fields of a JSON message from another process: never trusts that they are
// there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sync/base/error.hpp"

namespace tilewall {

/// The field's value as T. Throws InputError naming the field when it is missing or of another
/// type.
template <typename T>
[[nodiscard]] T json_field(const nlohmann::json& object, const char* field) {
  try {
    return object.at(field).get<T>();
  } catch (const nlohmann::json::exception&) {
    throw InputError(
        {"message"}, field, "a value of its type",
        object.is_object() && object.contains(field) ? object.at(field).dump() : "none");
  }
}

/// The enumerator whose name the field holds; `names[i]` belongs to the enum's value i.
template <typename Enum, std::size_t count>
[[nodiscard]] Enum json_enum(const nlohmann::json& object, const char* field,
                             const std::string_view (&names)[count]) {
  const auto text = json_field<std::string>(object, field);
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  throw InputError({"message"}, field, "a known name", text);
}

}  // namespace tilewall
