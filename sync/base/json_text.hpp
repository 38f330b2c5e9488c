// JSON as text: parsing what comes from another process or a file, writing it, and showing it in an
// error's line.
//
// Code that handles JSON recurses, and a peer may send megabytes of brackets. So the depth is
// bounded where the text is parsed, and the shown text is short for any value.
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

/// The value as JSON, in one line where `indent` is below 0. Texts in it may have bytes that are
/// not UTF-8, as names of files do: each becomes U+FFFD, which JSON can have.
[[nodiscard]] std::string json_text(const nlohmann::json& value, int indent = -1);
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

/// The value as JSON in ASCII, at most longest_shown_json bytes; "..." ends a text that was cut.
/// Values may have any depth and size.
[[nodiscard]] std::string shown_json(const nlohmann::json& value);

}  // namespace tilewall
