#include "player/path/path_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tilewall::path {
namespace {

using Report = nlohmann::ordered_json;
using render::FlightPath;
using render::VolumeCamera;

constexpr int most_steps = 20'000;
constexpr double steps_per_s = 60;

std::string name_of(const PathFile& path, std::size_t key) {
  const std::string& name = path.keys[key].name;
  return name.empty() ? fmt::format("key {}", key + 1) : name;
}

bool is_inside(const render::WorldBox& box, Vec3d place) {
  return std::ranges::all_of(box.half, [&](Vec3d half) {
    return std::abs(dot(place - box.centre, half)) <= dot(half, half);
  });
}

double turn_rad(const VolumeCamera& from, const VolumeCamera& to) {
  return length(render::rotation_vector(
      render::product(render::rotation_of(render::frame_of(to)),
                      render::inverse(render::rotation_of(render::frame_of(from))))));
}

struct Figures {
  double eye_way = 0;
  double fastest = 0;
  double fastest_at_s = 0;
  double fastest_turn = 0;  ///< radians a second
  double fastest_turn_at_s = 0;
  double nearest = INFINITY;
  double farthest = 0;
  double inside_s = 0;
};

Figures figures_of(const FlightPath& flight, const std::optional<render::WorldBox>& volume) {
  const int steps = static_cast<int>(
      std::clamp(std::ceil(flight.duration_s() * steps_per_s), 1.0, double{most_steps}));
  const double step_s = flight.duration_s() / steps;
  Figures figures;
  VolumeCamera before = flight.camera_at(0);
  for (int i = 1; i <= steps; ++i) {
    const double at_s = i * step_s;
    const VolumeCamera here = flight.camera_at(at_s);
    const double moved = length(here.eye - before.eye);
    const double distance = length(here.eye - here.look_at);
    figures.eye_way += moved;
    if (moved / step_s > figures.fastest) {
      figures.fastest = moved / step_s;
      figures.fastest_at_s = at_s;
    }
    if (const double turn = turn_rad(before, here) / step_s; turn > figures.fastest_turn) {
      figures.fastest_turn = turn;
      figures.fastest_turn_at_s = at_s;
    }
    figures.nearest = std::min(figures.nearest, distance);
    figures.farthest = std::max(figures.farthest, distance);
    if (volume && is_inside(*volume, here.eye)) figures.inside_s += step_s;
    before = here;
  }
  return figures;
}

Report vector_json(Vec3d v) { return {v.x, v.y, v.z}; }

}  // namespace

Report path_report(const PathFile& path, const FlightPath& flight,
                   const std::optional<render::WorldBox>& volume, const ShownPicture& picture) {
  const Figures figures = figures_of(flight, volume);
  Report keys = Report::array();
  for (std::size_t i = 0; i < path.keys.size(); ++i) {
    const VolumeCamera& camera = path.keys[i].flight.camera;
    Report key = {{"name", name_of(path, i)},
                  {"arrival_s", flight.arrival_s(i)},
                  {"departure_s", flight.departure_s(i)},
                  {"eye", vector_json(camera.eye)},
                  {"look_at", vector_json(camera.look_at)},
                  {"distance", length(camera.eye - camera.look_at)},
                  {"fov_deg", camera.fov_rad / degree}};
    if (volume) {
      key["inside"] = is_inside(*volume, camera.eye);
      key["looks_away"] = !is_in_picture(*volume, camera, picture);
    }
    keys.push_back(std::move(key));
  }
  Report report = {{"name", path.name},
                   {"duration_s", flight.duration_s()},
                   {"length", figures.eye_way},
                   {"mean_speed", figures.eye_way / flight.duration_s()},
                   {"max_speed", figures.fastest},
                   {"max_speed_at_s", figures.fastest_at_s},
                   {"max_turn_deg_s", figures.fastest_turn / degree},
                   {"max_turn_at_s", figures.fastest_turn_at_s},
                   {"nearest", figures.nearest},
                   {"farthest", figures.farthest}};
  if (volume) {
    report["inside_s"] = figures.inside_s;
    report["unseen_s"] = Report::array();
    for (const UnseenStretch& stretch : unseen_stretches(flight, *volume, picture))
      report["unseen_s"].push_back({stretch.from_s, stretch.to_s});
  }
  report["keys"] = std::move(keys);
  return report;
}

std::string path_report_text(const Report& report) {
  const auto number = [&](const char* field) { return report.at(field).get<double>(); };
  std::string text = report.at("name").get<std::string>();
  if (!text.empty()) text += "\n";
  text += fmt::format(
      "{:.2f} s past {} keys; the eye's way is {:.5g} long\n"
      "speed: {:.4g} a second in the mean, {:.4g} at most (at {:.2f} s)\n"
      "turns: {:.1f} degrees a second at most (at {:.2f} s)\n"
      "distance from what is looked at: {:.4g} to {:.4g}\n",
      number("duration_s"), report.at("keys").size(), number("length"), number("mean_speed"),
      number("max_speed"), number("max_speed_at_s"), number("max_turn_deg_s"),
      number("max_turn_at_s"), number("nearest"), number("farthest"));
  if (report.contains("inside_s"))
    text += fmt::format("inside of the volume: {:.2f} s\n", number("inside_s"));
  for (const Report& key : report.at("keys")) {
    const auto eye = key.at("eye").get<std::vector<double>>();
    const double stays_s = key.at("departure_s").get<double>() - key.at("arrival_s").get<double>();
    text +=
        fmt::format("{:8.2f} s  {}: eye {:.4g}, {:.4g}, {:.4g}{}{}{}\n",
                    key.at("arrival_s").get<double>(), key.at("name").get<std::string>(), eye[0],
                    eye[1], eye[2], stays_s > 0 ? fmt::format(", stays {:.2f} s", stays_s) : "",
                    key.value("inside", false) ? ", inside of the volume" : "",
                    key.value("looks_away", false) ? ", no part of the volume in the picture" : "");
  }
  text.pop_back();
  return text;
}

namespace {

constexpr double view_px = 420;
constexpr double gap_px = 40;
constexpr double title_px = 60;

/// A view along an axis: what is right and up in it.
struct View {
  const char* title;
  Vec3d right;
  Vec3d up;
};
constexpr View views[] = {{"from above", {1, 0, 0}, {0, 1, 0}},
                          {"from the front", {1, 0, 0}, {0, 0, 1}},
                          {"from the right", {0, 1, 0}, {0, 0, 1}}};

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text)
    safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return safe;
}

/// Draws one view into a square; the scale is that of all three.
class ViewDrawing {
 public:
  ViewDrawing(const View& view, PointF corner_px, Vec3d centre, double px_per_unit)
      : view_(view), corner_px_(corner_px), centre_(centre), px_per_unit_(px_per_unit) {}

  [[nodiscard]] PointF at(Vec3d place) const {
    const Vec3d from = place - centre_;
    return {corner_px_.x + view_px / 2 + px_per_unit_ * dot(from, view_.right),
            corner_px_.y + view_px / 2 - px_per_unit_ * dot(from, view_.up)};
  }
  [[nodiscard]] std::string line(const std::vector<Vec3d>& places, const char* kind) const {
    std::string points;
    for (const Vec3d place : places) {
      const PointF p = at(place);
      points += fmt::format("{:.1f},{:.1f} ", p.x, p.y);
    }
    return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", kind, points);
  }
  [[nodiscard]] std::string key(Vec3d place, const std::string& name) const {
    const PointF p = at(place);
    const bool is_right = p.x > corner_px_.x + 0.75 * view_px;  // the name would leave the view
    return fmt::format(
        "<circle class=\"key\" cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"4\"/>\n"
        "<text x=\"{2:.1f}\" y=\"{1:.1f}\" text-anchor=\"{3}\">{4}</text>\n",
        p.x, p.y, is_right ? p.x - 7 : p.x + 7, is_right ? "end" : "start", escaped(name));
  }
  [[nodiscard]] std::string frame() const {
    return fmt::format(
        "<rect class=\"frame\" x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\"/>\n"
        "<text class=\"view\" x=\"{0}\" y=\"{3}\">{4}</text>\n",
        corner_px_.x, corner_px_.y, view_px, corner_px_.y - 8, view_.title);
  }

 private:
  const View& view_;
  const PointF corner_px_;
  const Vec3d centre_;
  const double px_per_unit_;
};

Vec3d corner_of(const render::WorldBox& box, int corner) {
  Vec3d at = box.centre;
  for (int axis = 0; axis < 3; ++axis)
    at = at + ((corner >> axis & 1) != 0 ? 1.0 : -1.0) * box.half[axis];
  return at;
}

std::string box_lines(const ViewDrawing& drawing, const render::WorldBox& box) {
  std::string lines;
  for (int corner = 0; corner < 8; ++corner)
    for (int axis = 0; axis < 3; ++axis)
      if ((corner >> axis & 1) == 0)
        lines += drawing.line({corner_of(box, corner), corner_of(box, corner | 1 << axis)}, "box");
  return lines;
}

}  // namespace

std::string draw_path(const PathFile& path, const FlightPath& flight,
                      const std::optional<render::WorldBox>& volume) {
  constexpr int pieces = 600;
  std::vector<Vec3d> eyes;
  std::vector<Vec3d> targets;
  for (int i = 0; i <= pieces; ++i) {
    const VolumeCamera camera = flight.camera_at(flight.duration_s() * i / pieces);
    eyes.push_back(camera.eye);
    targets.push_back(camera.look_at);
  }
  std::vector<Vec3d> all = eyes;
  all.insert(all.end(), targets.begin(), targets.end());
  for (int corner = 0; volume && corner < 8; ++corner) all.push_back(corner_of(*volume, corner));
  std::array<double, 3> low = axes_of(all.front());
  std::array<double, 3> high = low;
  for (const Vec3d place : all)
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], axes_of(place)[i]);
      high[i] = std::max(high[i], axes_of(place)[i]);
    }
  const Vec3d centre = 0.5 * (vec3d(low) + vec3d(high));
  const double side = std::max(
      {high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-9 * length(centre), 1e-12});
  const double px_per_unit = 0.86 * view_px / side;

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<style>polyline{{fill:none}}.eye{{stroke:#0b62a4;stroke-width:2}}"
      ".target{{stroke:#b5541c;stroke-width:1.5}}.sight{{stroke:#8a8a8a;stroke-width:.5}}"
      ".box{{stroke:#555;stroke-dasharray:4 3}}.key{{fill:#0b62a4}}"
      ".frame{{fill:#fff;stroke:#ccc}}.view{{font-size:14px}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#f6f6f4\"/>\n"
      "<text x=\"{2}\" y=\"22\" font-size=\"16\">{3}{4:.2f} s, {5} keys; blue: the eye's way, "
      "brown: what it looks at, gray: lines of sight</text>\n",
      3 * view_px + 4 * gap_px, view_px + gap_px + title_px, gap_px,
      path.name.empty() ? "" : escaped(path.name) + ": ", flight.duration_s(), path.keys.size());
  for (std::size_t v = 0; v < std::size(views); ++v) {
    const ViewDrawing drawing(views[v],
                              {gap_px + static_cast<double>(v) * (view_px + gap_px), title_px},
                              centre, px_per_unit);
    svg += drawing.frame();
    if (volume) svg += box_lines(drawing, *volume);
    const double sights = std::clamp(std::floor(flight.duration_s()), 1.0, 120.0);
    for (int i = 0; i <= static_cast<int>(sights); ++i) {
      const VolumeCamera camera = flight.camera_at(flight.duration_s() * i / sights);
      svg += drawing.line({camera.eye, camera.look_at}, "sight");
    }
    svg += drawing.line(targets, "target");
    svg += drawing.line(eyes, "eye");
    const std::size_t every = (path.keys.size() + 99) / 100;  // names of more would hide the way
    for (std::size_t i = 0; i < path.keys.size(); i += every)
      svg += drawing.key(path.keys[i].flight.camera.eye, name_of(path, i));
  }
  return svg + "</svg>\n";
}

}  // namespace tilewall::path
