// JSON merge patches (RFC 7396): what of an object has changed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tilewall::console {

/// The patch that turns `before` into `after`; an empty object where nothing has changed. Members
/// that are gone are null in it, arrays are whole. @pre both are objects, in which a null means the
/// same as nothing
[[nodiscard]] nlohmann::json merge_patch(const nlohmann::json& before, const nlohmann::json& after);

/// Adds to a patch what turns the value `before` of the member `name` into `after`, if they differ;
/// null = no such member.
void add_member_patch(nlohmann::json& patch, const std::string& name, const nlohmann::json& before,
                      const nlohmann::json& after);

}  // namespace tilewall::console
