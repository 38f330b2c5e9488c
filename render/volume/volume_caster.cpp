#include "render/volume/volume_caster.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "render/volume/cast_plan.hpp"
#include "render/volume/cell_ranges.hpp"
#include "render/volume/refinement.hpp"
#include "render/volume/shared_work.hpp"
#include "render/volume/split_time.hpp"
#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

/// Above this share of needed cells, finding them costs more than skipping saves.
constexpr double most_worth_skipping = 0.9;
constexpr std::int64_t most_indexed = std::numeric_limits<std::int32_t>::max();

void copy_axes(Vec3d from, float* to) noexcept {
  const auto axes = axes_of(from);
  for (std::size_t i = 0; i < 3; ++i) to[i] = static_cast<float>(axes[i]);
}

CastBeamFn kernel_for(CastFamily family, const CastPlan& plan) noexcept {
  switch (family) {
    case CastFamily::scalar:
      return nullptr;
#ifdef __x86_64__
    case CastFamily::avx2:
      return cast_beam_avx2(plan);
    case CastFamily::avx512:
      return cast_beam_avx512(plan);
    case CastFamily::vnni:
      return cast_beam_vnni(plan);
#else
    default:
      return nullptr;
#endif
  }
  return nullptr;
}

/// Marks that divide the range of the stored numbers evenly.
CellMarks marks_of(const ValueRange& all) noexcept {
  if (!(all.min < all.max)) return {};
  const float range = all.max - all.min;
  const float per_stored = 254 / range;
  // The numbers may be as great or as small as floats can be.
  if (!std::isfinite(range) || !std::isfinite(per_stored)) return {};
  return {per_stored, all.min};
}

/// The style of a view that takes every `stride`th sample.
CastStyle strided(CastStyle style, int stride, bool rough) noexcept {
  style.step *= stride;
  if (rough) style.refine = false;
  return style;
}

/// Number of slices that a run may span: kernels index with 32 bits from its slice on.
int most_slices(const Volume& volume, const CastPlan& plan) noexcept {
  if (volume.type() == VoxelType::u8)  // a run begins with a tile
    return static_cast<int>((most_indexed / plan.quads.slice - 1) * tile_sides[2]);
  const VolumeSize size = volume.size();
  const std::int64_t slice = std::int64_t{size.x} * std::int64_t{size.y};
  return static_cast<int>(std::min(most_indexed / slice, most_indexed));
}

}  // namespace

int rough_stride(const CastView& view, double step) {
  const double steps = 2 * pixel_side_at_focus(view.camera, view.picture_px) / step;
  if (!(steps >= 1)) return 1;  // a camera that looks nowhere is refused by its rays
  return static_cast<int>(std::min(steps, double{most_rough_stride}));
}

const char* name_of(CastFamily family) noexcept {
  switch (family) {
    case CastFamily::avx2:
      return "avx2";
    case CastFamily::avx512:
      return "avx512";
    case CastFamily::vnni:
      return "vnni";
    case CastFamily::scalar:
      break;
  }
  return "scalar";
}

bool is_available(CastFamily family) noexcept {
#ifdef __x86_64__
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (family == CastFamily::avx2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (family == CastFamily::avx512) return avx512;
  if (family == CastFamily::vnni) return avx512 && __builtin_cpu_supports("avx512vnni");
#endif
  return family == CastFamily::scalar;
}

CastFamily best_family() noexcept {
  for (const CastFamily family : {CastFamily::vnni, CastFamily::avx512, CastFamily::avx2})
    if (is_available(family)) return family;
  return CastFamily::scalar;
}

VolumeCaster::VolumeCaster(const Volume& volume, CastFamily family, int threads,
                           std::shared_ptr<const TiledVoxels> packed)
    : volume_(volume),
      family_(family),
      packed_(std::move(packed)),
      plan_(std::make_unique<CastPlan>()) {
  TW_CHECK(is_available(family), "{}", name_of(family));
  CastPlan& plan = *plan_;
  plan.type = volume.type();
  plan.size[0] = volume.size().x;
  plan.size[1] = volume.size().y;
  plan.size[2] = volume.size().z;
  if (family_ == CastFamily::scalar) return;
  switch (volume.type()) {
    case VoxelType::u8:
      if (volume.tiles() == nullptr && !packed_) packed_ = pack_voxels(volume.array(), threads);
      plan.quads = (packed_ ? packed_.get() : volume.tiles())->layout();
      break;
    case VoxelType::u16:
      plan.voxels = volume.voxels<std::uint16_t>().data();
      break;
    case VoxelType::f32:
      plan.voxels = volume.voxels<float>().data();
      break;
  }
}

void VolumeCaster::set_style(const TransferFunction& function, const CastStyle& style,
                             int threads) {
  function_ = function;
  style_ = style;
  const ValueScale scale = volume_.scale();
  CastPlan& plan = *plan_;
  plan.mode = style.mode;
  plan.lit = style.mode == CastMode::composite && style.shading == Shading::headlight;
  plan.lighting = style.lighting;
  plan.iso_colour = style.iso_colour;
  plan.iso_stored = static_cast<float>((style.iso_value - scale.offset) / scale.scale);
  plan.background = style.background;
  const Vec3d spacing = volume_.place().spacing;
  const double least = std::min({spacing.x, spacing.y, spacing.z});
  copy_axes({least / spacing.x, least / spacing.y, least / spacing.z}, plan.gradient_scale);
  const ValueRange range = volume_.value_range();
  double flat = range.empty() ? 1
                              : static_cast<double>(flat_gradient_share) *
                                    static_cast<double>(range.max - range.min) / scale.scale;
  if (!function.curve().is_linear()) flat = flat_difference(function) / scale.scale;
  plan.flat_squared = std::max(static_cast<float>(flat * flat), std::numeric_limits<float>::min());
  const TransferTable table = set_stride(1);
  const auto began = std::chrono::steady_clock::now();
  const bool is_maximum = style.mode == CastMode::maximum;
  const CellMarks marks = marks_of(volume_.stored_range());
  if (is_maximum)
    occupancy_.emplace(volume_, threads, marks);
  else
    occupancy_.emplace(needed_cells(volume_, table, style, threads));
  times_.occupancy_ns = ns_since(began);
  plan.cells = {};
  if (is_maximum || occupancy_->share() < most_worth_skipping) plan.cells = occupancy_->base();
  plan.cells.marks = marks;
}

/// Sets the part of the plan that depends on the distance of samples. Returns the table that it is
/// made of.
TransferTable VolumeCaster::set_stride(int stride) {
  stride_ = stride;
  const CastStyle style = strided(style_, stride, false);
  const double step = opacity_step(style, *function_);
  plan_->bins = bins_of(*function_, step, volume_.scale());
  TransferTable table(*function_, step);
  fill_levels(table, volume_.scale(), plan_->levels);
  if (is_refined(style, *function_))
    fill_refinement(table, TransferTable(*function_, step / refined_samples), plan_->refinement);
  copy_axes((1 / style.step) * volume_.place().spacing, plan_->along_scale);
  return table;
}

double VolumeCaster::needed_share() const noexcept { return occupancy_ ? occupancy_->share() : 1; }

void VolumeCaster::fill_ray_plan(CastPlan& plan, const PixelRays& rays,
                                 const VoxelClip& clip) const {
  plan.perspective = rays.lens == Lens::perspective;
  plan.centre_px[0] = static_cast<float>(rays.centre_px.x);
  plan.centre_px[1] = static_cast<float>(rays.centre_px.y);
  copy_axes(rays.eye, plan.eye);
  copy_axes(rays.ahead, plan.ahead);
  copy_axes(rays.right, plan.right);
  copy_axes(rays.down, plan.down);
  plan.slope = static_cast<float>(rays.slope);
  plan.stretch = static_cast<float>(rays.stretch);
  plan.skew = static_cast<float>(rays.skew);
  copy_axes(clip.box_min, plan.box_min);
  copy_axes(clip.box_max, plan.box_max);
  plan.planes = static_cast<int>(clip.planes.size());
  for (std::size_t i = 0; i < clip.planes.size(); ++i) {
    copy_axes(clip.planes[i].normal, plan.plane[i]);
    plan.plane[i][3] = static_cast<float>(clip.planes[i].offset);
  }
}

std::uint64_t VolumeCaster::cast(const CastView& view, RectPx part, const ImageView& to,
                                 int threads) {
  return run(view, part, to, threads, false);
}

std::uint64_t VolumeCaster::sample_only(const CastView& view, RectPx part, const ImageView& to,
                                        int threads) {
  return run(view, part, to, threads, true);
}

std::uint64_t VolumeCaster::run(const CastView& view, RectPx part, const ImageView& to, int threads,
                                bool sum_only) {
  TW_CHECK(function_.has_value());
  TW_CHECK((to.size_px == SizePx{part.width, part.height}), "{}x{}", part.width, part.height);
  const int stride = view.rough ? rough_stride(view, style_.step) : 1;
  if (stride != stride_) set_stride(stride);
  const CastStyle style = strided(style_, stride, view.rough);
  const auto by_reference = [&](RectPx rect, int on_threads) {
    const FloatPicture picture = cast_scalar(volume_, *function_, style, view, rect, on_threads);
    write_pixels(
        picture, style_.background,
        {to.pixel(rect.x - part.x, rect.y - part.y), {rect.width, rect.height}, to.stride_bytes});
  };
  plan_->sum_only = sum_only;
  plan_->refine = is_refined(style, *function_);
  const CastBeamFn kernel = kernel_for(family_, *plan_);
  if (kernel == nullptr) {
    by_reference(part, threads);
    return 0;
  }
  const PixelRays rays(view.camera, view.picture_px, volume_, style.step, view.tilt);
  const VoxelClip clip(view.clip, volume_);
  fill_ray_plan(*plan_, rays, clip);
  const bool look_back = style_.mode == CastMode::isosurface || plan_->refine;
  const BeamLister lister(rays, clip, volume_, *occupancy_,
                          {look_back, plan_->lit, plan_->mode == CastMode::maximum});
  const int max_slices = most_slices(volume_, *plan_);

  const auto beams_before = [](int px) {
    return static_cast<int>(std::floor(static_cast<double>(px) / beam_side_px));
  };
  const int first_x = beams_before(part.x);
  const int first_y = beams_before(part.y);
  const int columns = beams_before(part.right() + beam_side_px - 1) - first_x;
  const int rows = beams_before(part.bottom() + beam_side_px - 1) - first_y;
  std::atomic<std::uint64_t> samples{0};  // read after the threads are joined, as the next two
  std::atomic<std::uint64_t> beams_ns{0};
  std::atomic<std::uint64_t> sample_ns{0};
  share_work(rows, threads, [&](int row) {
    SplitTime time;
    std::vector<BeamRun> runs;
    std::uint64_t taken = 0;
    for (int column = 0; column < columns; ++column) {
      Beam beam;
      beam.x = (first_x + column) * beam_side_px;
      beam.y = (first_y + row) * beam_side_px;
      beam.x0 = std::max(beam.x, part.x);
      beam.y0 = std::max(beam.y, part.y);
      beam.x1 = std::min(beam.x + beam_side_px, part.right());
      beam.y1 = std::min(beam.y + beam_side_px, part.bottom());
      beam.pixels = to.pixel(beam.x0 - part.x, beam.y0 - part.y);
      beam.stride_bytes = to.stride_bytes;
      time.begin_first();
      const bool fits = lister.list(beam.x, beam.y, max_slices, runs);
      time.end_first();
      if (plan_->quads.quads != nullptr)
        for (BeamRun& run : runs) run.slice -= run.slice % tile_sides[2];
      if (fits)
        taken += kernel(*plan_, beam, runs);
      else
        by_reference({beam.x0, beam.y0, beam.x1 - beam.x0, beam.y1 - beam.y0}, 1);
    }
    const SplitTime::Cpu spent = time.cpu();
    samples.fetch_add(taken, std::memory_order_relaxed);
    beams_ns.fetch_add(spent.first_ns, std::memory_order_relaxed);
    sample_ns.fetch_add(spent.rest_ns, std::memory_order_relaxed);
  });
  times_.beams_cpu_ns = beams_ns;
  times_.sample_cpu_ns = sample_ns;
  return samples.load(std::memory_order_relaxed);
}

}  // namespace tilewall::render
