#include "player/director/statistics/still_pictures.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;
using Numbers = std::vector<std::int64_t>;

// Panels report several times a second, so that older pictures than these are known of all panels.
constexpr std::size_t max_pictures = 32;
constexpr std::int64_t nothing_forgotten = std::numeric_limits<std::int64_t>::min();

}  // namespace

bool StillPictures::Picture::has(std::size_t panel) const {
  return std::ranges::find(marks, panel, &PanelMark::panel) != marks.end();
}

bool StillPictures::Picture::is_shown() const {
  return std::ranges::find(marks, Mark::shown, &PanelMark::mark) != marks.end();
}

bool StillPictures::Picture::is_late(const PanelMark& mark) const {
  return mark.mark == Mark::left_out ||
         (mark.mark == Mark::shown && mark.stamp_ns - first_ns > still_limit.count());
}

bool StillPictures::Picture::is_mixed() const {
  return std::ranges::any_of(marks, [&](const PanelMark& mark) { return is_late(mark); });
}

StillPictures::StillPictures(std::size_t panels)
    : forgotten_until_ns_(nothing_forgotten), reports_(panels) {
  counts_.on_time.resize(panels);
  counts_.late.resize(panels);
}

void StillPictures::add(std::size_t panel, std::int64_t frame, std::int64_t stamp_ns) {
  Reports& reports = reports_.at(panel);
  if (std::exchange(reports.frame, frame) == frame) return;
  const bool joins = std::exchange(reports.joins, false);
  Position picture = find(frame, joins ? std::nullopt : std::optional(panel));
  const bool is_new = picture == pictures_.end();
  const bool is_forgotten = is_new && stamp_ns <= forgotten_until_ns_;
  if (is_new && !is_forgotten) picture = insert(frame, stamp_ns);
  if (!reports.from_ns) reports.from_ns = is_forgotten ? stamp_ns : picture->first_ns;
  if (is_forgotten) return;
  if (picture->has(panel)) return;  // a panel that came back shows what it showed before
  mark(*picture, {panel, joins ? Mark::excused : Mark::shown, stamp_ns});
  for (Position before = pictures_.begin(); before != picture; ++before)
    mark_left_out(*before, panel);
  if (is_new)
    for (Position after = std::next(picture); after != pictures_.end(); ++after)
      for (const PanelMark& other : after->marks) mark_left_out(*picture, other.panel);
  if (pictures_.size() <= max_pictures) return;
  forgotten_until_ns_ = pictures_.front().first_ns;
  pictures_.pop_front();
}

StillPictures::Position StillPictures::find(std::int64_t frame,
                                            std::optional<std::size_t> without) {
  const auto found = std::find_if(pictures_.rbegin(), pictures_.rend(), [&](const Picture& one) {
    return one.frame == frame && !(without && one.has(*without));
  });
  return found == pictures_.rend() ? pictures_.end() : std::prev(found.base());
}

StillPictures::Position StillPictures::insert(std::int64_t frame, std::int64_t stamp_ns) {
  const auto behind = std::ranges::upper_bound(pictures_, stamp_ns, {}, &Picture::first_ns);
  return pictures_.insert(behind, {frame, stamp_ns, {}});
}

void StillPictures::mark(Picture& picture, const PanelMark& mark) {
  count(picture, -1);
  if (mark.mark == Mark::shown)
    picture.first_ns =
        picture.is_shown() ? std::min(picture.first_ns, mark.stamp_ns) : mark.stamp_ns;
  picture.marks.push_back(mark);
  count(picture, 1);
}

void StillPictures::mark_left_out(Picture& picture, std::size_t panel) {
  const auto& from_ns = reports_.at(panel).from_ns;
  const bool was_there = from_ns && *from_ns < picture.first_ns;
  if (was_there && picture.is_shown() && !picture.has(panel))
    mark(picture, {panel, Mark::left_out, 0});
}

void StillPictures::count(const Picture& picture, std::int64_t sign) {
  if (!picture.is_mixed()) return;
  counts_.mixed += sign;
  for (const PanelMark& one : picture.marks)
    if (one.mark != Mark::excused)
      (picture.is_late(one) ? counts_.late : counts_.on_time)[one.panel] += sign;
}

Json StillPictures::checkpoint() const {
  Json pictures = Json::array();
  for (const Picture& picture : pictures_) {
    Json one = {picture.frame, picture.first_ns};
    for (const PanelMark& mark : picture.marks)
      one.insert(one.end(), {mark.panel, static_cast<int>(mark.mark), mark.stamp_ns});
    pictures.push_back(std::move(one));
  }
  Json reports = Json::array();
  for (const Reports& one : reports_)
    reports.push_back({{"joins", one.joins},
                       {"from_ns", json_or_null(one.from_ns)},
                       {"frame", json_or_null(one.frame)}});
  return {{"pictures", std::move(pictures)}, {"forgotten_until_ns", forgotten_until_ns_},
          {"reports", std::move(reports)},   {"mixed", counts_.mixed},
          {"on_time", counts_.on_time},      {"late", counts_.late}};
}

StillPictures StillPictures::restored(const Json& json, std::size_t panels) {
  constexpr std::size_t fixed = 2;  // numbers of a picture before its marks
  constexpr std::size_t of_mark = 3;
  StillPictures restored(panels);
  for (const Numbers& one : json_field<std::vector<Numbers>>(json, "pictures")) {
    expect_field(one.size() >= fixed && one.size() % of_mark == fixed, "pictures",
                 "a frame, a stamp and three numbers for each panel");
    Picture& picture = restored.pictures_.emplace_back(Picture{one[0], one[1], {}});
    for (std::size_t i = fixed; i < one.size(); i += of_mark) {
      expect_field(std::cmp_less(one[i], panels) && one[i] >= 0, "pictures", "a panel");
      expect_field(one[i + 1] >= 0 && one[i + 1] < marks, "pictures", "a mark");
      picture.marks.push_back(
          {static_cast<std::size_t>(one[i]), static_cast<Mark>(one[i + 1]), one[i + 2]});
    }
  }
  restored.forgotten_until_ns_ = json_field<std::int64_t>(json, "forgotten_until_ns");
  const auto reports = json_field<std::vector<Json>>(json, "reports");
  restored.counts_ = {json_field<std::int64_t>(json, "mixed"), json_field<Numbers>(json, "on_time"),
                      json_field<Numbers>(json, "late")};
  expect_field(reports.size() == panels && restored.counts_.on_time.size() == panels &&
                   restored.counts_.late.size() == panels,
               "reports", "as many as the wall has panels");
  for (std::size_t i = 0; i < panels; ++i)
    restored.reports_[i] = {json_field<bool>(reports[i], "joins"),
                            nullable_json_field<std::int64_t>(reports[i], "from_ns"),
                            nullable_json_field<std::int64_t>(reports[i], "frame")};
  return restored;
}

}  // namespace tilewall::director
