// The style in which a region shows its volume: everything but the camera.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/transfer/transfer_spec.hpp"
#include "render/volume/cast_style.hpp"
#include "render/volume/clip.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::scene {

/// Where the middle of a caption stands.
struct CaptionPlace {
  double x = 0.5;  ///< From the left; in shares of the picture's width, or in mm
  double y = 1;    ///< From the top, likewise
  bool is_in_mm = false;
  bool is_across = false;  ///< It may lie across bezels; else it lies within one panel
  bool operator==(const CaptionPlace&) const = default;
};

/// What is drawn over the picture.
struct AnnotationSwitches {
  bool axes = false;        ///< Directions of x, y and z of the world
  bool colour_bar = false;  ///< Colour bar with the values of colours
  bool label = false;       ///< Title: dataset or file, timestep and its time; and the date
  bool box = false;         ///< Outline of the whole volume, with numbers and unit
  bool scale_bar = false;   ///< Length at the distance of look_at
  std::string title;        ///< In place of the label's own title; "" = that one
  std::string date;         ///< Line under the title; "" = none
  std::string caption;      ///< Text that is wrapped into lines; "" = none
  CaptionPlace caption_at;  ///< By default at the lower edge
  double letter_mm = 0;     ///< Height of capitals on the wall; 0: 1/50 of the picture's
  bool operator==(const AnnotationSwitches&) const = default;
  [[nodiscard]] bool any() const noexcept {
    return axes || colour_bar || label || box || scale_bar || !caption.empty();
  }
};

/// The panels that show a region, for the places of its annotations.
struct RegionScreens {
  double height_mm = 0;       ///< Height of the region on the wall
  std::vector<RectF> panels;  ///< In shares of the region's width and height
  bool operator==(const RegionScreens&) const = default;
};

struct VolumeStyle {
  render::CastMode mode = render::CastMode::composite;
  bool lit = false;  ///< Light at the eye, in mode composite
  render::Lighting lighting;
  /// Samples along a ray, per geometric mean of the spacings; empty: 1, and more in volumes of few
  /// voxels whose voxels cover many pixels.
  std::optional<double> samples_per_voxel;
  /// Value of the isosurface; empty: the middle of the range of values.
  std::optional<double> iso_value;
  /// Added to the isosurface's value, as a share of the range's width; -1 to 1.
  double iso_shift = 0;
  std::optional<render::ValueRange>
      range;  ///< Values that the transfer function covers; empty: all
  /// Percent of all timesteps' values that lie below the range's ends, which casters find; for a
  /// style without `range`.
  std::optional<std::array<double, 2>> quantiles;
  /// The scale of the transfer function's shares, of window, level and isosurface.
  render::ValueCurve scale;
  double window = 1;  ///< Width of the values covered in effect, as a multiple of the range's
  /// Middle of the values covered in effect: 0 is the range's least value, 1 its greatest.
  double level = 0.5;
  /// Shows values in the lowest tenth of the range, which the default opacity hides. A function
  /// with an opacity of its own keeps it.
  bool low_values = false;
  double opacity = 1;  ///< Factor of the transfer function's opacity
  render::TransferSpec transfer;
  render::Rgba background{0, 0, 0, 1};
  std::array<double, 3> clip_min = {0, 0, 0};  ///< Clip box as shares of the volume's sides
  std::array<double, 3> clip_max = {1, 1, 1};
  /// Clip planes in the world; at most max_clip_planes.
  std::vector<render::ClipPlane> clip_planes;
  AnnotationSwitches annotations;
  /// Computed anew whenever a scene is sent to panels; empty elsewhere. A patch cannot change it.
  std::optional<RegionScreens> screens;
  bool operator==(const VolumeStyle&) const = default;
};

/// Limits of letter_mm beside 0, and of the bytes of title and date.
inline constexpr double smallest_letter_mm = 0.5;
inline constexpr double largest_letter_mm = 1000;
inline constexpr std::size_t most_title_bytes = 256;
inline constexpr std::size_t most_caption_bytes = 1024;
/// Limit of a caption's place in mm.
inline constexpr double farthest_caption_mm = 1e6;
/// Limits of samples_per_voxel.
inline constexpr double sparsest_sampling = 1.0 / 16;
inline constexpr double densest_sampling = 16;
/// Limit of opacity; one by it is the lower limit.
inline constexpr double most_opacity = 1024;
/// Limits of window, and of level to both sides of 0.
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

/// The style with the fields of `patch` changed. null resets "iso_value", "range", "quantiles" and
/// "samples_per_voxel". Throws InputError naming the field.
[[nodiscard]] VolumeStyle patched(const VolumeStyle& style, const nlohmann::json& patch);

[[nodiscard]] nlohmann::json to_json(const render::VolumeCamera& camera);
/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] render::VolumeCamera camera_from_json(const nlohmann::json& json);
[[nodiscard]] render::VolumeCamera patched(const render::VolumeCamera& camera,
                                           const nlohmann::json& patch);

// Evaluates a style for the values of one volume. Pure.

/// The values that the transfer function covers in a volume with the range `values`, which the
/// style's scale takes: those of a function in values of its own, else the style's range, or all
/// values; changed by window and level. Empty where the ranges are.
[[nodiscard]] render::ValueRange covered_range(const VolumeStyle& style, render::ValueRange values);

/// The style's transfer function over the covered range. A function in values of its own is not
/// stretched to ranges: the window moves and scales it about the middle of what it covers by
/// itself. `default_unit` is for specs without a unit. Throws InputError as make_transfer_function
/// does.
[[nodiscard]] render::TransferFunction styled_function(const VolumeStyle& style,
                                                       render::ValueRange values,
                                                       double default_unit);

/// The isosurface's value; 0 where neither style nor volume gives one.
[[nodiscard]] double styled_iso(const VolumeStyle& style, render::ValueRange values);

}  // namespace tilewall::scene
