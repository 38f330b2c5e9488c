#include "player/director/motion_detail.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall {

int MotionDetail::coarser_by() const {
  double full_ns = 0;  // of the slowest panel, as if in full
  for (const DrawPace& pace : paces_)
    if (pace.pictures > 0)
      full_ns =
          std::max(full_ns, std::ldexp(static_cast<double>(pace.mean_ns), 2 * pace.coarser_by));
  return level_within(picture_time, Nanos(static_cast<std::int64_t>(full_ns)));
}

int MotionDetail::level_within(Nanos picture_time, Nanos full) {
  int level = 1;
  while (level < coarsest && std::ldexp(as_double(full), -2 * level) > as_double(picture_time))
    ++level;
  return level;
}

}  // namespace tilewall
