// JSON merge patches (RFC 7396): what of an object has changed.
#pragma once

#include <nlohmann/json.hpp>

namespace tilewall::console {

/// The patch that turns `before` into `after`; an empty object where nothing has changed. Members
/// that are gone are null in it, arrays are whole. @pre both are objects, in which a null means the
/// same as nothing
[[nodiscard]] nlohmann::json merge_patch(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace tilewall::console
