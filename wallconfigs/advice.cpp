#include "wallconfigs/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "wallconfigs/layout.hpp"
#include "wallconfigs/picture_plane.hpp"

namespace tilewall::wall {
namespace {

using Lines = std::vector<std::string>;

/// Names such as "c0r0" or "c0r0 and 3 more"; empty when there are none.
template <typename Condition>
std::string panels_where(const Wall& wall, Condition condition) {
  const auto first = std::find_if(wall.panels.begin(), wall.panels.end(), condition);
  if (first == wall.panels.end()) return "";
  const auto more = std::count_if(std::next(first), wall.panels.end(), condition);
  return more == 0 ? first->name : fmt::format("{} and {} more", first->name, more);
}

void add_pixel_shapes(const Wall& wall, Lines& lines) {
  const auto not_square = [](const Panel& panel) {
    const Density density = density_of(panel);
    return std::abs(density.x_px_per_mm / density.y_px_per_mm - 1) > 0.02;
  };
  if (const std::string names = panels_where(wall, not_square); !names.empty())
    lines.push_back(fmt::format(
        "{}: pixels are not square; sizes are written with the panel upright, as in its data sheet",
        names));
}

void add_scaled_panels(const Wall& wall, Lines& lines) {
  const Density density = commonest_density(wall.panels);
  const auto scaled = [&](const Panel& panel) { return !is_native(panel, density); };
  if (const std::string names = panels_where(wall, scaled); !names.empty())
    lines.push_back(fmt::format(
        "{}: pixels of another size than the commonest panel's {:.4g} per mm; pictures are scaled "
        "there",
        names, density.x_px_per_mm));
}

void add_colliding_frames(const Wall& wall, Lines& lines) {
  if (wall.overlap_mm.horizontal > 0 || wall.overlap_mm.vertical > 0) return;
  for (std::size_t i = 0; i < wall.panels.size(); ++i)
    for (std::size_t j = i + 1; j < wall.panels.size(); ++j) {
      const RectF shared = intersection(wall.panels[i].frame_mm(), wall.panels[j].frame_mm());
      if (shared.width <= touching_mm || shared.height <= touching_mm) continue;
      lines.push_back(fmt::format("{} and {}: frames run into each other by {:.4g} mm",
                                  wall.panels[i].name, wall.panels[j].name,
                                  std::min(shared.width, shared.height)));
      return;  // one hint is enough to make the user look at the drawing
    }
}

void add_shown_canvas(const Wall& wall, Lines& lines) {
  const Canvas canvas(wall, BezelMode::show, ContentMode::arc_length);
  if (const double unlit = unlit_share(canvas); unlit > 0)
    lines.push_back(fmt::format("{:.2g} % of the picture is on no panel, even with bezels shown{}",
                                100 * unlit, wall.holes.empty() ? "" : " (holes included)"));
  double worst = 1;
  std::size_t worst_panel = 0;
  for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
    const RectF& rect = canvas.panel_rect_px(i);
    const SizeMm& size = wall.panels[i].size_mm;
    const double shape = rect.width / rect.height / (size.width / size.height);
    const double stretch = std::max(shape, 1 / shape);
    if (stretch <= worst) continue;
    worst = stretch;
    worst_panel = i;
  }
  if (worst > 1.01)
    lines.push_back(
        fmt::format("{}: stretched by {:.1f} % with bezels shown, to abut its neighbours",
                    wall.panels[worst_panel].name, 100 * (worst - 1)));
}

void add_arc(const Wall& wall, Lines& lines) {
  if (!wall.arc) return;
  const double touching = touching_radius_mm(wall, *wall.arc);
  if (wall.arc->radius_mm < 0.999 * touching)
    lines.push_back(fmt::format(
        "arc: at a radius of {:.6g} mm the screens run into each other; they touch at {:.6g} mm",
        wall.arc->radius_mm, touching));
}

/// Hints on what each content mode does to the picture on this wall.
void add_contents(const Wall& wall, Lines& lines) {
  for (const ContentMode mode : content_modes) {
    if (const auto obstacle = content_obstacle(wall, mode))
      lines.push_back(
          fmt::format("content {}: this wall has no such picture: it takes {}, found {}",
                      to_string(mode), obstacle->expected, obstacle->found));
    const std::vector<Stretch> stretches = stretch_of(wall, mode);
    double least = 1;
    double most = 1;
    for (const Stretch& stretch : stretches) {
      least = std::min(least, stretch.least);
      most = std::max(most, stretch.most);
    }
    if (least < 0.99 || most > 1.01)
      lines.push_back(
          fmt::format("content {}: the picture is {:.2f} to {:.2f} times as wide on the screens as "
                      "it should be",
                      to_string(mode), least, most));
  }
}

void add_hosts(const Wall& wall, Lines& lines) {
  if (wall.hosts.empty()) return;
  const auto without_host = [](const Panel& panel) { return panel.host.empty(); };
  if (const std::string names = panels_where(wall, without_host); !names.empty())
    lines.push_back(fmt::format("{}: no host; will run where tilewall is started", names));
}

void add_shared_windows(const Wall& wall, Lines& lines) {
  for (std::size_t i = 0; i < wall.panels.size(); ++i)
    for (std::size_t j = i + 1; j < wall.panels.size(); ++j) {
      const Panel& a = wall.panels[i];
      const Panel& b = wall.panels[j];
      if (a.window_px && a.window_px == b.window_px && a.host == b.host && a.display == b.display)
        lines.push_back(
            fmt::format("{} and {}: the same window position on the same display", a.name, b.name));
    }
}

std::size_t index_of(const std::vector<double>& sorted, double value) {
  return static_cast<std::size_t>(
      std::distance(sorted.begin(), std::lower_bound(sorted.begin(), sorted.end(), value)));
}

void sort_unique(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

Lines advice_on(const Wall& wall) {
  Lines lines;
  add_pixel_shapes(wall, lines);
  add_scaled_panels(wall, lines);
  add_colliding_frames(wall, lines);
  add_shown_canvas(wall, lines);
  add_arc(wall, lines);
  if (!wall.flat()) add_contents(wall, lines);
  add_hosts(wall, lines);
  add_shared_windows(wall, lines);
  return lines;
}

double unlit_share(const Canvas& canvas) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
    const RectF& rect = canvas.panel_rect_px(i);
    xs.insert(xs.end(), {rect.x, rect.right()});
    ys.insert(ys.end(), {rect.y, rect.bottom()});
  }
  sort_unique(xs);
  sort_unique(ys);
  std::vector<char> lit(xs.size() * ys.size());  // cell (x, y) reaches to the next edge
  for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
    const RectF& rect = canvas.panel_rect_px(i);
    for (std::size_t y = index_of(ys, rect.y); ys[y] < rect.bottom(); ++y)
      for (std::size_t x = index_of(xs, rect.x); xs[x] < rect.right(); ++x)
        lit[y * xs.size() + x] = 1;
  }
  double lit_px = 0;
  for (std::size_t y = 0; y + 1 < ys.size(); ++y)
    for (std::size_t x = 0; x + 1 < xs.size(); ++x)
      if (lit[y * xs.size() + x] != 0) lit_px += (xs[x + 1] - xs[x]) * (ys[y + 1] - ys[y]);
  const double all_px = static_cast<double>(canvas.size_px().width) * canvas.size_px().height;
  return std::max(0.0, 1 - lit_px / all_px);
}

}  // namespace tilewall::wall
