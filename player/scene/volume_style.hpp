// How a region's volume is shown, besides from where.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "render/transfer/transfer_spec.hpp"
#include "render/volume/cast_style.hpp"
#include "render/volume/clip.hpp"

namespace tilewall::scene {

/// What stands over the picture.
struct AnnotationSwitches {
  bool axes = false;        ///< which way x, y and z of the world point
  bool colour_bar = false;  ///< what colours mean
  bool label = false;       ///< what is shown: dataset or file, timestep and its time
  bool operator==(const AnnotationSwitches&) const = default;
};

struct VolumeStyle {
  render::CastMode mode = render::CastMode::composite;
  bool lit = false;  ///< of composite, by a light at the eye
  render::Lighting lighting;
  double samples_per_voxel = 1;     ///< along a ray, of the geometric mean of the spacings
  std::optional<double> iso_value;  ///< of values; empty: the middle of their range
  double iso_shift = 0;             ///< added to it, of the range's width; -1 to 1
  std::optional<render::ValueRange>
      range;           ///< that the transfer function covers; empty: all values
  double window = 1;   ///< times the range's width: what is covered of it in truth
  double level = 0.5;  ///< where that has its middle: 0 at the range's least value
  double opacity = 1;  ///< so many times as dense as the transfer function says
  render::TransferSpec transfer;
  render::Rgba background{0, 0, 0, 1};
  std::array<double, 3> clip_min = {0, 0, 0};  ///< shares of the volume's sides
  std::array<double, 3> clip_max = {1, 1, 1};
  std::vector<render::ClipPlane> clip_planes;  ///< in the world; at most max_clip_planes
  AnnotationSwitches annotations;
  bool operator==(const VolumeStyle&) const = default;
};

/// Limits of samples_per_voxel.
inline constexpr double sparsest_sampling = 1.0 / 16;
inline constexpr double densest_sampling = 16;
/// Of opacity, and one by it.
inline constexpr double most_opacity = 1024;
/// Of window and, to both sides of 0, level.
inline constexpr double narrowest_window = 1.0 / 1024;
inline constexpr double widest_window = 16;
inline constexpr double farthest_level = 16;

inline constexpr std::string_view cast_mode_names[] = {"composite", "maximum", "average",
                                                       "isosurface"};
inline constexpr std::string_view lens_names[] = {"perspective", "orthographic"};
[[nodiscard]] std::optional<render::CastMode> parse_cast_mode(std::string_view text);
[[nodiscard]] std::string_view to_string(render::CastMode mode) noexcept;

[[nodiscard]] nlohmann::json to_json(const VolumeStyle& style);
/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] VolumeStyle volume_style_from_json(const nlohmann::json& json);

/// The style with the fields of `patch` changed; null takes "iso_value" and "range" back. Throws
/// InputError naming the field.
[[nodiscard]] VolumeStyle patched(const VolumeStyle& style, const nlohmann::json& patch);

[[nodiscard]] nlohmann::json to_json(const render::VolumeCamera& camera);
/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] render::VolumeCamera camera_from_json(const nlohmann::json& json);
[[nodiscard]] render::VolumeCamera patched(const render::VolumeCamera& camera,
                                           const nlohmann::json& patch);

// A style in terms of one volume's values. Pure.

/// What the transfer function covers in a volume whose values are `values`: the style's range, or
/// all of them, seen through its window. Empty where `values` are and no range is given.
[[nodiscard]] render::ValueRange covered_range(const VolumeStyle& style, render::ValueRange values);

/// The style's transfer function over that range. One with values of its own is not stretched to
/// ranges: the window moves and scales it about the middle of what it covers by itself.
/// `default_unit` is for specs without a unit. Throws InputError as make_transfer_function does.
[[nodiscard]] render::TransferFunction styled_function(const VolumeStyle& style,
                                                       render::ValueRange values,
                                                       double default_unit);

/// The isosurface's value; 0 where nothing has one.
[[nodiscard]] double styled_iso(const VolumeStyle& style, render::ValueRange values);

}  // namespace tilewall::scene
