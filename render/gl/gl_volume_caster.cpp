#include "render/gl/gl_volume_caster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/gl/brick_atlas.hpp"
#include "render/gl/gl_engine.hpp"
#include "render/volume/cell_ranges.hpp"
#include "render/volume/refinement.hpp"
#include "render/volume/split_time.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

void copy_axes(Vec3d from, float (&to)[4]) noexcept {
  const auto axes = axes_of(from);
  for (std::size_t i = 0; i < 3; ++i) to[i] = static_cast<float>(axes[i]);
}

void copy_colour(const Rgba& from, float (&to)[4]) noexcept {
  to[0] = from.r;
  to[1] = from.g;
  to[2] = from.b;
  to[3] = from.a;
}

float clamped(double value) noexcept {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -most, most));
}

/// value = offset + scale * texel. Textures of whole numbers return shares of the largest number.
ValueScale texel_scale(const Volume& volume) noexcept {
  ValueScale scale = volume.scale();
  if (volume.type() == VoxelType::u8) scale.scale *= 255;
  if (volume.type() == VoxelType::u16) scale.scale *= 65535;
  return scale;
}

void fill_ray_numbers(const CastView& view, const PixelRays& rays, const VoxelClip& clip,
                      CastNumbers& numbers) {
  copy_axes(rays.eye, numbers.eye);
  copy_axes(rays.ahead, numbers.ahead);
  copy_axes(rays.right, numbers.right);
  copy_axes(rays.down, numbers.down);
  numbers.eye[3] = view.camera.lens == Lens::perspective ? 1 : 0;
  numbers.ahead[3] = static_cast<float>(rays.slope);
  numbers.right[3] = static_cast<float>(rays.centre_px.x);
  numbers.down[3] = static_cast<float>(rays.centre_px.y);
  copy_axes(clip.box_min, numbers.box_min);
  copy_axes(clip.box_max, numbers.box_max);
  numbers.box_min[3] = static_cast<float>(rays.stretch);
  numbers.box_max[3] = static_cast<float>(rays.skew);
  for (std::size_t i = 0; i < clip.planes.size(); ++i) {
    copy_axes(clip.planes[i].normal, numbers.planes[i]);
    numbers.planes[i][3] = static_cast<float>(clip.planes[i].offset);
  }
  numbers.size[3] = static_cast<std::int32_t>(clip.planes.size());
}

void fill_table_numbers(const ValueScale& scale, const TransferTable& table, CastNumbers& numbers) {
  if (const auto& key = table.key()) {
    const auto gain = static_cast<double>(key->gain);
    numbers.curve[0] = clamped(scale.scale * gain);
    numbers.curve[1] = clamped(scale.offset * gain);
    numbers.curve[2] = key->bias;
    numbers.curve[3] = key->above;
    numbers.table[0] = table.first_value();
    numbers.table[1] = table.per_value() / static_cast<float>(TransferTable::intervals);
    return;
  }
  numbers.table[0] =
      clamped((static_cast<double>(table.first_value()) - scale.offset) / scale.scale);
  numbers.table[1] =
      clamped(scale.scale * static_cast<double>(table.per_value()) / TransferTable::intervals);
}

void fill_style_numbers(const Volume& volume, const CastStyle& style,
                        const TransferFunction& function, const TransferTable& table,
                        CastNumbers& numbers) {
  const ValueScale scale = texel_scale(volume);
  const Vec3d spacing = volume.place().spacing;
  const double least = std::min({spacing.x, spacing.y, spacing.z});
  copy_axes((1 / style.step) * spacing, numbers.along_scale);
  // Values are shares of their range here, so flat_gradient_share is one, too, and no square
  // overflows.
  const ValueRange range = volume.value_range();
  const double span =
      range.empty() ? 0 : static_cast<double>(range.max) - static_cast<double>(range.min);
  const double share = span > 0 ? scale.scale / span : 0;
  copy_axes((share * least) * Vec3d{1 / spacing.x, 1 / spacing.y, 1 / spacing.z},
            numbers.gradient_scale);
  numbers.along_scale[3] = style.lighting.ambient;
  numbers.gradient_scale[3] = style.lighting.diffuse;
  numbers.atlas_scale[3] = style.lighting.specular;
  numbers.atlas_scale[2] = clamped((style.iso_value - scale.offset) / scale.scale);
  fill_table_numbers(scale, table, numbers);
  const double flat =
      function.curve().is_linear() || !(span > 0) ? 0 : flat_difference(function) / span;
  numbers.table[2] = flat > 0 ? std::max(clamped(flat * flat), std::numeric_limits<float>::min())
                              : flat_gradient_share * flat_gradient_share;
  copy_colour(style.iso_colour, numbers.iso_colour);
  copy_colour(style.background, numbers.background);
}

/// Marks the cells in which a sample beside a needed one may lie, at most a step apart: a ray finds
/// an isosurface by the samples on both sides, and refines between two.
void widen_by_step(const Volume& volume, double step, std::vector<std::uint8_t>& cells) {
  const CellGrid& grid = volume.cells();
  const auto reach = [&](double spacing, int most) {
    return static_cast<int>(std::min<double>(std::ceil(step / (spacing * grid.side)), most));
  };
  const Vec3d spacing = volume.place().spacing;
  widen(grid, cells,
        {reach(spacing.x, grid.x), reach(spacing.y, grid.y), reach(spacing.z, grid.z)});
}

/// Limit of the samples of a ray through all of the volume.
int most_samples_of(const Volume& volume, double step) noexcept {
  const VolumeSize size = volume.size();
  const Vec3d far{size.x - 1.0, size.y - 1.0, size.z - 1.0};
  const double across = length(volume.world_of_voxel(far) - volume.world_of_voxel({0, 0, 0}));
  return static_cast<int>(std::min(across / step + 2, PixelRays::max_samples));
}

}  // namespace

GlVolumeCaster::GlVolumeCaster(GlEngine& engine, const Volume& volume)
    : engine_(engine), volume_(volume), atlas_(std::make_shared<BrickAtlas>(volume)) {}

GlVolumeCaster::~GlVolumeCaster() = default;

void GlVolumeCaster::set_style(const TransferFunction& function, const CastStyle& style,
                               int threads) {
  TransferTable table(function, opacity_step(style, function));
  const auto began = std::chrono::steady_clock::now();
  const Occupancy occupancy = needed_cells(volume_, table, style, threads);
  std::vector<std::uint8_t> cells(occupancy.cells().begin(), occupancy.cells().end());
  const bool refines = is_refined(style, function);
  if (style.mode == CastMode::isosurface || refines) widen_by_step(volume_, style.step, cells);
  auto needed = std::make_unique<NeededBricks>(needed_bricks(volume_, cells, threads));
  times_.occupancy_ns = ns_since(began);
  const std::size_t bytes = atlas_bytes(volume_, *needed);
  if (bytes > engine_.cache().budget_bytes())
    throw GlTooLarge(fmt::format("{}: a volume needs {} MiB, of {} MiB for volumes",
                                 engine_.renderer(), bytes >> 20,
                                 engine_.cache().budget_bytes() >> 20));
  function_ = function;
  table_ = std::move(table);
  fine_table_.reset();
  if (refines) fine_table_.emplace(function, style.step / refined_samples);
  style_ = style;
  needed_ = std::move(needed);
  is_filled_ = false;
}

std::uint64_t GlVolumeCaster::cast(const CastView& view, RectPx part, const ImageView& to,
                                   int threads) {
  TW_CHECK(needed_ != nullptr);
  TW_CHECK((to.size_px == SizePx{part.width, part.height}), "{}x{}", part.width, part.height);
  const PixelRays rays(view.camera, view.picture_px, volume_, style_.step, view.tilt);
  const VoxelClip clip(view.clip, volume_);
  engine_.cache().take(atlas_, std::max(atlas_->bytes(), atlas_bytes(volume_, *needed_)));
  if (!is_filled_ || atlas_->is_empty()) atlas_->fill(engine_.device(), *needed_, threads);
  is_filled_ = true;
  CastNumbers numbers;
  fill_ray_numbers(view, rays, clip, numbers);
  fill_style_numbers(volume_, style_, *function_, *table_, numbers);
  numbers.atlas_scale[0] = 1.0F / static_cast<float>(atlas_->width());
  numbers.atlas_scale[1] = 1.0F / static_cast<float>(atlas_->height());
  numbers.size[0] = volume_.size().x;
  numbers.size[1] = volume_.size().y;
  numbers.size[2] = volume_.size().z;
  numbers.part[0] = part.x;
  numbers.part[1] = part.y;
  numbers.part[2] = part.width;
  numbers.part[3] = part.height;
  numbers.cells[0] = volume_.cells().side == 8 ? 3 : 2;
  numbers.cells[1] = iso_halvings;
  const CastVariant variant{
      style_.mode, style_.mode == CastMode::composite && style_.shading == Shading::headlight,
      volume_.type() == VoxelType::f32, table_->key().has_value(), fine_table_ && !view.rough};
  const int most_samples =
      most_samples_of(volume_, variant.refine ? style_.step / refined_samples : style_.step);
  const std::uint64_t samples =
      engine_.cast(variant, *atlas_, *table_, variant.refine ? &*fine_table_ : nullptr, numbers,
                   most_samples, to, threads);
  times_.gpu_ns = engine_.gpu_ns();
  return samples;
}

}  // namespace tilewall::render
