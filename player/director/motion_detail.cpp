#include "player/director/motion_detail.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall {

int MotionDetail::coarser_by() const {
  double full_ns = 0;  // of the slowest panel, as if in full
  for (const DrawPace& pace : paces_)
    if (pace.pictures > 0)
      full_ns = std::max(full_ns, std::ldexp(static_cast<double>(pace.mean_ns),
                                             2 * pace.coarser_by));
  int level = 1;
  while (level < coarsest && std::ldexp(full_ns, -2 * level) > picture_time.count()) ++level;
  return level;
}

}  // namespace tilewall
