// Operators' input at a panel's window, as the panel sends it to the director.
//
//   {"type": "key", "key": "zoom_in"}
//   {"type": "pointer", "kind": "drag", "canvas": [812.5, 300.5], "by": [-12, 3], "steps": 0}
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "player/present/operator_input.hpp"

namespace tilewall::scene {

/// A PointerEvent in pixels of the canvas, in the scene's bezel mode.
struct CanvasPointer {
  present::PointerKind kind = present::PointerKind::wheel;
  PointF at_px;
  PointF by_px;
  double steps = 0;
  bool operator==(const CanvasPointer&) const = default;
};

/// The enumerator's own name.
[[nodiscard]] std::string_view key_name(present::OperatorKey key) noexcept;

/// Empty for a name that no key has.
[[nodiscard]] std::optional<present::OperatorKey> parse_key(std::string_view name) noexcept;

[[nodiscard]] nlohmann::json to_json(present::OperatorKey key);
[[nodiscard]] nlohmann::json to_json(const CanvasPointer& pointer);

/// Throws InputError naming the field that is missing or wrong. A key that has no such name, of a
/// newer panel perhaps, is empty.
[[nodiscard]] std::optional<present::OperatorKey> key_from_json(const nlohmann::json& json);
[[nodiscard]] CanvasPointer pointer_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
