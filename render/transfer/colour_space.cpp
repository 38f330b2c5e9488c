#include "render/transfer/colour_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace tilewall::render {
namespace {

constexpr double pi = std::numbers::pi;

using Triple = std::array<double, 3>;

Triple between(const Triple& a, const Triple& b, double part) noexcept {
  return {std::lerp(a[0], b[0], part), std::lerp(a[1], b[1], part), std::lerp(a[2], b[2], part)};
}

Triple triple_of(const Rgba& c) noexcept {
  return {static_cast<double>(c.r), static_cast<double>(c.g), static_cast<double>(c.b)};
}

Rgba in_range(const Triple& rgb) noexcept {
  const auto channel = [](double v) { return static_cast<float>(std::clamp(v, 0.0, 1.0)); };
  return {channel(rgb[0]), channel(rgb[1]), channel(rgb[2]), 1};
}

// Hue (in [0, 1)), saturation and value of a colour.
Triple hsv_of(const Triple& rgb) noexcept {
  const double most = std::max({rgb[0], rgb[1], rgb[2]});
  const double span = most - std::min({rgb[0], rgb[1], rgb[2]});
  double hue = 0;
  if (span > 0) {
    if (most == rgb[0])
      hue = (rgb[1] - rgb[2]) / span;
    else if (most == rgb[1])
      hue = 2 + (rgb[2] - rgb[0]) / span;
    else
      hue = 4 + (rgb[0] - rgb[1]) / span;
    hue = hue < 0 ? hue / 6 + 1 : hue / 6;
  }
  return {hue, most > 0 ? span / most : 0, most};
}

Triple rgb_of_hsv(const Triple& hsv) noexcept {
  const auto channel = [&](double turn) {  // a channel is full within a sixth of its own hue
    const double away = std::abs(std::remainder(hsv[0] - turn, 1.0)) * 6;
    return hsv[2] * (1 - hsv[1] * std::clamp(away - 1, 0.0, 1.0));
  };
  return {channel(0), channel(1.0 / 3), channel(2.0 / 3)};
}

// Linear light of an sRGB value (IEC 61966-2-1).
double linear_of(double v) noexcept {
  return v > 0.04045 ? std::pow((v + 0.055) / 1.055, 2.4) : v / 12.92;
}
double stored_of(double v) noexcept {
  return v > 0.0031308 ? 1.055 * std::pow(v, 1 / 2.4) - 0.055 : v * 12.92;
}

constexpr Triple white = {0.9505, 1.0, 1.089};  // D65
constexpr double cube_root_from = 0.008856;

Triple lab_of(const Triple& rgb) noexcept {
  const double r = linear_of(rgb[0]);
  const double g = linear_of(rgb[1]);
  const double b = linear_of(rgb[2]);
  const auto f = [](double t) {
    return t > cube_root_from ? std::cbrt(t) : 7.787 * t + 16.0 / 116;
  };
  const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / white[0]);
  const double y = f((0.2126 * r + 0.7152 * g + 0.0722 * b) / white[1]);
  const double z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / white[2]);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

Triple rgb_of_lab(const Triple& lab) noexcept {
  const auto inverse = [](double f) {
    const double cube = f * f * f;
    return cube > cube_root_from ? cube : (f - 16.0 / 116) / 7.787;
  };
  const double fy = (lab[0] + 16) / 116;
  const double x = white[0] * inverse(fy + lab[1] / 500);
  const double y = white[1] * inverse(fy);
  const double z = white[2] * inverse(fy - lab[2] / 200);
  return {stored_of(3.2406 * x - 1.5372 * y - 0.4986 * z),
          stored_of(-0.9689 * x + 1.8758 * y + 0.0415 * z),
          stored_of(0.0557 * x - 0.2040 * y + 1.0570 * z)};
}

// L*a*b* in polar coordinates: magnitude (distance from black), saturation (angle from gray) and
// hue, in radians.
struct Msh {
  double magnitude = 0;
  double saturation = 0;
  double hue = 0;
};

constexpr double gray_below = 0.05;  // radians of saturation

Msh msh_of(const Triple& lab) noexcept {
  const double magnitude = std::hypot(lab[0], lab[1], lab[2]);
  if (magnitude < 1e-3) return {magnitude, 0, 0};
  const double saturation = std::acos(std::clamp(lab[0] / magnitude, -1.0, 1.0));
  return {magnitude, saturation, saturation > 1e-3 ? std::atan2(lab[2], lab[1]) : 0};
}

Triple lab_of(const Msh& msh) noexcept {
  const double chroma = msh.magnitude * std::sin(msh.saturation);
  return {msh.magnitude * std::cos(msh.saturation), chroma * std::cos(msh.hue),
          chroma * std::sin(msh.hue)};
}

/// The hue to give a gray of that magnitude, so that the way to it changes evenly. It turns away
/// from purple, because blues and reds would seem to tend towards it.
double hue_towards_gray(const Msh& saturated, double gray_magnitude) noexcept {
  if (saturated.magnitude >= gray_magnitude - 0.1) return saturated.hue;
  const double turn =
      saturated.saturation *
      std::sqrt(gray_magnitude * gray_magnitude - saturated.magnitude * saturated.magnitude) /
      (saturated.magnitude * std::sin(saturated.saturation));
  return saturated.hue > -0.3 * pi ? saturated.hue + turn : saturated.hue - turn;
}

Triple diverging(const Triple& from, const Triple& to, double part) noexcept {
  Msh a = msh_of(lab_of(from));
  Msh b = msh_of(lab_of(to));
  const double angle = std::abs(std::remainder(a.hue - b.hue, 2 * pi));
  if (a.saturation > gray_below && b.saturation > gray_below && angle > pi / 3) {
    const Msh middle = {std::max({a.magnitude, b.magnitude, 88.0}), 0, 0};
    (part < 0.5 ? b : a) = middle;
    part = part < 0.5 ? 2 * part : 2 * part - 1;
  }
  if (a.saturation < gray_below && b.saturation > gray_below)
    a.hue = hue_towards_gray(b, a.magnitude);
  else if (b.saturation < gray_below && a.saturation > gray_below)
    b.hue = hue_towards_gray(a, b.magnitude);
  else  // the shorter way round, where teal's hue goes from pi to -pi
    b.hue = a.hue + std::remainder(b.hue - a.hue, 2 * pi);
  return lab_of(Msh{std::lerp(a.magnitude, b.magnitude, part),
                    std::lerp(a.saturation, b.saturation, part), std::lerp(a.hue, b.hue, part)});
}

Triple mixed_hsv(const Triple& from, const Triple& to, bool wrapped, double part) noexcept {
  Triple a = hsv_of(from);
  Triple b = hsv_of(to);
  if (wrapped && std::abs(a[0] - b[0]) > 0.5) (a[0] > b[0] ? a : b)[0] -= 1;
  return rgb_of_hsv(between(a, b, part));
}

}  // namespace

Rgba mixed(ColourSpace space, const Rgba& from, const Rgba& to, double part) noexcept {
  const Triple a = triple_of(from);
  const Triple b = triple_of(to);
  switch (space) {
    case ColourSpace::rgb:
      return in_range(between(a, b, part));
    case ColourSpace::hsv:
      return in_range(mixed_hsv(a, b, false, part));
    case ColourSpace::hsv_wrapped:
      return in_range(mixed_hsv(a, b, true, part));
    case ColourSpace::lab:
      return in_range(rgb_of_lab(between(lab_of(a), lab_of(b), part)));
    case ColourSpace::diverging:
      return in_range(rgb_of_lab(diverging(a, b, part)));
  }
  return in_range(a);
}

}  // namespace tilewall::render
