#include "render/demo/demo_scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "render/demo/camera.hpp"
#include "render/text.hpp"

namespace tilewall::render {
namespace {

constexpr int galaxy_texels = 1280;
// Rows of light computed at a time; at 2560 pixels wide they fit into the L2 cache.
constexpr int band_rows = 32;
// Columns of a band that are computed together: what they see of the galaxy fits into the L1 cache.
constexpr int tile_columns = 64;
constexpr float exposure = 1.5F;

/// One slice of the disc: its height, and its shares of the disc's light and dust.
struct Slice {
  float z;
  float light;
  float dust;
};
// From above, where the viewer is, downwards; the dust lies in the middle.
constexpr std::array<Slice, 3> slices = {
    {{0.0035F, 0.28F, 0.30F}, {0.0F, 0.44F, 0.40F}, {-0.0035F, 0.28F, 0.30F}}};
constexpr std::size_t middle_slice = 1;

constexpr Float4 bulge_color = {1.00F, 0.80F, 0.52F, 0};
constexpr Float4 sky = {0.0007F, 0.0012F, 0.0030F, 0};
constexpr Float4 dust_depth = {1.3F, 2.1F, 3.2F, 0};  // blue light is swallowed most

/// Light of a ball of stars of density (1 + r^2 / a^2)^-2 along a ray: a closed form of how near to
/// the centre the ray passes. The ball is flattened along z.
float bulge_light(Vec3f eye, Vec3f ray) noexcept {
  constexpr float flattening = 1.5F;
  constexpr float core_squared = 0.052F * 0.052F;
  const Vec3f from = {eye.x, eye.y, eye.z * flattening};
  const Vec3f along = {ray.x, ray.y, ray.z * flattening};
  const float ahead = dot(from, along);
  const float nearest_squared = dot(from, from) - ahead * ahead / dot(along, along);
  const float spread = core_squared / (core_squared + std::max(nearest_squared, 0.0F));
  return 2.2F * spread * std::sqrt(spread) + 0.10F * spread;
}

/// Follows a ray through the slices from front to back.
Float4 light_along(const Galaxy& galaxy, Vec3f eye, Vec3f ray) noexcept {
  const Float4 bulge = bulge_color * float4(0.5F * bulge_light(eye, ray));
  Float4 light = bulge;  // light of the bulge's near half
  Float4 passes = float4(1);
  const float per_height = 1 / ray.z;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const float distance = (slices[i].z - eye.z) * per_height;
    const Float4 sample = galaxy.at(eye.x + ray.x * distance, eye.y + ray.y * distance);
    light += passes * sample * float4(slices[i].light);
    passes /= float4(1) + dust_depth * float4(sample[3] * slices[i].dust);
    if (i == middle_slice) light += passes * bulge;
  }
  return light + passes * sky;
}

/// Linear light to display values, bright light rolling off softly; gamma 2.
void tone_map(const Float4* light, std::uint8_t* bgrx, int count) noexcept {
  for (int i = 0; i < count; ++i) {
    const Float4 exposed = light[i] * float4(exposure);
    const Float4 rolled = exposed / (float4(1) + exposed);
    for (int channel = 0; channel < 3; ++channel)
      bgrx[i * 4 + 2 - channel] =
          static_cast<std::uint8_t>(std::min(262.0F * std::sqrt(rolled[channel]), 255.0F));
    bgrx[i * 4 + 3] = 255;
  }
}

void add_galaxy(const Galaxy& galaxy, const DemoCamera& camera, const LightRows& rows) noexcept {
  const int width = rows.picture_px.width;
  for (int x_begin = 0; x_begin < width; x_begin += tile_columns) {
    const int x_end = std::min(x_begin + tile_columns, width);
    Float4* light = rows.light.data();
    for (int y = rows.y_begin; y < rows.y_end(); ++y, light += width)
      for (int x = x_begin; x < x_end; ++x)
        light[x] = light_along(galaxy, camera.eye(),
                               camera.ray(static_cast<float>(x), static_cast<float>(y)));
  }
}

}  // namespace

DemoScene::DemoScene() : galaxy_(galaxy_texels) {}

void DemoScene::paint_rows(double phase, const ImageView& picture, int y_begin, int y_end) const {
  const DemoCamera camera(phase, picture.size_px);
  const int width = picture.size_px.width;
  std::vector<Float4> light(static_cast<std::size_t>(width) * band_rows);
  for (int y = y_begin; y < y_end; y += band_rows) {
    const int rows = std::min(band_rows, y_end - y);
    const LightRows band = {
        std::span(light).first(static_cast<std::size_t>(width) * static_cast<std::size_t>(rows)),
        picture.size_px, y};
    add_galaxy(galaxy_, camera, band);
    stars_.add_to(band, camera, phase);
    for (int row = 0; row < rows; ++row)
      tone_map(light.data() + static_cast<std::ptrdiff_t>(row) * width, picture.row(y + row),
               width);
  }
}

void paint_demo_caption(const std::string& text, const ImageView& picture) {
  const SizePx size = picture.size_px;
  const int scale = std::max(1, size.height / 240);
  const int letter_px = 7 * scale;
  const int margin = 6 * scale;
  const int y = size.height - margin - text_size_px(text, letter_px).height;
  draw_text(picture, {margin, y}, "tilewall", letter_px, Rgb{150, 160, 180});
  draw_text(picture, {size.width - margin - text_size_px(text, letter_px).width, y}, text,
            letter_px, Rgb{110, 118, 134});
}

}  // namespace tilewall::render
