#include "player/volume/caster/picture_maker.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "player/scene/volume_style.hpp"
#include "player/volume/caster/annotations.hpp"
#include "render/volume/coarse_cast.hpp"
#include "render/volume/refinement.hpp"
#include "sync/global_time.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::volume {
namespace {

constexpr int most_coarse = 5;  // one ray for 32 x 32 pixels
// A transfer function's opacities are for a layer of 1/64 of the volume's longest side.
constexpr double layers_across = 64;
// With fewer, some rays through a sheet of a voxel or two have one sample and others two, which
// shows as rings.
constexpr double least_samples_across = 16;
// A step of one voxel shows as rings and jagged edges where a voxel covers many pixels, so by
// default a step covers at most 4 pixels. Volumes of 16^3 and 32^3 are within 40 dB of a step of
// 1/16 voxel then. A volume of 256 voxels or more along its longest side has one sample a voxel, so
// that no small volume takes more samples than such a one does.
constexpr double most_step_px = 4;
constexpr double most_default_samples_across = 256;

struct Sides {
  double shortest;
  double longest;
};
Sides sides_of(const VolumeWhole& whole) noexcept {
  const Vec3d spacing = whole.place.spacing;
  const render::VolumeSize size = whole.size;
  const auto [shortest, longest] =
      std::minmax({spacing.x * (size.x - 1), spacing.y * (size.y - 1), spacing.z * (size.z - 1)});
  return {shortest, longest};
}

/// Side of a cube with the volume of a voxel. The shortest side of voxels that are not cubes would
/// need more samples, which show nothing new.
double voxel_side(const render::VolumePlace& place) noexcept {
  const Vec3d spacing = place.spacing;
  return std::cbrt(spacing.x * spacing.y * spacing.z);
}

/// The number of samples a voxel where the style names none. `pixel` is the side of one at the
/// distance of look_at, in world units. A power of two, so that it seldom changes while a camera
/// moves.
double default_samples_per_voxel(const render::Volume& volume, const VolumeWhole& whole,
                                 double pixel) noexcept {
  const double voxel = voxel_side(volume.place());
  const double wanted = voxel / (most_step_px * pixel);
  const double most = std::min(most_default_samples_across * voxel / sides_of(whole).longest,
                               scene::densest_sampling);
  double samples = 1;
  while (samples < wanted && 2 * samples <= most) samples *= 2;
  return samples;
}

double samples_per_voxel(const scene::VolumeStyle& style, const render::Volume& volume,
                         const VolumeWhole& whole, double pixel) noexcept {
  const double least = least_samples_across * voxel_side(volume.place()) / sides_of(whole).shortest;
  return std::max(style.samples_per_voxel.value_or(default_samples_per_voxel(volume, whole, pixel)),
                  std::min(least, scene::densest_sampling));
}

/// All but the step.
render::CastStyle cast_style(const scene::VolumeStyle& style, const VolumeWhole& whole) {
  render::CastStyle cast;
  cast.mode = style.mode;
  cast.shading = style.lit ? render::Shading::headlight : render::Shading::none;
  cast.lighting = style.lighting;
  cast.background = style.background;
  cast.iso_value = scene::styled_iso(style, values_for(style, whole));
  return cast;
}

/// The distance of samples, in world units, for pixels of that side.
double step_for(const ReadyTimestep& timestep, const scene::VolumeStyle& style, double pixel) {
  return voxel_side(timestep.volume.place()) /
         samples_per_voxel(style, timestep.volume, timestep.whole, pixel);
}

/// Sets the caster to a style, and to the distance of samples for pixels of that side. Returns
/// whether it had another one.
bool set_style(ReadyTimestep& timestep, const RequestedStyle& requested, double pixel,
               int threads) {
  const double step = step_for(timestep, requested.style, pixel);
  if (timestep.style == requested.text && timestep.step == step) return false;
  const sync::TraceSpan span("style");
  ShownLook look = look_of(timestep, requested.style);
  look.style.step = step;
  timestep.caster.set_style(look.function, look.style, threads);
  timestep.step = step;
  timestep.function = look.function;
  timestep.range =
      scene::covered_range(requested.style, values_for(requested.style, timestep.whole));
  timestep.style = requested.text;
  return true;
}

/// Whether every pixel is the background's.
bool shows_nothing(const ImageView& picture, const render::Rgba& background) {
  const std::size_t row_bytes = static_cast<std::size_t>(picture.size_px.width) * 4;
  const std::uint8_t* const first = picture.row(0);
  const float bgr[] = {background.b, background.g, background.r};
  for (std::size_t c = 0; c < 3; ++c)
    if (std::abs(static_cast<float>(first[c]) - 255 * bgr[c]) > 1) return false;
  if (std::memcmp(first, first + 4, row_bytes - 4) != 0) return false;
  for (int y = 1; y < picture.size_px.height; ++y)
    if (std::memcmp(first, picture.row(y), row_bytes) != 0) return false;
  return true;
}

std::uint64_t ns_since(LocalInstant began) {
  return static_cast<std::uint64_t>((local_now() - began).count());
}

/// The style's clip box, in voxels of the volume in memory, which may be a part of the whole. A
/// side that is not clipped has no limit, so that it is drawn to its end.
render::VolumeClip clip_of(const scene::VolumeStyle& style, const render::Volume& volume,
                           const VolumeWhole& whole) {
  render::VolumeClip clip;
  const Vec3d begin = volume.voxel_of_world(whole.place.origin);
  const Vec3d side = whole.place.spacing;
  const Vec3d own = volume.place().spacing;
  const Vec3d end =
      begin + Vec3d{side.x / own.x * (whole.size.x - 1), side.y / own.y * (whole.size.y - 1),
                    side.z / own.z * (whole.size.z - 1)};
  const auto low = [](double share, double from, double to) {
    return share > 0 ? from + share * (to - from) : 0.0;
  };
  const auto high = [](double share, double from, double to) {
    return share < 1 ? from + share * (to - from) : double{render::max_volume_side};
  };
  clip.box_min = {low(style.clip_min[0], begin.x, end.x), low(style.clip_min[1], begin.y, end.y),
                  low(style.clip_min[2], begin.z, end.z)};
  clip.box_max = {high(style.clip_max[0], begin.x, end.x), high(style.clip_max[1], begin.y, end.y),
                  high(style.clip_max[2], begin.z, end.z)};
  clip.planes = style.clip_planes;
  return clip;
}

render::CastView view_of(const ReadyTimestep& timestep, const scene::VolumeStyle& style,
                         const CastMessage& request) {
  return {camera_of(request),
          {request.picture_width, request.picture_height},
          clip_of(style, timestep.volume, timestep.whole),
          tilt_of(request)};
}

/// The side of a pixel at the distance of look_at, in world units. It is that of the region, which
/// is the same on panels of other pixel densities.
double focus_pixel(const CastMessage& request, const render::CastView& view) {
  if (request.region_width < 1 || request.region_height < 1)
    return render::pixel_side_at_focus(view.camera, view.picture_px);
  return render::pixel_side_at_focus(region_camera_of(request),
                                     {request.region_width, request.region_height});
}

}  // namespace

render::ValueRange values_for(const scene::VolumeStyle& style, const VolumeWhole& whole) noexcept {
  return style.scale.taken(whole.values, whole.least_above_zero);
}

ShownLook look_of(const ReadyTimestep& timestep, const scene::VolumeStyle& style) {
  const render::Volume& volume = timestep.volume;
  const render::ValueRange values = values_for(style, timestep.whole);
  const double unit =
      std::max(sides_of(timestep.whole).longest, voxel_side(volume.place())) / layers_across;
  ShownLook look{scene::styled_function(style, values, unit), cast_style(style, timestep.whole),
                 style.samples_per_voxel.value_or(1)};
  // Decided for all of the volume, so that the detail is drawn as on other hosts.
  if (timestep.whole.cells && render::can_refine(look.style.mode, look.function))
    look.style.refine = render::changes_sharply(
        *timestep.whole.cells,
        render::TransferTable(look.function, voxel_side(timestep.whole.place)));
  look.style.iso_colour = look.function.at(look.style.iso_value);
  look.style.iso_colour.a = 1;
  return look;
}

PictureCost make_picture(ReadyTimestep& timestep, const RequestedStyle& style,
                         const CastMessage& request, const ImageView& to, int threads) {
  PictureCost cost;
  const LocalInstant began = local_now();
  const render::CastView view = view_of(timestep, style.style, request);
  const bool is_new = set_style(timestep, style, focus_pixel(request, view), threads);
  cost.style_ns = ns_since(began);
  const RectPx part{request.x, request.y, request.width, request.height};
  const int coarse = std::min(request.coarser_by, most_coarse);
  cost.samples = coarse == 0
                     ? timestep.caster.cast(view, part, to, threads)
                     : render::cast_coarse(timestep.caster, view, part, 1 << coarse, to, threads);
  const LocalInstant cast = local_now();
  cost.times = timestep.caster.times();
  if (!is_new) cost.times.occupancy_ns = 0;
  cost.blank = coarse == 0 && shows_nothing(to, style.style.background);
  const std::string note = note_of(request);
  const std::string label = timestep.words.label + (note.empty() ? "" : "  " + note);
  annotate(
      to, part, view,
      {style.style, *timestep.function, timestep.range, timestep.words, timestep.whole, label});
  cost.annotate_ns = ns_since(cast);
  return cost;
}

render::FloatPicture make_float_picture(const ReadyTimestep& timestep, const RequestedStyle& style,
                                        const CastMessage& request, int threads) {
  const render::CastView view = view_of(timestep, style.style, request);
  ShownLook look = look_of(timestep, style.style);
  look.style.step = step_for(timestep, style.style, focus_pixel(request, view));
  const RectPx part{request.x, request.y, request.width, request.height};
  return render::cast_scalar(timestep.volume, look.function, look.style, view, part, threads);
}

}  // namespace tilewall::volume
