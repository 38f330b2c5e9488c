#include "render/volume/scalar_caster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "render/volume/refinement.hpp"
#include "render/volume/shared_work.hpp"
#include "render/volume/tiled_voxels.hpp"

namespace tilewall::render {
namespace {

float lerp(float from, float to, float part) noexcept { return from + part * (to - from); }

template <typename T>
float sample_stored(const Volume& volume, Vec3d at) noexcept {
  const VolumeSize size = volume.size();
  const int x = std::clamp(static_cast<int>(at.x), 0, size.x - 2);
  const int y = std::clamp(static_cast<int>(at.y), 0, size.y - 2);
  const int z = std::clamp(static_cast<int>(at.z), 0, size.z - 2);
  const auto fx = static_cast<float>(at.x - x);
  const auto fy = static_cast<float>(at.y - y);
  const auto fz = static_cast<float>(at.z - z);
  if (const TiledVoxels* const tiles = volume.tiles(); tiles != nullptr) {
    const auto along_x = [&](int dy, int dz) {
      return lerp(static_cast<float>(tiles->voxel(x, y + dy, z + dz)),
                  static_cast<float>(tiles->voxel(x + 1, y + dy, z + dz)), fx);
    };
    return lerp(lerp(along_x(0, 0), along_x(1, 0), fy), lerp(along_x(0, 1), along_x(1, 1), fy), fz);
  }
  const std::size_t row = static_cast<std::size_t>(size.x);
  const std::size_t slice = row * static_cast<std::size_t>(size.y);
  const T* corner = volume.voxels<T>().data() + static_cast<std::size_t>(z) * slice +
                    static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x);
  const auto voxel = [&](std::size_t offset) { return static_cast<float>(corner[offset]); };
  const auto along_x = [&](std::size_t offset) {
    return lerp(voxel(offset), voxel(offset + 1), fx);
  };
  return lerp(lerp(along_x(0), along_x(row), fy), lerp(along_x(slice), along_x(slice + row), fy),
              fz);
}

constexpr float nowhere = std::numeric_limits<float>::infinity();
constexpr float hit_opacity = 0.5F;  // of a composite's first hit

/// What a ray has found.
struct FoundLight {
  Rgba colour;           ///< Multiplied by its opacity
  double hit = nowhere;  ///< Number of samples from the ray's start to the first hit
};

/// Casts one ray at a time through one volume.
class ScalarRays {
 public:
  ScalarRays(const Volume& volume, const TransferFunction& function, const CastStyle& style,
             const CastView& view)
      : volume_(volume),
        style_(style),
        rays_(view.camera, view.picture_px, volume, style.step, view.tilt),
        eye_(view.camera.eye),
        ahead_(normalized(view.camera.look_at - view.camera.eye)),
        clip_(view.clip, volume),
        table_(function, opacity_step(style, function)) {
    if (is_refined(style, function)) fine_table_.emplace(function, style.step / refined_samples);
    const ValueRange range = volume.value_range();
    float flat = range.empty() ? 1 : flat_gradient_share * (range.max - range.min);
    if (table_.key()) flat = static_cast<float>(flat_difference(function));
    flat_squared_ = std::max(flat * flat, std::numeric_limits<float>::min());
  }

  /// Casts the ray of a pixel. `depth` becomes that of FloatPicture.
  [[nodiscard]] Rgba of_pixel(int x, int y, float& depth) const noexcept {
    const SampledRay ray = rays_.of_pixel(x, y);
    const FoundLight found = along(ray, clip_.span_of(ray));
    depth = nowhere;
    if (std::isfinite(found.hit))
      depth = static_cast<float>(
          dot(ahead_, volume_.world_of_voxel(ray.start + found.hit * ray.advance) - eye_));
    return found.colour;
  }

 private:
  [[nodiscard]] FoundLight along(const SampledRay& ray, SampleSpan span) const noexcept {
    switch (style_.mode) {
      case CastMode::composite:
        return composite(ray, span);
      case CastMode::maximum:
        return maximum(ray, span);
      case CastMode::average:
        return average(ray, span);
      case CastMode::isosurface:
        return isosurface(ray, span);
    }
    return {};
  }

  [[nodiscard]] Vec3d inside(Vec3d at) const noexcept {
    const VolumeSize size = volume_.size();
    return {std::clamp(at.x, 0.0, size.x - 1.0), std::clamp(at.y, 0.0, size.y - 1.0),
            std::clamp(at.z, 0.0, size.z - 1.0)};
  }
  [[nodiscard]] Vec3d place(const SampledRay& ray, double k) const noexcept {
    return inside(ray.start + k * ray.advance);
  }
  [[nodiscard]] float value(Vec3d at) const noexcept { return sample_volume(volume_, inside(at)); }
  [[nodiscard]] float value(const SampledRay& ray, double k) const noexcept {
    return sample_volume(volume_, place(ray, k));
  }

  /// |n v| of Lighting, from central differences of one voxel to each side. Dividing the gradient
  /// per voxel by the spacing gives the gradient in the world. The product of gradient and ray is
  /// the same in both spaces.
  [[nodiscard]] float facing(Vec3d at, Vec3d advance) const noexcept {
    if (std::isnan(at.x)) return 0;  // a crossing() in an empty voxel
    const Vec3d spacing = volume_.place().spacing;
    const float gx = value(at + Vec3d{1, 0, 0}) - value(at - Vec3d{1, 0, 0});
    const float gy = value(at + Vec3d{0, 1, 0}) - value(at - Vec3d{0, 1, 0});
    const float gz = value(at + Vec3d{0, 0, 1}) - value(at - Vec3d{0, 0, 1});
    const double least = std::min({spacing.x, spacing.y, spacing.z});
    const Vec3d scaled = {gx * (least / spacing.x), gy * (least / spacing.y),
                          gz * (least / spacing.z)};
    const Vec3d along = (1 / style_.step) * Vec3d{advance.x * spacing.x, advance.y * spacing.y,
                                                  advance.z * spacing.z};  // unit length
    const double squared = dot(scaled, scaled);
    const double facing =
        std::abs(dot(scaled, along)) / std::sqrt(squared + static_cast<double>(flat_squared_));
    return std::isnan(facing) ? 0.0F : static_cast<float>(facing);  // beside an empty voxel
  }

  [[nodiscard]] Rgba lit(Rgba colour, Vec3d at, Vec3d advance) const noexcept {
    const float towards = facing(at, advance);
    const float matt = style_.lighting.ambient + style_.lighting.diffuse * towards;
    const float shine = style_.lighting.specular * std::pow(towards, 16.0F);
    return {colour.r * matt + shine, colour.g * matt + shine, colour.b * matt + shine, colour.a};
  }

  /// Adds a sample behind those that were found.
  void add(Rgba colour, const SampledRay& ray, double k, FoundLight& found) const noexcept {
    Rgba& sum = found.colour;
    if (colour.a <= 0 || sum.a >= opaque_enough) return;
    if (style_.shading == Shading::headlight) colour = lit(colour, place(ray, k), ray.advance);
    const float weight = (1 - sum.a) * colour.a;
    sum.r += weight * colour.r;
    sum.g += weight * colour.g;
    sum.b += weight * colour.b;
    sum.a += weight;
    if (sum.a >= hit_opacity) found.hit = std::min(found.hit, k);
  }

  /// Whether the opacity changes much about two samples, of which `left` of the light reaches the
  /// second one (refinement.hpp).
  [[nodiscard]] bool changes_much(float before, float here, float left) const noexcept {
    if (std::isnan(before) || std::isnan(here)) return false;
    const float reach = refined_reach * std::abs(here - before);
    return table_.change(std::min(before, here) - reach, std::max(before, here) + reach) * left >
           refined_change;
  }

  [[nodiscard]] FoundLight composite(const SampledRay& ray, SampleSpan span) const noexcept {
    FoundLight found;
    const float& opacity = found.colour.a;
    float before = std::numeric_limits<float>::quiet_NaN();
    for (int k = span.first; k <= span.last && opacity < opaque_enough; ++k) {
      const float here = value(ray, k);
      if (fine_table_ && changes_much(before, here, 1 - opacity)) {
        for (int i = 1; i <= refined_samples; ++i) {
          const double between = k - 1 + static_cast<double>(i) / refined_samples;
          add(fine_table_->at(value(ray, between)), ray, between, found);
        }
      } else {
        add(table_.at(here), ray, k, found);
      }
      before = here;
    }
    return found;
  }

  /// Whether a sample counts for a maximum or mean.
  [[nodiscard]] bool is_there(float sample) const noexcept {
    return !std::isnan(sample) && (!table_.key() || table_.key()->takes(sample));
  }

  [[nodiscard]] Rgba of_value(float at) const noexcept {
    const Rgba colour = table_.at(at);
    return {colour.r * colour.a, colour.g * colour.a, colour.b * colour.a, colour.a};
  }

  [[nodiscard]] FoundLight maximum(const SampledRay& ray, SampleSpan span) const noexcept {
    float greatest = -std::numeric_limits<float>::infinity();
    int at = 0;
    for (int k = span.first; k <= span.last; ++k) {
      const float sample = value(ray, k);
      if (!is_there(sample) || sample <= greatest) continue;
      greatest = sample;
      at = k;
    }
    if (std::isinf(greatest)) return {};
    const Rgba colour = of_value(greatest);
    return {colour, colour.a > 0 ? static_cast<double>(at) : nowhere};
  }

  [[nodiscard]] FoundLight average(const SampledRay& ray, SampleSpan span) const noexcept {
    double sum = 0;
    int count = 0;
    for (int k = span.first; k <= span.last; ++k) {
      const float sample = value(ray, k);
      if (!is_there(sample)) continue;
      sum += static_cast<double>(sample);
      ++count;
    }
    if (count == 0) return {};
    return {of_value(static_cast<float>(sum / count))};
  }

  [[nodiscard]] FoundLight isosurface(const SampledRay& ray, SampleSpan span) const noexcept {
    const auto iso = static_cast<float>(style_.iso_value);
    float before = std::numeric_limits<float>::quiet_NaN();
    for (int k = span.first; k <= span.last; ++k) {
      const float here = value(ray, k);
      const bool both = !std::isnan(before) && !std::isnan(here);
      if (both && (before < iso) != (here < iso)) {
        Rgba colour = style_.iso_colour;
        colour.a = 1;
        const double at = crossing(ray, k - 1, before, here);
        return {lit(colour, place(ray, at), ray.advance), at};
      }
      before = here;
    }
    return {};
  }

  /// The place between samples k and k + 1 where the value is iso_value; not a number where that is
  /// in an empty voxel.
  [[nodiscard]] double crossing(const SampledRay& ray, double k, float low_value,
                                float high_value) const noexcept {
    const auto iso = static_cast<float>(style_.iso_value);
    double low = k;
    double high = k + 1;
    for (int i = 0; i < iso_halvings; ++i) {
      const double middle = (low + high) / 2;
      const float here = value(ray, middle);
      if ((here < iso) == (low_value < iso)) {
        low = middle;
        low_value = here;
      } else {
        high = middle;
        high_value = here;
      }
    }
    return low + (high - low) * static_cast<double>((iso - low_value) / (high_value - low_value));
  }

  const Volume& volume_;
  const CastStyle& style_;
  PixelRays rays_;
  const Vec3d eye_;    // in the world, as the next one
  const Vec3d ahead_;  // of length 1
  VoxelClip clip_;
  TransferTable table_;
  std::optional<TransferTable> fine_table_;  ///< Of a refined sample's part of the step
  float flat_squared_ = 0;
};

}  // namespace

float sample_volume(const Volume& volume, Vec3d at) noexcept {
  float stored = 0;
  switch (volume.type()) {
    case VoxelType::u8:
      stored = sample_stored<std::uint8_t>(volume, at);
      break;
    case VoxelType::u16:
      stored = sample_stored<std::uint16_t>(volume, at);
      break;
    case VoxelType::f32:
      stored = sample_stored<float>(volume, at);
      break;
  }
  const ValueScale scale = volume.scale();
  return static_cast<float>(scale.offset + scale.scale * static_cast<double>(stored));
}

FloatPicture cast_scalar(const Volume& volume, const TransferFunction& function,
                         const CastStyle& style, const CastView& view, RectPx part, int threads) {
  const ScalarRays rays(volume, function, style, view);
  FloatPicture picture;
  picture.size_px = {part.width, part.height};
  const auto width = static_cast<std::size_t>(part.width);
  picture.pixels.resize(width * static_cast<std::size_t>(part.height));
  picture.depths.resize(picture.pixels.size());
  share_work(part.height, threads, [&](int y) {
    Rgba* const row = picture.pixels.data() + static_cast<std::size_t>(y) * width;
    float* const depths = picture.depths.data() + static_cast<std::size_t>(y) * width;
    for (int x = 0; x < part.width; ++x) row[x] = rays.of_pixel(part.x + x, part.y + y, depths[x]);
  });
  return picture;
}

void write_pixels(const FloatPicture& picture, const Rgba& background,
                  const ImageView& to) noexcept {
  const auto level = [](float channel) {
    return static_cast<std::uint8_t>(std::clamp(channel * 255 + 0.5F, 0.0F, 255.0F));
  };
  const Rgba* from = picture.pixels.data();
  for (int y = 0; y < picture.size_px.height; ++y)
    for (int x = 0; x < picture.size_px.width; ++x, ++from) {
      std::uint8_t* pixel = to.pixel(x, y);
      const float rest = 1 - from->a;
      pixel[0] = level(from->b + rest * background.b);
      pixel[1] = level(from->g + rest * background.g);
      pixel[2] = level(from->r + rest * background.r);
      pixel[3] = 255;
    }
}

}  // namespace tilewall::render
