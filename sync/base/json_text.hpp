// JSON that another process sent, or that stands in a file: read, and shown in an error's line.
// What handles JSON recurses, and a peer may send megabytes of brackets: the depth is bounded where
// the text is read, and what is shown is short whatever the value is.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tilewall {

inline constexpr int deepest_json = 64;
inline constexpr std::size_t longest_shown_json = 80;

/// Throws InputError where the text is no JSON, or has values within more than deepest_json others.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

/// The value as JSON in ASCII, of longest_shown_json bytes at most and "..." where that is not all.
/// Takes values of any depth and size.
[[nodiscard]] std::string shown_json(const nlohmann::json& value);

}  // namespace tilewall
