// What a transfer function's file says, before it meets data: points at values of the data or at
// shares of its range, and what to do where the file leaves something open.
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
/// Of values: tables of transfer functions are floats, and differences of values must be, too.
inline constexpr double max_transfer_value = 1e30;

/// What the points' values are.
enum class TransferScale {
  values,  ///< of the data
  shares,  ///< of the range of the data: 0 its least, 1 its greatest value
};

/// How whoever made the function looks at it.
struct TransferLook {
  Shading shading = Shading::none;
  Lighting lighting;
  bool operator==(const TransferLook& other) const noexcept;
};

struct TransferSpec {
  std::string name;  ///< "" where there is none
  TransferScale scale = TransferScale::shares;
  std::vector<TransferPoint> points;  ///< rising; two at one value make a step
  std::optional<double> unit;         ///< world units that opacities are for
  std::optional<TransferLook> look;
  std::vector<std::string> notes;  ///< what the file says that was left out, for the user's eyes
  bool operator==(const TransferSpec& other) const noexcept;
};

/// Throws InputError that names `place` and the field: fewer than two points, more than
/// max_transfer_points, values that fall, are all the same or beyond max_transfer_value, shares or
/// colours out of [0, 1], a unit that is not above 0, strengths of light out of [0, 10].
void check_transfer_spec(const TransferSpec& spec, const InputPlace& place);

/// The same function over whatever range it is given later: its first point at share 0, its last
/// at 1. For a range that the user gives, and for presets whose values are of other data.
/// @pre the spec passes check_transfer_spec
[[nodiscard]] TransferSpec as_shares(TransferSpec spec);

/// `range` (of the data, or given) is what shares are of; points at values do not move. An empty
/// range counts as [0, 1]; one of a single value is widened about it, so that what is the same
/// everywhere has the middle's colour. `default_unit` is for specs without a unit.
/// Throws InputError as check_transfer_spec does.
[[nodiscard]] TransferFunction make_transfer_function(const TransferSpec& spec, ValueRange range,
                                                      double default_unit);

/// A transfer function in messages between processes.
///
/// {"name": "bone", "scale": "values", "points": [[value, r, g, b, opacity], ...], "unit": 1.0,
///  "look": {"shaded": true, "ambient": 0.1, "diffuse": 0.9, "specular": 0.2}}
/// `unit` and `look` are left out where there is none; notes do not travel. Numbers come back to
/// the bit. At most about 400 kB.
[[nodiscard]] nlohmann::json to_json(const TransferSpec& spec);

/// Throws InputError naming the field for anything that check_transfer_spec refuses, too.
[[nodiscard]] TransferSpec transfer_spec_from_json(const nlohmann::json& json);

}  // namespace tilewall::render
