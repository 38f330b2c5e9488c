// Transfer functions from a value to a colour and an opacity: straight lines between points, and
// the table that casters read, with opacities corrected for the distance between samples.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "render/volume/value_curve.hpp"

namespace tilewall::render {

/// Each in [0, 1]; `a` is the opacity, and the colour is not multiplied by it.
struct Rgba {
  float r = 0;
  float g = 0;
  float b = 0;
  float a = 0;
  bool operator==(const Rgba&) const = default;
};

struct TransferPoint {
  double value = 0;
  Rgba colour;  ///< `a` is the opacity of a layer one `unit` thick
  bool operator==(const TransferPoint&) const = default;
};

/// Values below the first point and above the last have their colours. Two points at one value make
/// a step. Lines between points are straight on the scale of the curve.
class TransferFunction {
 public:
  /// `unit` is in world units. Throws InputError for no points, values that fall or that the curve
  /// does not take, colours out of [0, 1], or a unit that is not above 0.
  explicit TransferFunction(std::vector<TransferPoint> points, double unit = 1,
                            ValueCurve curve = {});

  /// A value that the curve does not take has no colour.
  [[nodiscard]] Rgba at(double value) const noexcept;
  [[nodiscard]] double unit() const noexcept { return unit_; }
  [[nodiscard]] const ValueCurve& curve() const noexcept { return curve_; }
  [[nodiscard]] const std::vector<TransferPoint>& points() const noexcept { return points_; }
  bool operator==(const TransferFunction&) const = default;

 private:
  std::vector<TransferPoint> points_;
  double unit_;
  ValueCurve curve_;
};

/// Opacity of a layer of thickness `step`, of a material with `opacity` at a thickness of `unit`
/// (Beer-Lambert): 1 - (1 - opacity)^(step / unit).
[[nodiscard]] double opacity_of_step(double opacity, double step, double unit) noexcept;

/// A table of a transfer function: entry i is for the value first_value + i / per_value, with the
/// opacity of one step. Under a curve that is not linear, keys (CurveKey) take the place of values.
class TransferTable {
 public:
  static constexpr int intervals = 4096;

  TransferTable(const TransferFunction& function, double step);

  /// The function at a value, linear between entries. NaN has no colour.
  [[nodiscard]] Rgba at(float value) const noexcept;
  /// Whether a value in [min, max], or one entry beside them, has opacity.
  [[nodiscard]] bool any_opacity(float min, float max) const noexcept;
  /// Sum of all changes of the opacity from one value to a greater one. @pre the table has no key
  [[nodiscard]] float change(float from, float to) const noexcept {
    return change_up_to(to) - change_up_to(from);
  }
  /// The same from the table's first entry to each one.
  [[nodiscard]] const std::vector<float>& changes() const noexcept { return changes_; }
  [[nodiscard]] float first_value() const noexcept { return first_value_; }
  [[nodiscard]] float per_value() const noexcept { return per_value_; }
  /// Empty where the table's entries have equal steps of the value.
  [[nodiscard]] const std::optional<CurveKey>& key() const noexcept { return key_; }
  /// The table's intervals + 1 entries.
  [[nodiscard]] const std::vector<Rgba>& entries() const noexcept { return entries_; }

 private:
  /// Position of a value in the table, in entries with fraction, limited to [0, intervals].
  [[nodiscard]] float place(float value) const noexcept;
  /// The same without the limit. @pre a key takes the value
  [[nodiscard]] float unlimited_place(float value) const noexcept;
  [[nodiscard]] float change_up_to(float value) const noexcept;

  std::optional<CurveKey> key_;
  float first_value_ = 0;
  float per_value_ = 1;
  std::vector<Rgba> entries_;
  std::vector<float> changes_;
  std::vector<int> opaque_before_;  ///< Number of entries with opacity before entry i
};

}  // namespace tilewall::render
