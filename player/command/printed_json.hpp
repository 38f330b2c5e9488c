// JSON as commands print it, and write it to reports.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewall::command {

/// The value as text, in one line where `indent` is below 0. Names of files may have bytes that are
/// not UTF-8, which JSON cannot have: each becomes U+FFFD.
[[nodiscard]] std::string printed_json(const nlohmann::json& value, int indent = -1);
[[nodiscard]] std::string printed_json(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace tilewall::command
