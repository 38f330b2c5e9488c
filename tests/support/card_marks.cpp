#include "tests/support/card_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/card_mark.hpp"

namespace tilewall {

using namespace render;
using namespace wall;
namespace {

/// Where the map puts a mark, and how a canvas pixel lies there.
ExpectedMark expected_mark(const PanelMap& map, CardPlace place) {
  const PointPx pixel = card_mark_at(place);
  const PointF centre = {pixel.x + 0.5, pixel.y + 0.5};
  const PointF at = map.to_panel(centre);
  const PointF right = map.to_panel({centre.x + 1, centre.y});
  const PointF low = map.to_panel({centre.x, centre.y + 1});
  return {at, {right.x - at.x, right.y - at.y}, {low.x - at.x, low.y - at.y}};
}

/// With all of its cells, and the reach of the search for it.
bool is_inside(const ExpectedMark& mark, SizePx picture_px) {
  const double reach_px = 20 * std::max(std::hypot(mark.across_px.x, mark.across_px.y),
                                        std::hypot(mark.down_px.x, mark.down_px.y));
  const PointF at = mark.centre_px;
  return at.x >= reach_px && at.y >= reach_px && at.x <= picture_px.width - reach_px &&
         at.y <= picture_px.height - reach_px;
}

}  // namespace

MarksFound find_marks(const ImageView& picture, const PanelMap& map, SizePx canvas_px) {
  MarksFound found;
  for (int row = 0; card_mark_at({0, row}).y < canvas_px.height; ++row)
    for (int column = 0; card_mark_at({column, 0}).x < canvas_px.width; ++column) {
      const ExpectedMark expected = expected_mark(map, {column, row});
      if (!is_inside(expected, picture.size_px)) continue;
      const auto seen = read_card_mark(picture, expected);
      if (!seen || seen->place != CardPlace{column, row}) {
        const std::string what =
            seen ? fmt::format("{},{}", seen->place.column, seen->place.row) : "nothing";
        if (found.wrong.empty())
          found.wrong = fmt::format("{} where mark {},{} should be", what, column, row);
        continue;
      }
      ++found.marks;
      found.worst_px =
          std::max(found.worst_px, std::hypot(seen->centre_px.x - expected.centre_px.x,
                                              seen->centre_px.y - expected.centre_px.y));
    }
  return found;
}

}  // namespace tilewall
