// How a volume's style and camera are typed: the tables of their fields.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tilewall::cli {

/// The fields of a volume's style, as typed: of `ctl style` NAME=VALUE, of `view` --NAME VALUE
/// where it has the option. One table.
struct StyleField {
  std::string_view name;  ///< "range"
  std::string value;      ///< how it is typed: "MIN,MAX | data"
  std::string help;       ///< what it is, its unit and limits
  /// As add_style_change().
  void (*add)(nlohmann::json& change, const std::string& option, const std::string& value);
};

[[nodiscard]] std::span<const StyleField> style_fields();
/// @pre there is one of that name
[[nodiscard]] const StyleField& style_field(std::string_view name);

/// Adds what the field's value changes of a style to `change`; of `plane` one more. Throws
/// InputError naming `option`, for a name that no field has too.
void add_style_change(nlohmann::json& change, const std::string& name, const std::string& value,
                      const std::string& option);

/// A camera's file: TOML with any of a camera's fields; what it leaves out stays as it is.
struct CameraField {
  std::string_view name;   ///< "fov_deg"
  std::string_view value;  ///< how it is written: "DEGREES"
  std::string_view help;   ///< what it is, its unit and limits
};

[[nodiscard]] std::span<const CameraField> camera_fields();

/// The file as the change of a camera. Throws InputError naming file and field.
[[nodiscard]] nlohmann::json read_camera_file(const std::string& file);

}  // namespace tilewall::cli
