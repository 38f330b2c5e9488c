#include "render/demo/stars.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "render/demo/galaxy.hpp"
#include "render/demo/noise.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t disc_star_pairs = 2600;
constexpr int far_stars = 1500;
constexpr float two_pi = 2 * std::numbers::pi_v<float>;
constexpr float sharpest_radius_px = 0.62F;
constexpr float sharpest_up_to_px = 480;  // height of the picture

/// Few bright ones among many faint ones: a power law, cut off at `most`.
float brightness(std::uint32_t& random, float least, float most) noexcept {
  return std::min(least / std::pow(1 - next_random(random), 0.75F), most);
}

/// From red (0) over white to blue (1).
Float4 star_color(float heat) noexcept {
  const Float4 cool = {1.0F, 0.72F, 0.48F, 0};
  const Float4 hot = {0.62F, 0.78F, 1.0F, 0};
  return cool + (hot - cool) * float4(heat);
}

/// A round spot whose brightness falls off as a Gaussian of `radius_px`.
void add_spot(const LightRows& rows, float x_px, float y_px, float radius_px,
              Float4 light) noexcept {
  const float reach = 3 * radius_px;
  const int left = std::max(static_cast<int>(std::ceil(x_px - reach)), 0);
  const int right = std::min(static_cast<int>(std::floor(x_px + reach)), rows.picture_px.width - 1);
  const int top = std::max(static_cast<int>(std::ceil(y_px - reach)), rows.y_begin);
  const int low = std::min(static_cast<int>(std::floor(y_px + reach)), rows.y_end() - 1);
  const float fall = -0.5F / (radius_px * radius_px);
  for (int y = top; y <= low; ++y) {
    const float dy = static_cast<float>(y) - y_px;
    Float4* row =
        rows.light.data() + static_cast<std::ptrdiff_t>(y - rows.y_begin) * rows.picture_px.width;
    for (int x = left; x <= right; ++x) {
      const float dx = static_cast<float>(x) - x_px;
      row[x] += light * float4(std::exp((dx * dx + dy * dy) * fall));
    }
  }
}

/// Larger pictures have larger stars, but not in proportion.
float star_radius_px(SizePx picture_px) noexcept {
  const float ratio = static_cast<float>(picture_px.height) / sharpest_up_to_px;
  return sharpest_radius_px * std::sqrt(std::max(1.0F, ratio));
}

bool in_reach(const LightRows& rows, float y_px, float reach_px) noexcept {
  return y_px > static_cast<float>(rows.y_begin) - reach_px &&
         y_px < static_cast<float>(rows.y_end()) + reach_px;
}

}  // namespace

Stars::Stars() {
  add_disc_stars();
  add_far_stars();
}

void Stars::add_disc_stars() {
  std::uint32_t random = 2024;
  while (disc_.size() < 2 * disc_star_pairs) {
    const float radius = -0.26F * std::log(1 - next_random(random));
    const float angle = two_pi * next_random(random);
    const Vec3f place = {radius * std::cos(angle), radius * std::sin(angle),
                         0.03F * (next_random(random) + next_random(random) - 1)};
    const float crest = 0.5F + 0.5F * std::cos(spiral_phase(place.x, place.y));
    if (radius > 0.95F || radius < 0.05F || next_random(random) > 0.12F + crest * crest) continue;
    const float heat = std::min(1.0F, 0.25F + radius + 0.4F * next_random(random));
    const Float4 light = star_color(heat) * float4(brightness(random, 0.05F, 1.6F));
    disc_.push_back({place, light});
    disc_.push_back({{-place.x, -place.y, place.z}, light});  // the same after half a turn
  }
}

void Stars::add_far_stars() {
  std::uint32_t random = 77;
  for (int i = 0; i < far_stars; ++i) {
    FarStar star{};
    star.x = next_random(random);
    star.y = next_random(random);
    star.twinkle_phase = next_random(random);
    star.twinkles = std::floor(1 + 5 * next_random(random));
    const float bright = brightness(random, 0.014F, 2.2F);
    star.halo = bright > 0.5F ? 4.0F : 0.0F;
    star.light = star_color(next_random(random)) * float4(bright);
    far_.push_back(star);
  }
}

void Stars::add_to(const LightRows& rows, const DemoCamera& camera, double phase) const noexcept {
  const float radius = star_radius_px(rows.picture_px);
  for (const DiscStar& star : disc_) {
    const ScreenPoint at = camera.project(star.place);
    if (in_reach(rows, at.y_px, 3 * radius)) add_spot(rows, at.x_px, at.y_px, radius, star.light);
  }
  for (const FarStar& star : far_) {
    const float x = star.x * static_cast<float>(rows.picture_px.width);
    const float y = star.y * static_cast<float>(rows.picture_px.height);
    const float halo = radius * std::max(star.halo, 1.0F);
    if (!in_reach(rows, y, 3 * halo)) continue;
    const float angle = two_pi * (star.twinkles * static_cast<float>(phase) + star.twinkle_phase);
    const Float4 light = star.light * float4(1 + 0.3F * std::sin(angle));
    add_spot(rows, x, y, radius, light);
    if (star.halo > 0) add_spot(rows, x, y, halo, light * float4(0.06F));
  }
}

}  // namespace tilewall::render
