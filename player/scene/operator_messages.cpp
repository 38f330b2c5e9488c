#include "player/scene/operator_messages.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "sync/base/json_fields.hpp"

namespace tilewall::scene {
namespace {

using Json = nlohmann::json;

// In the order of OperatorKey.
constexpr std::string_view key_names[] = {"toggle_pause",
                                          "back",
                                          "forward",
                                          "back_far",
                                          "forward_far",
                                          "home",
                                          "end",
                                          "step_back",
                                          "step_forward",
                                          "slower",
                                          "faster",
                                          "normal_speed",
                                          "reverse",
                                          "toggle_loop",
                                          "ping_pong",
                                          "set_in",
                                          "set_out",
                                          "clear_range",
                                          "next_item",
                                          "previous_item",
                                          "zoom_in",
                                          "zoom_out",
                                          "pan_left",
                                          "pan_right",
                                          "pan_up",
                                          "pan_down",
                                          "view_whole",
                                          "view_one_to_one",
                                          "toggle_blank",
                                          "toggle_mute",
                                          "volume_down",
                                          "volume_up",
                                          "toggle_overlay",
                                          "toggle_hints",
                                          "toggle_freeze",
                                          "enter",
                                          "slide_left",
                                          "slide_right",
                                          "slide_up",
                                          "slide_down",
                                          "next_transfer",
                                          "previous_transfer",
                                          "less_contrast",
                                          "more_contrast",
                                          "darker",
                                          "brighter",
                                          "fainter",
                                          "denser",
                                          "lower_iso",
                                          "higher_iso",
                                          "next_mode",
                                          "previous_mode",
                                          "toggle_lit",
                                          "toggle_annotations",
                                          "cut_x_min",
                                          "uncut_x_min",
                                          "cut_x_max",
                                          "uncut_x_max",
                                          "cut_y_min",
                                          "uncut_y_min",
                                          "cut_y_max",
                                          "uncut_y_max",
                                          "cut_z_min",
                                          "uncut_z_min",
                                          "cut_z_max",
                                          "uncut_z_max",
                                          "uncut_all",
                                          "reset_style",
                                          "add_keyframe",
                                          "remove_keyframe",
                                          "preview_path",
                                          "stop_preview",
                                          "quit"};
static_assert(std::size(key_names) == static_cast<std::size_t>(present::OperatorKey::quit) + 1);

constexpr std::string_view pointer_kinds[] = {"wheel", "drag", "slide", "double_click"};

constexpr double farthest_px = 1e7;  // farther than any canvas reaches
constexpr double most_steps = 1000;

double clamped(double value, double most) noexcept { return std::clamp(value, -most, most); }

Json pair_json(PointF point) { return {point.x, point.y}; }

PointF pair_field(const Json& json, const char* field) {
  const auto pair = json_field<std::vector<double>>(json, field);
  if (pair.size() != 2) throw InputError({"message"}, field, "[x, y]", shown_json(json.at(field)));
  return {clamped(pair[0], farthest_px), clamped(pair[1], farthest_px)};
}

}  // namespace

std::string_view key_name(present::OperatorKey key) noexcept {
  return key_names[static_cast<std::size_t>(key)];
}

std::optional<present::OperatorKey> parse_key(std::string_view name) noexcept {
  const auto* const found = std::find(std::begin(key_names), std::end(key_names), name);
  if (found == std::end(key_names)) return std::nullopt;
  return static_cast<present::OperatorKey>(found - std::begin(key_names));
}

Json to_json(present::OperatorKey key) {
  return {{"type", "key"}, {"key", std::string(key_name(key))}};
}

Json to_json(const CanvasPointer& pointer) {
  return {{"type", "pointer"},
          {"kind", std::string(pointer_kinds[static_cast<std::size_t>(pointer.kind)])},
          {"canvas", pair_json(pointer.at_px)},
          {"by", pair_json(pointer.by_px)},
          {"steps", pointer.steps}};
}

std::optional<present::OperatorKey> key_from_json(const Json& json) {
  return parse_key(json_field<std::string>(json, "key"));
}

CanvasPointer pointer_from_json(const Json& json) {
  return {json_enum<present::PointerKind>(json, "kind", pointer_kinds), pair_field(json, "canvas"),
          pair_field(json, "by"), clamped(json_field<double>(json, "steps"), most_steps)};
}

}  // namespace tilewall::scene
