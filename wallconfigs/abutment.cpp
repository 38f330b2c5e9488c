#include "wallconfigs/abutment.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "wallconfigs/layout.hpp"

namespace tilewall::wall {
namespace {

struct Range {
  double low = 0;
  double high = 0;
  [[nodiscard]] double middle() const { return (low + high) / 2; }
};

/// Sorts the ranges, and joins those that overlap or come within `gap` of each other.
std::vector<Range> joined(std::vector<Range> ranges, double gap) {
  std::sort(ranges.begin(), ranges.end(), [](Range a, Range b) { return a.low < b.low; });
  std::vector<Range> out;
  for (const Range range : ranges) {
    if (!out.empty() && range.low <= out.back().high + gap)
      out.back().high = std::max(out.back().high, range.high);
    else
      out.push_back(range);
  }
  return out;
}

/// Moves the panels together over every strip that none of them lights.
std::vector<ExtentMm> without_unlit_strips(std::span<const ExtentMm> panels) {
  std::vector<Range> lit;
  for (const ExtentMm& panel : panels) lit.push_back({panel.start, panel.end});
  lit = joined(std::move(lit), 0);
  const auto lit_before = [&](double at) {
    double length = 0;
    for (const Range range : lit) length += std::clamp(at, range.low, range.high) - range.low;
    return length;
  };
  std::vector<ExtentMm> moved(panels.begin(), panels.end());
  for (ExtentMm& panel : moved) {
    panel.end = lit_before(panel.end);
    panel.start = lit_before(panel.start);
  }
  return moved;
}

/// Groups of edges, none longer than `tolerance`.
std::vector<Range> groups(std::vector<double> edges, double tolerance) {
  std::sort(edges.begin(), edges.end());
  std::vector<Range> out;
  for (const double edge : edges) {
    if (!out.empty() && edge <= out.back().low + tolerance)
      out.back().high = edge;
    else
      out.push_back({edge, edge});
  }
  return out;
}

/// Starts are grouped with starts and ends with ends (a start and an end far apart are an overlap
/// or a gap); where such groups touch, panels abut.
std::vector<Range> find_seams(std::span<const ExtentMm> panels, double tolerance, double touching) {
  std::vector<double> starts;
  std::vector<double> ends;
  for (const ExtentMm& panel : panels) {
    starts.push_back(panel.start);
    ends.push_back(panel.end);
  }
  std::vector<Range> seams = groups(std::move(starts), tolerance);
  std::ranges::copy(groups(std::move(ends), tolerance), std::back_inserter(seams));
  return joined(std::move(seams), touching);
}

struct SeamSpan {
  std::size_t start = 0;  ///< index of a seam
  std::size_t end = 0;
};

std::size_t seam_at(std::span<const Range> seams, double at) {
  const auto after = std::upper_bound(seams.begin(), seams.end(), at,
                                      [](double value, Range seam) { return value < seam.low; });
  return static_cast<std::size_t>(std::distance(seams.begin(), after)) - 1;
}

std::vector<SeamSpan> spans_between(std::span<const Range> seams,
                                    std::span<const ExtentMm> panels) {
  std::vector<SeamSpan> spans;
  for (const ExtentMm& panel : panels)
    spans.push_back({seam_at(seams, panel.start), seam_at(seams, panel.end)});
  return spans;
}

/// Pixel positions of the seams from the first one on. Each is as far from the last as the native
/// panels that end there need, else the other panels, else as measured.
std::vector<int> place_seams(std::span<const Range> seams, std::span<const SeamSpan> spans,
                             std::span<const ExtentMm> panels, double px_per_mm) {
  std::vector<int> at_px = {0};
  const auto px = [&](double mm) { return static_cast<int>(std::lround(mm * px_per_mm)); };
  for (std::size_t seam = 1; seam < seams.size(); ++seam) {
    int native = 0;
    int other = 0;
    int least = at_px.back();
    for (std::size_t i = 0; i < panels.size(); ++i) {
      if (spans[i].end != seam) continue;
      const int start = at_px[spans[i].start];
      least = std::max(least, start + 1);
      if (panels[i].native_px > 0)
        native = std::max(native, start + panels[i].native_px);
      else
        other = std::max(other, start + px(panels[i].end - panels[i].start));
    }
    int place = native > 0 ? native : other;
    if (place == 0) place = at_px.back() + px(seams[seam].middle() - seams[seam - 1].middle());
    at_px.push_back(std::max(place, least));
  }
  return at_px;
}

}  // namespace

std::vector<ExtentPx> abut(std::span<const ExtentMm> panels, double px_per_mm) {
  const std::vector<ExtentMm> moved = without_unlit_strips(panels);
  double smallest_mm = moved.front().end - moved.front().start;
  for (const ExtentMm& panel : moved) smallest_mm = std::min(smallest_mm, panel.end - panel.start);
  const double tolerance_mm = 0.05 * smallest_mm;

  std::vector<Range> seams = find_seams(moved, tolerance_mm, std::min(touching_mm, tolerance_mm));
  std::vector<SeamSpan> spans = spans_between(seams, moved);
  const bool swallowed =
      std::any_of(spans.begin(), spans.end(), [](SeamSpan span) { return span.start >= span.end; });
  if (swallowed) {  // a staircase of small steps was joined into one seam; use every edge by itself
    seams = find_seams(moved, 0, 0);
    spans = spans_between(seams, moved);
  }
  const std::vector<int> at_px = place_seams(seams, spans, moved, px_per_mm);
  std::vector<ExtentPx> extents;
  extents.reserve(spans.size());
  for (const SeamSpan span : spans) extents.push_back({at_px[span.start], at_px[span.end]});
  return extents;
}

}  // namespace tilewall::wall
