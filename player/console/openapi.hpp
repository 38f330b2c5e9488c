// The console's interface for programs, as OpenAPI, from the list of verbs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tilewall::console {

/// Whether a verb can be asked by `POST /api/v1/VERB`. Those that belong to a connection, such as
/// `subscribe`, cannot.
[[nodiscard]] bool is_posted(std::string_view verb) noexcept;

/// The description of a console at `url`, OpenAPI 3.0.
[[nodiscard]] nlohmann::ordered_json openapi(const std::string& url);

}  // namespace tilewall::console
