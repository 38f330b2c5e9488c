#include "player/bench/render_rows.hpp"

#include "player/bench/common.hpp"

namespace tilewall::bench {
namespace {

constexpr SizePx compared_px = {160, 128};
// Timers below this are blind: llvmpipe's does not see compute shaders.
constexpr double blind_timer_ms = 1e-3;
constexpr double first_turn = 30;  // degrees

double psnr_to_reference(const render::Volume& volume, render::PictureCaster& caster,
                         const render::TransferFunction& function, const render::CastStyle& style,
                         int threads) {
  const render::CastView view = turned_view(volume.size().x, compared_px, first_turn);
  RenderPixels fast(compared_px);
  RenderPixels exact(compared_px);
  caster.cast(view, whole_picture(view), fast.view(), threads);
  render::write_pixels(
      render::cast_scalar(volume, function, style, view, whole_picture(view), threads),
      style.background, exact.view());
  return psnr_db(fast, exact);
}

std::vector<render::CastView> bench_views(int side, SizePx picture_px) {
  std::vector<render::CastView> views;
  views.reserve(3);
  for (int i = 0; i < 3; ++i) views.push_back(turned_view(side, picture_px, first_turn + 37 * i));
  return views;
}

/// Times of pictures from three sides; CPU time is per thread.
struct RenderTimes {
  std::vector<double> wall_ms;
  std::vector<double> cpu_ms;
  double samples = 0;  ///< Samples of all runs
  [[nodiscard]] double samples_m_per_s() const {
    double sum_ms = 0;
    for (const double ms : cpu_ms) sum_ms += ms;
    return samples / sum_ms / 1e3;
  }
};

template <typename Cast>
RenderTimes time_runs(const std::vector<render::CastView>& views, int runs, int threads,
                      Cast&& cast) {
  RenderTimes times;
  for (int run = -1; run < runs; ++run) {  // the first one warms up
    const render::CastView& view = views[static_cast<std::size_t>(run + 3) % views.size()];
    const double wall_before = render_now_ms();
    const double cpu_before = process_cpu_s();
    const std::uint64_t samples = cast(view);
    if (run < 0) continue;
    times.wall_ms.push_back(render_now_ms() - wall_before);
    times.cpu_ms.push_back((process_cpu_s() - cpu_before) * 1e3 / threads);
    times.samples += static_cast<double>(samples);
  }
  return times;
}

/// Adds VTK's times for the same pictures, and the distance of the first one. The ratio is of CPU
/// times by the processor, and of elapsed times by a GPU: ours with the picture's way to memory.
void add_vtk(nlohmann::json& row, const VtkCaster& vtk, VtkMapper mapper, const RenderScene& scene,
             const std::vector<render::CastView>& views, render::PictureCaster& caster,
             int threads) {
  const auto times = vtk.cast(scene.function, scene.style, views, mapper, threads);
  if (!times) return;
  RenderPixels ours(views.front().picture_px);
  RenderPixels theirs(views.front().picture_px);
  caster.cast(views.front(), whole_picture(views.front()), ours.view(), threads);
  if (times->picture.size() != theirs.bytes().size() / 4 * 3) return;
  theirs.set_rgb(times->picture);
  row["vtk_ms"] = median(times->wall_ms);
  row["vtk_cpu_ms"] = median(times->cpu_ms);
  const char* const compared = mapper == VtkMapper::gpu ? "ms" : "cpu_ms";
  row["ratio_to_vtk"] =
      row.at(std::string("vtk_") + compared).get<double>() / row.at(compared).get<double>();
  row["psnr_to_vtk_db"] = psnr_db(ours, theirs);
}

/// Measures a caster's pictures: their times, and their distance from the reference's.
nlohmann::json measure_pictures(const RenderCase& one, const render::Volume& volume,
                                render::PictureCaster& caster, const RenderRuns& runs,
                                RenderTimes& whole) {
  const int side = volume.size().x;
  const RenderScene scene = scene_of_case(one, side);
  caster.set_style(scene.function, scene.style, runs.threads);
  RenderPixels pixels(runs.picture_px);
  whole = time_runs(bench_views(side, runs.picture_px), runs.count, runs.threads,
                    [&](const render::CastView& view) {
                      return caster.cast(view, whole_picture(view), pixels.view(), runs.threads);
                    });
  nlohmann::json row = {{"scene", scene_name(one, side, runs.picture_px)},
                        {"ms", median(whole.wall_ms)},
                        {"wall_ms", median_and_p95(whole.wall_ms)},
                        {"cpu_ms", median(whole.cpu_ms)},
                        {"psnr_to_reference_db", psnr_to_reference(volume, caster, scene.function,
                                                                   scene.style, runs.threads)}};
  if (whole.samples > 0) row["samples_m"] = whole.samples / 1e6 / runs.count;
  return row;
}

}  // namespace

nlohmann::json measure_on_processor(const RenderCase& one, const render::Volume& volume,
                                    render::VolumeCaster& caster, const RenderRuns& runs,
                                    const std::optional<VtkCaster>& vtk) {
  RenderTimes whole;
  nlohmann::json row = measure_pictures(one, volume, caster, runs, whole);
  row["caster"] = "cpu";
  row["needed_cells_share"] = caster.needed_share();
  RenderPixels pixels(runs.picture_px);
  const std::vector<render::CastView> views = bench_views(volume.size().x, runs.picture_px);
  if (whole.samples > 0) {
    const RenderTimes alone =
        time_runs(views, runs.count, runs.threads, [&](const render::CastView& view) {
          return caster.sample_only(view, whole_picture(view), pixels.view(), runs.threads);
        });
    row["samples_m_per_s"] = whole.samples_m_per_s();
    row["sample_limit_m_per_s"] = alone.samples_m_per_s();
    row["share_of_limit"] = whole.samples_m_per_s() / alone.samples_m_per_s();
  }
  const RenderScene scene = scene_of_case(one, volume.size().x);
  if (vtk) add_vtk(row, *vtk, VtkMapper::processor, scene, views, caster, runs.threads);
  return row;
}

nlohmann::json measure_on_gpu(const RenderCase& one, const render::Volume& volume,
                              TimedGlCaster& caster, const RenderRuns& runs,
                              const std::optional<VtkCaster>& vtk) {
  const RenderScene scene = scene_of_case(one, volume.size().x);
  const std::vector<render::CastView> views = bench_views(volume.size().x, runs.picture_px);
  caster.set_style(scene.function, scene.style, runs.threads);
  RenderPixels pixels(runs.picture_px);
  for (const double began = render_now_ms(); render_now_ms() - began < gpu_warm_up_ms;)
    for (const render::CastView& view : views)
      caster.cast(view, whole_picture(view), pixels.view(), runs.threads);
  RenderTimes whole;
  nlohmann::json row = measure_pictures(one, volume, caster, runs, whole);
  row["caster"] = "gl";
  if (vtk) add_vtk(row, *vtk, VtkMapper::gpu, scene, views, caster, runs.threads);
  const std::vector<double> gpu_ms = caster.gpu_ms(runs.count);
  if (median(gpu_ms) < blind_timer_ms) return row;
  row["gpu_ms"] = median_and_p95(gpu_ms);
  double sum_ms = 0;
  for (const double ms : gpu_ms) sum_ms += ms;
  row["samples_m_per_s"] = whole.samples / sum_ms / 1e3;
  return row;
}

}  // namespace tilewall::bench
