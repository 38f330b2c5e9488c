// A camera's file: TOML with any of a camera's fields; what it leaves out stays as it is.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tilewall {

struct CameraField {
  std::string_view name;   ///< "fov_deg"
  std::string_view value;  ///< how it is written: "DEGREES"
  std::string_view help;   ///< what it is, its unit and limits
};

[[nodiscard]] std::span<const CameraField> camera_fields();

/// The file as the change of a camera. Throws InputError naming file and field.
[[nodiscard]] nlohmann::json read_camera_file(const std::string& file);

}  // namespace tilewall
