// A transfer function as its file describes it, before it is applied to data: points at values of
// the data or at shares of its range, and settings that the file may leave open.
//
// Threads: plain values and pure functions.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "render/volume/cast_style.hpp"
#include "render/volume/transfer_function.hpp"
#include "render/volume/volume.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {

inline constexpr std::size_t max_transfer_points = 4096;
inline constexpr std::size_t max_transfer_name_bytes = 128;
/// Limit of the points' values: tables of transfer functions are floats, and so are differences of
/// values.
inline constexpr double max_transfer_value = 1e30;

/// Unit of the points' values.
enum class TransferScale {
  values,  ///< Values of the data
  shares,  ///< Shares of the data's range: 0 its least, 1 its greatest value
};

/// Lighting with which the function's author views it.
struct TransferLook {
  Shading shading = Shading::none;
  Lighting lighting;
  bool operator==(const TransferLook& other) const noexcept;
};

struct TransferSpec {
  std::string name;  ///< "" where there is no name
  TransferScale scale = TransferScale::shares;
  std::vector<TransferPoint> points;  ///< Values rise; two points at one value make a step
  std::optional<double> unit;         ///< World units that opacities refer to
  std::optional<TransferLook> look;
  /// Whether the opacity is default_opacity(), because the function has none of its own.
  bool has_default_opacity = false;
  bool by_log = false;  ///< The file is for values on a logarithmic scale; does not travel
  std::vector<std::string> notes;  ///< Lines for the user about parts of the file that were ignored
  bool operator==(const TransferSpec& other) const noexcept;
};

/// Throws InputError that names `place` and the field: fewer than two points, more than
/// max_transfer_points, values that fall, are all the same or beyond max_transfer_value, shares or
/// colours out of [0, 1], a unit that is not above 0, strengths of light out of [0, 10].
void check_transfer_spec(const TransferSpec& spec, const InputPlace& place);

/// The same function with field_opacity() in place of the default. @pre the spec passes
/// check_transfer_spec
[[nodiscard]] TransferSpec with_low_values(TransferSpec spec);

/// The same function with its first point at share 0 and its last at share 1, for any range, on the
/// scale of `curve`. Used for a range that the user gives, and for presets whose values are of
/// other data. @pre the spec passes check_transfer_spec, and the curve takes values of the spec's
/// points
[[nodiscard]] TransferSpec as_shares(TransferSpec spec, const ValueCurve& curve = {});

/// Makes the function for a range, of the data or given by the user. Points at shares are stretched
/// to the range; points at values do not move. An empty range counts as [0, 1]. A range of a single
/// value is widened about it, so that constant data has the middle's colour. `default_unit` is for
/// specs without a unit. Shares are those of the scale of `curve`, which takes all of the range.
/// Throws InputError as check_transfer_spec does, and for points at values that the curve does not
/// take.
[[nodiscard]] TransferFunction make_transfer_function(const TransferSpec& spec, ValueRange range,
                                                      double default_unit,
                                                      const ValueCurve& curve = {});

/// A transfer function in messages between processes.
///
/// {"name": "bone", "scale": "values", "points": [[value, r, g, b, opacity], ...], "unit": 1.0,
///  "look": {"shaded": true, "ambient": 0.1, "diffuse": 0.9, "specular": 0.2}}
/// `unit` and `look` are left out where there is none; notes do not travel. "default_opacity": true
/// says that the points' opacity is default_opacity(). Numbers come back to
/// the bit. At most about 400 kB.
[[nodiscard]] nlohmann::json to_json(const TransferSpec& spec);

/// Throws InputError naming the field for anything that check_transfer_spec refuses, too.
[[nodiscard]] TransferSpec transfer_spec_from_json(const nlohmann::json& json);

}  // namespace tilewall::render
