#include "player/director/content_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_frozen = 1000;
constexpr std::size_t most_listed = 6;  // in one line
constexpr Nanos longest_silence =
    std::chrono::seconds(1);  // between reports, which come every 200 ms

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_listed); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most_listed) text += fmt::format(" and {} more", names.size() - most_listed);
  return text;
}

/// Whether the panel showed another picture in place of the frame.
bool stays(const scene::ShownFrame& shown) { return shown.damage >= scene::FrameDamage::repeated; }

}  // namespace

bool ContentWatch::advances(const scene::Scene& scene) {
  return !scene.tick_grid.paused() &&
         std::ranges::any_of(scene.regions,
                             [](const scene::Region& region) { return !region.stands_still(); });
}

ContentWatch::ContentWatch(std::vector<std::string> panels) : names_(std::move(panels)) {
  names_.emplace_back("sound");
  contents_.resize(names_.size());
}

void ContentWatch::take(std::size_t panel, bool advances,
                        const std::vector<scene::ShownFrame>& frames) {
  for (const scene::ShownFrame& shown : frames)
    if (advances && stays(shown))
      stay(panel, shown.stamp_ns);
    else
      move(panel, shown.stamp_ns);
  if (frames.empty()) return;
  Content& content = contents_.at(panel);
  content.last_ns = content.told_ns = frames.back().stamp_ns;
}

void ContentWatch::take_none(std::size_t panel, const scene::Scene& scene, GlobalInstant now) {
  Content& content = contents_.at(panel);
  if (content.last_ns == 0) return;
  const std::int64_t now_ns = now.since_epoch.count();
  const std::int64_t silent_ns = now_ns - std::exchange(content.told_ns, now_ns);
  if (silent_ns > longest_silence.count())
    content.last_ns = now_ns;  // the panel itself stood still
  const std::int64_t since_ns = std::max(content.last_ns, scene.since.since_epoch.count());
  const std::int64_t tick = scene.tick_grid.tick_at(now).value_or(0);
  const Nanos limit = std::max(silent_after, 2 * scene.shown_period(tick));
  if (now_ns - since_ns >= limit.count()) begin(panel, since_ns);
}

void ContentWatch::take_sound(bool stalled, GlobalInstant now) {
  const std::size_t sound = names_.size() - 1;
  const std::int64_t now_ns = now.since_epoch.count();
  stalled ? stay(sound, now_ns) : move(sound, now_ns);
}

void ContentWatch::leave(std::size_t panel) {
  Content& content = contents_.at(panel);
  content = {};  // its interval stays without an end: nobody saw the panel move again
}

void ContentWatch::stay(std::size_t what, std::int64_t at_ns) {
  Content& content = contents_.at(what);
  if (!content.since_ns) content.since_ns = at_ns;
  if (at_ns - *content.since_ns >= frozen_after.count()) begin(what, *content.since_ns);
}

void ContentWatch::begin(std::size_t what, std::int64_t since_ns) {
  Content& content = contents_.at(what);
  if (content.open || intervals_.size() >= most_frozen) return;
  content.open = intervals_.size();
  intervals_.push_back({what, since_ns, std::nullopt});
}

void ContentWatch::move(std::size_t what, std::int64_t at_ns) {
  Content& content = contents_.at(what);
  content.since_ns.reset();
  if (content.open) intervals_[*std::exchange(content.open, std::nullopt)].until_ns = at_ns;
}

std::vector<std::string> ContentWatch::frozen() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < contents_.size(); ++i)
    if (contents_[i].open) names.push_back(name_of(i));
  return names;
}

std::optional<std::string> ContentWatch::news(GlobalInstant now) {
  std::string names = listed(frozen());
  if (names != seen_) {
    seen_ = std::move(names);
    seen_at_ = now;
  }
  if (seen_ == told_ || now - seen_at_ < settle_time) return std::nullopt;
  const std::string before = std::exchange(told_, seen_);
  if (told_.empty()) return fmt::format("content moves again: {}", before);
  return fmt::format("content: {} frozen: the picture or sound stays although the show goes on",
                     told_);
}

std::string ContentWatch::failure() const {
  if (intervals_.empty()) return "";
  std::set<std::size_t> whats;
  for (const Interval& one : intervals_) whats.insert(one.what);
  std::vector<std::string> names;
  names.reserve(whats.size());
  for (const std::size_t what : whats) names.push_back(name_of(what));
  return fmt::format("content was frozen for 1 s or more on {}", listed(names));
}

Json ContentWatch::report() const {
  Json all = Json::array();
  for (const Interval& one : intervals_)
    all.push_back({{"what", name_of(one.what)},
                   {"from_ns", one.from_ns},
                   {"until_ns", json_or_null(one.until_ns)}});
  return all;
}

Json ContentWatch::checkpoint() const {
  Json intervals = Json::array();
  for (const Interval& one : intervals_)
    intervals.push_back(
        {{"what", one.what}, {"from_ns", one.from_ns}, {"until_ns", json_or_null(one.until_ns)}});
  return {{"intervals", std::move(intervals)}, {"told", told_}};
}

void ContentWatch::restore(const Json& checkpoint) {
  for (const Json& one : json_field<std::vector<Json>>(checkpoint, "intervals")) {
    Interval interval{json_field<std::size_t>(one, "what"),
                      json_field<std::int64_t>(one, "from_ns"), std::nullopt};
    expect_field(interval.what < names_.size(), "what", "a panel or the sound");
    if (!json_field<Json>(one, "until_ns").is_null())
      interval.until_ns = json_field<std::int64_t>(one, "until_ns");
    else
      contents_[interval.what] = {interval.from_ns, intervals_.size(), 0, 0};
    intervals_.push_back(interval);
  }
  told_ = json_field<std::string>(checkpoint, "told");
}

}  // namespace tilewall::director
