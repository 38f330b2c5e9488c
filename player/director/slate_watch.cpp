#include "player/director/slate_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "player/director/status.hpp"

namespace tilewall::director {
namespace {

bool is_at_end(const scene::Region& region, GlobalInstant now) {
  const auto ticks = region.timeline.tick_count();
  return ticks && region.timeline.tick_at(now).value_or(-1) >= *ticks - 1;
}

std::string slate_name(const scene::SourceSpec& source) {
  std::filesystem::path path = shown_path(source);
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename().string();
  return name.empty() ? std::string("no name") : name;
}

}  // namespace

void SlateWatch::take(std::size_t panel, const std::vector<scene::RegionStay>& regions) {
  panels_.at(panel) = regions;
}

void SlateWatch::leave(std::size_t panel) { panels_.at(panel).clear(); }

std::vector<scene::RegionStay> SlateWatch::reports_on(const std::string& region) const {
  std::vector<scene::RegionStay> reports;
  for (const auto& panel : panels_)
    for (const scene::RegionStay& report : panel)
      if (report.region == region) reports.push_back(report);
  return reports;
}

std::vector<SlateWatch::Change> SlateWatch::changes(const scene::Scene& scene,
                                                    GlobalInstant now) const {
  std::vector<Change> changes;
  for (const scene::Region& region : scene.regions) {
    if (region.source->live) continue;  // LiveRole tells what it waits for
    const std::vector<scene::RegionStay> reports = reports_on(region.name);
    const bool has_slate = !region.slate.empty();
    const bool moves = std::ranges::any_of(
        reports, [](const scene::RegionStay& report) { return report.since_ns == 0; });
    if (region.stands_still() || moves) {
      if (has_slate) changes.push_back({region.name, std::nullopt});
      continue;
    }
    if (has_slate || reports.empty() || is_at_end(region, now)) continue;
    const auto newest = std::ranges::max_element(reports, {}, &scene::RegionStay::since_ns);
    const GlobalInstant since{Nanos(newest->since_ns)};
    if (now - since >= frozen_after) changes.push_back({region.name, since});
  }
  return changes;
}

std::string slate_text(const scene::Region& region, GlobalInstant since, const TimeOfDay& now) {
  const std::time_t stopped = std::chrono::system_clock::to_time_t(
      now.day -
      std::chrono::duration_cast<std::chrono::system_clock::duration>(now.global - since));
  std::tm local = {};
  ::localtime_r(&stopped, &local);
  const scene::SourceFrame shown =
      scene::resolve_frame(region.source, region.timeline.frame_at(since));
  return fmt::format("{}\nno signal since {:02}:{:02}:{:02}", slate_name(*shown.source),
                     local.tm_hour, local.tm_min, local.tm_sec);
}

}  // namespace tilewall::director
