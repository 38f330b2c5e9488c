// From a value to a colour and an opacity: straight lines between points, and the table of it that
// casters read, its opacity corrected for the distance between samples.
#pragma once

#include <cstddef>
#include <vector>

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
  Rgba colour;  ///< `a`: what a layer one `unit` thick takes of the light behind it
};

/// Below the first point and above the last, their colours hold. Two points at one value make a
/// step.
class TransferFunction {
 public:
  /// `unit` is in world units. Throws InputError for no points, values that fall, colours out of
  /// [0, 1], or a unit that is not above 0.
  explicit TransferFunction(std::vector<TransferPoint> points, double unit = 1);

  [[nodiscard]] Rgba at(double value) const noexcept;
  [[nodiscard]] double unit() const noexcept { return unit_; }
  [[nodiscard]] const std::vector<TransferPoint>& points() const noexcept { return points_; }

 private:
  std::vector<TransferPoint> points_;
  double unit_;
};

/// The opacity of a layer `step` thick, of what has `opacity` at a thickness of `unit`
/// (Beer-Lambert): 1 - (1 - opacity)^(step / unit).
[[nodiscard]] double opacity_of_step(double opacity, double step, double unit) noexcept;

/// Entry i holds the function at first_value + i / per_value, its opacity that of one step.
class TransferTable {
 public:
  static constexpr int intervals = 4096;

  TransferTable(const TransferFunction& function, double step);

  /// Between entries: linear. A value that is not a number has no colour.
  [[nodiscard]] Rgba at(float value) const noexcept;
  /// Whether a value in [min, max], or one entry beside them, has opacity.
  [[nodiscard]] bool any_opacity(float min, float max) const noexcept;
  [[nodiscard]] float first_value() const noexcept { return first_value_; }
  [[nodiscard]] float per_value() const noexcept { return per_value_; }
  /// intervals + 1 of them.
  [[nodiscard]] const std::vector<Rgba>& entries() const noexcept { return entries_; }

 private:
  /// In entries, not clamped to whole ones; clamped to [0, intervals].
  [[nodiscard]] float place(float value) const noexcept;

  float first_value_ = 0;
  float per_value_ = 1;
  std::vector<Rgba> entries_;
  std::vector<int> opaque_before_;  ///< how many entries before i have opacity
};

}  // namespace tilewall::render
