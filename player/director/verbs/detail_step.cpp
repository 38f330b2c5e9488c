#include "player/director/verbs/detail_step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewall::director {
namespace {

constexpr int all_read = scene::VolumeStatus::all_read;
constexpr std::chrono::seconds wait_limit{30};  // a longer wait for details is worth a note

/// Whether the panel has not drawn yet what follows the scene's stage.
bool is_coming(const PanelState& panel, const scene::Scene& scene) {
  if (!panel.connection) return false;
  const scene::DetailReport& detail = panel.totals.detail;
  if (detail.epoch != scene.epoch || detail.state == scene::DetailState::coming) return true;
  return detail.state == scene::DetailState::ready && detail.more_comes &&
         detail.stage < scene.volume_stage.next();
}

/// Whether the panel has drawn what follows.
bool is_ready(const PanelState& panel, const scene::Scene& scene) {
  const scene::DetailReport& detail = panel.totals.detail;
  if (!panel.connection || detail.epoch != scene.epoch || !scene.details_follow()) return false;
  return detail.state == scene::DetailState::ready &&
         (scene.detail_from == scene::never || detail.stage >= scene.volume_stage.next());
}

/// The source and frame that the region shows at `at`; for a playlist, the item's.
scene::SourceFrame shown_frame(const scene::Region& region, GlobalInstant at) {
  return scene::resolve_frame(region.source, region.timeline.frame_at(at));
}

bool shows_volume(const scene::Region& region, GlobalInstant at) {
  return shown_frame(region, at).source->kind == scene::SourceKind::volume;
}

/// Whether both regions cover the same part of the wall, in the same way.
bool same_place(const scene::Region& a, const scene::Region& b, GlobalInstant at) {
  return a.canvas_px == b.canvas_px && a.clip_px == b.clip_px && a.fit == b.fit &&
         a.blend == b.blend && a.opacity == b.opacity && shows_volume(a, at) == shows_volume(b, at);
}

/// Whether a volume looks the same in region `a` before `at` as in region `b` after it, and stands
/// still in both.
bool same_volume(const scene::Region& a, const scene::Region& b, GlobalInstant at) {
  const scene::SourceFrame of_a = shown_frame(a, at);
  const scene::SourceFrame of_b = shown_frame(b, at);
  const auto shot = [&](const scene::Region& region) {
    return (region.look ? *region.look : scene::usual_look(*of_a.source, region.canvas_px)).at(at);
  };
  return a.stands_still() && b.stands_still() && of_a.source == of_b.source &&
         of_a.frame == of_b.frame && shot(a) == shot(b);
}

bool same_details(const scene::Scene& before, const scene::Scene& now) {
  const auto is_same = [&](const scene::Region& a, const scene::Region& b) {
    return same_place(a, b, now.since) &&
           (!shows_volume(a, now.since) || same_volume(a, b, now.since));
  };
  return before.bezels == now.bezels && before.content == now.content &&
         before.is_black() == now.is_black() && before.coarser_by == 0 && now.coarser_by == 0 &&
         std::equal(before.regions.begin(), before.regions.end(), now.regions.begin(),
                    now.regions.end(), is_same);
}

}  // namespace

std::optional<GlobalInstant> first_detail(const wall::Wall& wall, bool waits) {
  if (wall.panels.size() < 2) return std::nullopt;
  return waits ? GlobalInstant{} : scene::never;
}

std::optional<GlobalInstant> detail_after(const scene::Scene& before, const scene::Scene& now) {
  if (!before.detail_from) return std::nullopt;
  const bool is_shown = *before.detail_from <= now.since;
  return is_shown && same_details(before, now) ? before.detail_from : scene::never;
}

scene::VolumeStage first_stage(const std::optional<GlobalInstant>& detail_from) {
  return detail_from == scene::never ? scene::VolumeStage{} : scene::whole_volumes;
}

void set_stages(scene::Scene& now, const scene::Scene& before) {
  const int stage = before.volume_stage.number;
  now.volume_stage = before.volume_stage;
  std::vector<scene::Region*> added;
  for (scene::Region& region : now.regions) {
    if (!scene::holds_volume(*region.source)) continue;
    const auto same = std::ranges::find_if(before.regions, [&](const scene::Region& other) {
      return other.source == region.source || *other.source == *region.source;
    });
    if (same == before.regions.end())
      added.push_back(&region);
    else
      region.first_stage = same->first_stage;
  }
  const bool begins_anew = !added.empty() && stage == scene::whole_volumes.number;
  if (begins_anew) {
    now.volume_stage = {};
    for (scene::Region& region : now.regions) region.first_stage = scene::shown_whole;
  }
  for (scene::Region* const region : added) region->first_stage = begins_anew ? 0 : stage;
}

scene::Progress read_progress(const wall::Wall& wall, const std::vector<PanelState>& panels) {
  int least = all_read;
  const wall::Panel* upper_right = nullptr;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (!panels[i].connection) continue;
    if (panels[i].totals.volume) least = std::min(least, panels[i].totals.volume->progress);
    const wall::Panel& panel = wall.panels[i];
    const auto place = [](const wall::Panel& of) {
      return std::pair(of.position_mm.x, -of.position_mm.y);
    };
    if (upper_right == nullptr || place(panel) > place(*upper_right)) upper_right = &panel;
  }
  if (least == all_read || upper_right == nullptr) return {};
  // What is read has to be prepared before it can be drawn, which may take as long.
  return {least < all_read - 1 ? fmt::format("volume: {} % read", least / 10)
                               : "volume: read, and being prepared",
          upper_right->name};
}

std::optional<std::int64_t> best_tick(const scene::Scene& scene,
                                      const std::vector<PanelState>& panels) {
  if (std::none_of(scene.regions.begin(), scene.regions.end(),
                   [](const scene::Region& region) { return scene::holds_volume(*region.source); }))
    return 0;
  const GlobalInstant shown_from =
      scene.detail_from ? std::max(*scene.detail_from, scene.volume_stage.from) : GlobalInstant{};
  const bool is_shown = shown_from < scene::never;
  std::int64_t best = is_shown ? scene.tick_grid.tick_at(shown_from).value_or(-1) + 1 : 0;
  for (const PanelState& panel : panels) {
    if (is_coming(panel, scene) || is_ready(panel, scene)) return std::nullopt;
    if (panel.connection) best = std::max(best, panel.totals.detail.best_tick);
  }
  if (scene.tick_grid.paused()) return 0;
  return scene.tick_grid.count ? std::min(best, *scene.tick_grid.count - 1) : best;
}

bool DetailStep::step(const scene::Scene& scene, const std::vector<PanelState>& panels,
                      Clock::time_point now, GlobalInstant shown) {
  note_failures(panels);
  if (!scene.details_follow()) return false;
  // One stage after the other: panels have the picture of one only.
  if (*scene.detail_from < scene::never && shown < scene.volume_stage.from) return false;
  const auto any = [&](auto&& holds) {
    return std::any_of(panels.begin(), panels.end(),
                       [&](const PanelState& panel) { return holds(panel, scene); });
  };
  if (!any(is_coming)) return any(is_ready);
  note_wait(scene, panels, now);
  return false;
}

void DetailStep::note_wait(const scene::Scene& scene, const std::vector<PanelState>& panels,
                           Clock::time_point now) {
  if (epoch_ != scene.epoch) since_.reset();
  epoch_ = scene.epoch;
  if (!since_) since_ = now;
  const bool shows_any =
      std::any_of(scene.regions.begin(), scene.regions.end(),
                  [](const scene::Region& region) { return scene::holds_volume(*region.source); });
  if (!shows_any || wait_noted_ || now < *since_ + wait_limit) return;
  wait_noted_ = true;
  std::string names;
  for (std::size_t i = 0; i < panels.size(); ++i)
    if (is_coming(panels[i], scene)) names += (names.empty() ? "" : ", ") + wall_.panels[i].name;
  notes_.note(
      fmt::format("the wall shows overviews of its volumes: panel {} is still reading the details "
                  "after {} s",
                  names, wait_limit.count()));
}

void DetailStep::note_failures(const std::vector<PanelState>& panels) {
  for (const PanelState& panel : panels) {
    if (!panel.totals.volume || !panel.totals.volume->detail_failed) continue;
    if (!failed_.insert(panel.host).second) continue;
    notes_.note(
        fmt::format("host {} cannot read the details of its volume, and shows the overview; see "
                    "its caster's log",
                    panel.host));
  }
}

}  // namespace tilewall::director
