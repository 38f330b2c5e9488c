// The tables of the fields of a volume's style and camera, and their parsing.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tilewall::cli {

/// A field of a volume's style. `ctl style` has it as NAME=VALUE; `view` has most fields as
/// --NAME VALUE.
struct StyleField {
  std::string_view name;  ///< "range"
  std::string value;      ///< syntax of the value: "MIN,MAX | data"
  std::string help;       ///< meaning, unit and limits
  /// Parses `value` and adds it to `change`, like add_style_change().
  void (*add)(nlohmann::json& change, const std::string& option, const std::string& value);
};

[[nodiscard]] std::span<const StyleField> style_fields();
/// @pre A field has this name.
[[nodiscard]] const StyleField& style_field(std::string_view name);

/// Adds a field's value to `change`, a change of a style as JSON; each call with `plane` adds one
/// more plane. Throws InputError naming `option` if value or name are wrong.
void add_style_change(nlohmann::json& change, const std::string& name, const std::string& value,
                      const std::string& option);

/// A field of a camera's file, which is TOML. Fields that the file leaves out stay as they are.
struct CameraField {
  std::string_view name;   ///< "fov_deg"
  std::string_view value;  ///< syntax of the value: "DEGREES"
  std::string_view help;   ///< meaning, unit and limits
};

[[nodiscard]] std::span<const CameraField> camera_fields();

/// Reads a camera's file as a change of a camera. Throws InputError naming file and field.
[[nodiscard]] nlohmann::json read_camera_file(const std::string& file);
/// A camera's JSON as the TOML that read_camera_file() reads.
[[nodiscard]] std::string camera_toml_text(const nlohmann::json& camera);
/// A style's transfer function, as JSON, as the TOML that the field "tf" reads.
[[nodiscard]] std::string transfer_text(const nlohmann::json& transfer);

}  // namespace tilewall::cli
