#include <nlohmann/json.hpp>
#include <utility>

#include "player/director/statistics/show_ledger.hpp"
#include "player/scene/scene.hpp"
#include "player/scene/timeline_json.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;
using Numbers = std::vector<std::int64_t>;

// A panel reports the frames of the last 4 s again, which are fewer.
constexpr std::size_t settled_kept = 512;

scene::FrameDamage damage_of_number(std::int64_t number) {
  expect_field(number >= 0 && number < static_cast<std::int64_t>(scene::frame_damage_kinds),
               "damage", "a kind of damage");
  return static_cast<scene::FrameDamage>(number);
}

Json checkpoint_of(const PanelCount& panel) {
  return {{"frames_shown", panel.frames_shown},
          {"frames_on_time", panel.frames_on_time},
          {"shown_any", panel.shown_any},
          {"shown_a_frame", panel.shown_a_frame},
          {"last_frame", json_or_null(panel.last_frame)},
          {"last_tick", json_or_null(panel.last_tick)},
          {"late_so_far", panel.late_so_far},
          {"passed_end", panel.passed_end},
          {"last_stamp_ns", panel.last_stamp_ns},
          {"skew", panel.skew_ns.checkpoint()},
          {"swap_offset", panel.swap_offset_ns.checkpoint()}};
}

PanelCount restored_panel(const Json& json) {
  PanelCount panel;
  panel.frames_shown = json_field<std::int64_t>(json, "frames_shown");
  panel.frames_on_time = json_field<std::int64_t>(json, "frames_on_time");
  panel.shown_any = json_field<bool>(json, "shown_any");
  panel.shown_a_frame = json_field<bool>(json, "shown_a_frame");
  panel.last_frame = nullable_json_field<std::int64_t>(json, "last_frame");
  panel.last_tick = nullable_json_field<std::int64_t>(json, "last_tick");
  panel.late_so_far = json_field<std::int64_t>(json, "late_so_far");
  panel.passed_end = json_field<std::int64_t>(json, "passed_end");
  panel.last_stamp_ns = json_field<std::int64_t>(json, "last_stamp_ns");
  panel.skew_ns = LogHistogram::restored(json_field<Json>(json, "skew"));
  panel.swap_offset_ns = LogHistogram::restored(json_field<Json>(json, "swap_offset"));
  return panel;
}

}  // namespace

Json ShowLedger::checkpoint_of(const Epoch& epoch) {
  Json ticks = Json::array();
  for (const auto& [tick, record] : epoch.ticks) {
    Json one = {tick, record.on_time, record.delay.count(), static_cast<int>(record.damage)};
    for (const StampOf& stamp : record.stamps) {
      one.push_back(stamp.panel);
      one.push_back(stamp.stamp_ns);
    }
    ticks.push_back(std::move(one));
  }
  Json still = Json::array();
  for (const StampOf& one : epoch.still) still.push_back({one.panel, one.stamp_ns});
  Json settled = Json::array();
  const std::size_t left_out = epoch.settled.size() - std::min(epoch.settled.size(), settled_kept);
  for (auto one = std::next(epoch.settled.begin(), static_cast<std::ptrdiff_t>(left_out));
       one != epoch.settled.end(); ++one)
    settled.push_back({one->first, static_cast<int>(one->second)});
  return {{"grid", scene::to_json(epoch.due.grid)},
          {"frames", scene::to_json(epoch.due.frames)},
          {"shown_ticks", scene::to_json(epoch.shown_ticks)},
          {"closed_at_ns",
           epoch.closed_at ? Json(epoch.closed_at->since_epoch.count()) : Json(nullptr)},
          {"ticks", std::move(ticks)},
          {"known_ticks", epoch.known_ticks},
          {"settled", std::move(settled)},
          {"paused_damage", static_cast<int>(epoch.paused_damage)},
          {"still", std::move(still)}};
}

ShowLedger::Epoch ShowLedger::restored_epoch(const Json& json) const {
  constexpr std::size_t fixed = 4;  // numbers of a tick before its stamps
  Epoch epoch;
  epoch.due = {scene::tick_grid_from_json(json_field<Json>(json, "grid")),
               scene::timeline_from_json(json_field<Json>(json, "frames"))};
  epoch.shown_ticks = scene::shown_ticks_field(json, "shown_ticks");
  if (const auto closed_ns = nullable_json_field<std::int64_t>(json, "closed_at_ns"))
    epoch.closed_at = GlobalInstant{Nanos(*closed_ns)};
  for (const Numbers& one : json_field<std::vector<Numbers>>(json, "ticks")) {
    expect_field(one.size() >= fixed && one.size() % 2 == 0, "ticks", "pairs of numbers");
    TickRecord& record = epoch.ticks[one[0]];
    record.on_time = static_cast<std::uint32_t>(one[1]);
    record.delay = Nanos(one[2]);
    record.damage = damage_of_number(one[3]);
    for (std::size_t i = fixed; i < one.size(); i += 2) {
      expect_field(std::cmp_less(one[i], panels_.size()) && one[i] >= 0, "ticks", "a panel");
      record.stamps.push_back({static_cast<std::size_t>(one[i]), one[i + 1]});
    }
  }
  epoch.known_ticks = json_field<std::int64_t>(json, "known_ticks");
  for (const Numbers& one : json_field<std::vector<Numbers>>(json, "settled")) {
    expect_field(one.size() == 2, "settled", "[tick, damage]");
    epoch.settled[one[0]] = damage_of_number(one[1]);
  }
  epoch.paused_damage = damage_of_number(json_field<std::int64_t>(json, "paused_damage"));
  for (const Numbers& one : json_field<std::vector<Numbers>>(json, "still")) {
    expect_field(one.size() == 2 && std::cmp_less(one[0], panels_.size()) && one[0] >= 0, "still",
                 "[panel, stamp]");
    epoch.still.push_back({static_cast<std::size_t>(one[0]), one[1]});
  }
  return epoch;
}

Json ShowLedger::checkpoint() const {
  Json panels = Json::array();
  for (const PanelCount& panel : panels_) panels.push_back(director::checkpoint_of(panel));
  Json epochs = Json::array();
  for (const auto& [number, epoch] : epochs_) {
    epochs.push_back(checkpoint_of(epoch));
    epochs.back()["epoch"] = number;
  }
  Json firsts = Json::array();
  for (const auto& first : first_of_panel_ns_) firsts.push_back(json_or_null(first));
  return {{"panels", std::move(panels)},         {"epochs", std::move(epochs)},
          {"shown_by_all", shown_by_all_},       {"shown_by_any", shown_by_any_},
          {"on_time_on_all", on_time_on_all_},   {"damaged", damaged_},
          {"passed_before", passed_before_},     {"forgotten_scheduled", forgotten_scheduled_},
          {"skew", skew_ns_.checkpoint()},       {"played", played_.checkpoint()},
          {"first_ns", json_or_null(first_ns_)}, {"last_ns", json_or_null(last_ns_)},
          {"firsts_ns", std::move(firsts)},      {"present", present_}};
}

void ShowLedger::restore(const Json& json, const std::vector<HashMemory::Shown>& frames) {
  const auto panels = json_field<std::vector<Json>>(json, "panels");
  const auto firsts = json_field<std::vector<Json>>(json, "firsts_ns");
  expect_field(panels.size() == panels_.size() && firsts.size() == panels_.size(), "panels",
               "as many as the wall has");
  for (std::size_t i = 0; i < panels.size(); ++i) {
    panels_[i] = restored_panel(panels[i]);
    if (firsts[i].is_number_integer()) first_of_panel_ns_[i] = firsts[i].get<std::int64_t>();
  }
  const auto present = json_field<std::vector<bool>>(json, "present");
  expect_field(present.size() == present_.size(), "present", "as many as the wall has panels");
  present_ = present;
  epochs_.clear();
  for (const Json& epoch : json_field<std::vector<Json>>(json, "epochs"))
    epochs_[json_field<std::uint64_t>(epoch, "epoch")] = restored_epoch(epoch);
  shown_by_all_ = json_field<std::int64_t>(json, "shown_by_all");
  shown_by_any_ = json_field<std::int64_t>(json, "shown_by_any");
  on_time_on_all_ = json_field<std::int64_t>(json, "on_time_on_all");
  const auto damaged = json_field<Numbers>(json, "damaged");
  expect_field(damaged.size() == damaged_.size(), "damaged", "one number for each kind");
  std::ranges::copy(damaged, damaged_.begin());
  passed_before_ = json_field<std::int64_t>(json, "passed_before");
  forgotten_scheduled_ = json_field<std::int64_t>(json, "forgotten_scheduled");
  skew_ns_ = LogHistogram::restored(json_field<Json>(json, "skew"));
  played_.restore(json_field<Json>(json, "played"));
  first_ns_ = nullable_json_field<std::int64_t>(json, "first_ns");
  last_ns_ = nullable_json_field<std::int64_t>(json, "last_ns");
  for (const HashMemory::Shown& shown : frames) {
    if (shown.panel >= panels_.size()) continue;
    PanelCount& panel = panels_[static_cast<std::size_t>(shown.panel)];
    // Later ones will be reported again.
    if (shown.frame.stamp_ns <= panel.last_stamp_ns)
      panel.hashed.push_back({shown.frame, shown.due_ns});
  }
}

}  // namespace tilewall::director
