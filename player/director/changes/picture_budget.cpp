#include "player/director/changes/picture_budget.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::director {
namespace {

constexpr int jpeg_quality = 75;
constexpr double bytes_per_px = 0.25;  // of a JPEG of that quality, 4:2:0, of films and volumes
constexpr double usual_rate = 2;       // pictures in a second that sizes are chosen for
constexpr double least_interval_ms = 200;
// Director and panels spend time on each picture, so there are some 15 in a second of the whole
// wall; on the largest walls more, as an operator does not wait longer than for 3 s. Where the
// scene changes, panels send pictures up to five times as soon.
constexpr double interval_of_panel_ms = 66;
constexpr double most_interval_ms = 3000;
constexpr double longest_delay_ms = 1000;

}  // namespace

scene::WatchOrder watch_order(std::int64_t bytes_per_s, std::size_t panel, std::size_t panels,
                              SizePx viewed_px) {
  const double share = static_cast<double>(bytes_per_s) / static_cast<double>(panels);
  const double longer = std::max(viewed_px.width, viewed_px.height);
  const double shorter = std::min(viewed_px.width, viewed_px.height);
  const double fitting_px = std::sqrt(share / usual_rate / bytes_per_px * longer / shorter);
  const double side_px =
      std::clamp<double>(std::floor(fitting_px), scene::least_watched_px, scene::most_watched_px);
  const double shown_px = std::min(side_px, longer);
  const double bytes = shown_px * shown_px * shorter / longer * bytes_per_px;
  const double interval_ms = std::clamp(interval_of_panel_ms * static_cast<double>(panels),
                                        least_interval_ms, most_interval_ms);
  const double usual_interval_ms = std::max(interval_ms, 1000 * bytes / share);
  const double delay_ms = std::min(usual_interval_ms, longest_delay_ms) *
                          static_cast<double>(panel) / static_cast<double>(panels);
  return {true,
          static_cast<int>(side_px),
          jpeg_quality,
          static_cast<std::int64_t>(interval_ms),
          std::max<std::int64_t>(1, static_cast<std::int64_t>(share)),
          static_cast<std::int64_t>(delay_ms)};
}

}  // namespace tilewall::director
