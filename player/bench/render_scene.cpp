#include "player/bench/render_scene.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>

#include "render/volume/web_scene.hpp"

namespace tilewall::bench {

RenderScene scene_of_case(const RenderCase& one, int side) {
  const bool fog = std::string_view(one.scene) == "fog";
  RenderScene scene{fog ? render::fog_function(side) : render::sparse_function(side), {}};
  scene.style.mode = one.mode;
  scene.style.shading = one.shading;
  scene.style.iso_value = 0.6;
  return scene;
}

std::string scene_name(const RenderCase& one, int side, SizePx picture_px) {
  return fmt::format("{}_{}_{}{}_{}x{}", side, render::name_of(one.type), one.scene, one.suffix,
                     picture_px.width, picture_px.height);
}

double render_now_ms() noexcept {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

render::CastView turned_view(int side, SizePx picture_px, double turn_degrees) {
  const double turn = turn_degrees * std::numbers::pi / 180;
  const double rise = 20 * std::numbers::pi / 180;
  const double middle = (side - 1) / 2.0;
  render::CastView view;
  view.camera.look_at = {middle, middle, middle};
  view.camera.eye =
      view.camera.look_at + (2.0 * side) * Vec3d{std::cos(rise) * std::sin(turn), std::sin(rise),
                                                 std::cos(rise) * std::cos(turn)};
  view.camera.fov_rad = std::numbers::pi / 6;
  view.picture_px = picture_px;
  return view;
}

RectPx whole_picture(const render::CastView& view) noexcept {
  return {0, 0, view.picture_px.width, view.picture_px.height};
}

RenderPixels::RenderPixels(SizePx size_px)
    : size_px_(size_px),
      bytes_(static_cast<std::size_t>(size_px.width) * static_cast<std::size_t>(size_px.height) *
             4) {}

ImageView RenderPixels::view() noexcept {
  return {bytes_.data(), size_px_, static_cast<std::size_t>(size_px_.width) * 4};
}

void RenderPixels::set_rgb(std::span<const std::uint8_t> rgb) noexcept {
  for (std::size_t pixel = 0; pixel < bytes_.size() / 4; ++pixel)
    for (std::size_t c = 0; c < 3; ++c) bytes_[pixel * 4 + c] = rgb[pixel * 3 + 2 - c];
}

double psnr_db(const RenderPixels& one, const RenderPixels& other) noexcept {
  double squares = 0;
  for (std::size_t i = 0; i < one.bytes().size(); ++i) {
    if (i % 4 == 3) continue;
    const double off = static_cast<double>(one.bytes()[i]) - static_cast<double>(other.bytes()[i]);
    squares += off * off;
  }
  const double mean = squares / (static_cast<double>(one.bytes().size()) * 3 / 4);
  return mean > 0 ? 10 * std::log10(255.0 * 255.0 / mean) : 99;
}

}  // namespace tilewall::bench
