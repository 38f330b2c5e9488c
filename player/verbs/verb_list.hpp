// The verbs of the control port as data: help, fields, and the role of a person who may use them.
//
// Threads: everything is constant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace tilewall::verbs {

/// What a person at the console may do; each role may do what those before it may. The control port
/// itself knows no roles: whoever has the wall's key may do everything.
enum class Role { viewer, presenter, operator_ };
inline constexpr std::string_view role_names[] = {"viewer", "presenter", "operator"};

[[nodiscard]] constexpr std::string_view name_of(Role role) noexcept {
  return role_names[static_cast<std::size_t>(role)];
}
/// Empty for a text that names no role.
[[nodiscard]] std::optional<Role> role_of(std::string_view name) noexcept;

/// The JSON type of a field.
enum class FieldType { text, number, whole, flag, list, object, any };

struct Field {
  std::string_view name;
  FieldType type = FieldType::text;
  std::string_view help;  ///< values, unit and range
};

/// A verb. Beside its fields a request has those that its scope allows, and `as`.
struct VerbInfo {
  std::string_view name;
  Role role = Role::viewer;  ///< the least one
  std::string_view help;
  std::span<const Field> fields = {};
};

/// All verbs that a client may send, in the order of the help.
[[nodiscard]] std::span<const VerbInfo> verb_list() noexcept;

/// Null for a text that is no verb.
[[nodiscard]] const VerbInfo* find_verb(std::string_view name) noexcept;

/// The least role for a request: the verb's, or a higher one by `choice`, the value of its field
/// `verb` or `key` ("" = none).
[[nodiscard]] Role least_role(const VerbInfo& verb, std::string_view choice) noexcept;

/// What a verb changes.
enum class Scope {
  nothing,  ///< nothing that a repetition would change again
  wall,     ///< the whole wall: it takes `once`
  region,   ///< one region, or several: it takes `once` and `region`
};
[[nodiscard]] Scope scope_of(const VerbInfo& verb) noexcept;

/// The verb's help. @pre it is a verb
[[nodiscard]] std::string_view help_of(std::string_view name);

}  // namespace tilewall::verbs
