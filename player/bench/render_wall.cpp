#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "player/bench/common.hpp"
#include "player/bench/render_rows.hpp"
#include "player/director/panel_reports.hpp"
#include "render/volume/coarse_cast.hpp"

namespace tilewall::bench {
namespace {

using Json = nlohmann::json;

constexpr int wall_columns = 5;
constexpr int wall_rows = 3;
constexpr int most_wall_runs = 3;  // a wall's picture is fifteen of the others
constexpr int small_side = 256;    // up to here a moving picture has MotionDetail's own time
constexpr double wall_turn = 30;   // degrees, as the rows' first side

template <typename Work>
double taken_ms(Work&& work) {
  const double before = render_now_ms();
  work();
  return render_now_ms() - before;
}

/// CPU time of all threads for `work`.
template <typename Work>
double computed_ms(Work&& work) {
  const double before = process_cpu_s();
  work();
  return (process_cpu_s() - before) * 1e3;
}

std::vector<RectPx> panels_of(SizePx panel_px) {
  std::vector<RectPx> panels;
  for (int row = 0; row < wall_rows; ++row)
    for (int column = 0; column < wall_columns; ++column)
      panels.push_back(
          {column * panel_px.width, row * panel_px.height, panel_px.width, panel_px.height});
  return panels;
}

bool is_crop(const ImageView& whole, const RectPx& part, const ImageView& picture) {
  for (int y = 0; y < part.height; ++y)
    if (std::memcmp(whole.pixel(part.x, part.y + y), picture.row(y),
                    static_cast<std::size_t>(part.width) * 4) != 0)
      return false;
  return true;
}

}  // namespace

Json measure_panels(const RenderCase& one, const render::Volume& volume,
                    render::PictureCaster& caster, const RenderRuns& runs) {
  const SizePx wall_px{wall_columns * runs.picture_px.width, wall_rows * runs.picture_px.height};
  const render::CastView view = turned_view(volume.size().x, wall_px, wall_turn);
  const RenderScene scene = scene_of_case(one, volume.size().x);
  caster.set_style(scene.function, scene.style, runs.threads);
  const std::vector<RectPx> panels = panels_of(runs.picture_px);
  RenderPixels whole(wall_px);
  RenderPixels panel(runs.picture_px);
  caster.cast(view, whole_picture(view), whole.view(), runs.threads);
  std::vector<double> whole_ms;
  std::vector<std::vector<double>> panel_ms(panels.size());
  bool identical = true;
  for (int run = 0; run < std::min(runs.count, most_wall_runs); ++run) {
    whole_ms.push_back(
        computed_ms([&] { caster.cast(view, whole_picture(view), whole.view(), runs.threads); }));
    for (std::size_t i = 0; i < panels.size(); ++i) {
      panel_ms[i].push_back(
          computed_ms([&] { caster.cast(view, panels[i], panel.view(), runs.threads); }));
      identical = identical && is_crop(whole.view(), panels[i], panel.view());
    }
  }
  double sum_ms = 0;
  double slowest_ms = 0;
  for (const std::vector<double>& each : panel_ms) {
    sum_ms += median(each);
    slowest_ms = std::max(slowest_ms, median(each));
  }
  return {{"scene", scene_name(one, volume.size().x, wall_px)},
          {"panels", panels.size()},
          {"identical", identical},
          {"whole_cpu_ms", median(whole_ms)},
          {"panels_cpu_ms", sum_ms},
          {"sum_to_whole", sum_ms / median(whole_ms)},
          {"slowest_cpu_ms", slowest_ms},
          {"slowest_to_mean", slowest_ms * static_cast<double>(panels.size()) / sum_ms}};
}

Json measure_motion(const RenderCase& one, const render::Volume& volume,
                    render::PictureCaster& caster, const RenderRuns& runs, double full_ms) {
  const int side = volume.size().x;
  const Nanos budget = director::MotionDetail::picture_time * (side <= small_side ? 1 : 2);
  const int level =
      director::MotionDetail::level_within(budget, Nanos(static_cast<std::int64_t>(full_ms * 1e6)));
  const RenderScene scene = scene_of_case(one, side);
  RenderPixels coarse(runs.picture_px);
  RenderPixels full(runs.picture_px);
  const auto cast_motion = [&](const render::CastView& view) {
    render::cast_coarse(caster, view, whole_picture(view), 1 << level, coarse.view(), runs.threads);
  };
  const auto cast_full = [&](const render::CastView& view) {
    caster.cast(view, whole_picture(view), full.view(), runs.threads);
  };
  std::vector<double> moving_ms, moving_cpu_ms, exact_ms, style_first_ms, style_exact_ms, psnr;
  cast_motion(turned_view(side, runs.picture_px, wall_turn));
  for (int run = 0; run < runs.count; ++run) {
    const render::CastView view = turned_view(side, runs.picture_px, wall_turn + 37 * (run % 3));
    const double set_ms =
        taken_ms([&] { caster.set_style(scene.function, scene.style, runs.threads); });
    moving_cpu_ms.push_back(
        computed_ms([&] { moving_ms.push_back(taken_ms([&] { cast_motion(view); })); }) /
        runs.threads);
    const double still_ms = taken_ms([&] { cast_full(view); });
    exact_ms.push_back(moving_ms.back() + still_ms);
    style_first_ms.push_back(set_ms + moving_ms.back());
    style_exact_ms.push_back(set_ms + exact_ms.back());
    psnr.push_back(psnr_db(coarse, full));
  }
  return {{"scene", scene_name(one, side, runs.picture_px)},
          {"asked_ms", as_double(budget) / 1e6},
          {"coarser_by", level},
          {"full_ms", full_ms},
          {"moving_ms", median_and_p95(moving_ms)},
          {"moving_cpu_ms", median(moving_cpu_ms)},
          {"psnr_to_full_db", median(psnr)},
          {"first_after_camera_ms", median(moving_ms)},
          {"exact_after_camera_ms", median(exact_ms)},
          {"first_after_style_ms", median(style_first_ms)},
          {"exact_after_style_ms", median(style_exact_ms)}};
}

void print_panels(const Json& row) {
  const auto number = [&](const char* key) { return row.at(key).get<double>(); };
  fmt::print(
      "{:<33} {} panels {:.0f} cpu ms, at once {:.0f}: {:.2f}; slowest of the mean {:.2f}{}\n",
      row.at("scene").get<std::string>(), row.at("panels").get<int>(), number("panels_cpu_ms"),
      number("whole_cpu_ms"), number("sum_to_whole"), number("slowest_to_mean"),
      row.at("identical").get<bool>() ? "" : "; NOT the crops of it");
  std::fflush(stdout);
}

void print_motion(const Json& row) {
  const auto number = [&](const char* key) { return row.at(key).get<double>(); };
  const int rays = 1 << row.at("coarser_by").get<int>();
  fmt::print(
      "{:<33} moving: a ray for {}x{} pixels {:.1f} ms, {:.1f} cpu ms ({:.0f} asked), {:.1f} dB; "
      "style: first "
      "{:.1f}, exact {:.0f} ms; camera: first {:.1f}, exact {:.0f} ms\n",
      row.at("scene").get<std::string>(), rays, rays,
      row.at("moving_ms").at("median").get<double>(), number("moving_cpu_ms"), number("asked_ms"),
      number("psnr_to_full_db"), number("first_after_style_ms"), number("exact_after_style_ms"),
      number("first_after_camera_ms"), number("exact_after_camera_ms"));
  std::fflush(stdout);
}

}  // namespace tilewall::bench
