#include "player/cli/present/preflight.hpp"

#include <algorithm>

#include "player/cli/present/open_cues.hpp"
#include "player/director/cues/cue_desk.hpp"
#include "player/supervisor/host_surveys.hpp"
#include "player/supervisor/run_dir.hpp"

namespace tilewall::cli {

survey::SurveyPlan preflight_plan(const cues::ShowFile& file, const wall::Wall& wall,
                                  const PreflightArguments& arguments,
                                  const std::stop_token& stop) {
  survey::PlanOptions options;
  options.headless = arguments.headless;
  if (arguments.hash) options.hashing = survey::Hashing::contents;
  options.logs = supervisor::run_dir_base();
  survey::SurveyPlan plan(wall, options);
  CueWays ways;
  ways.refuses = false;  // `present check` has told of what is missing
  const director::CueShow show = open_cues(file, wall, ways, stop);
  const director::CueDesk desk(wall, show);
  for (std::size_t i = 0; i < show.list.cues.size(); ++i) {
    const cues::Cue& cue = show.list.cues[i];
    // Inputs of cues before are listed with the cue that brings them.
    const auto is_brought = [&](const scene::Region& region) {
      return std::ranges::any_of(cue.regions, [&](const cues::RegionSetting& setting) {
        return setting.name == region.name && setting.source && setting.slate.empty();
      });
    };
    const bool brings_any = std::ranges::any_of(
        cue.regions, [](const cues::RegionSetting& setting) { return setting.source != nullptr; });
    if (!brings_any) continue;
    for (const scene::Region& region : desk.first_scene({}, i).regions)
      if (is_brought(region)) plan.add_region(region, cue.name);
  }
  return plan;
}

std::vector<survey::HostSurvey> run_preflight(const survey::SurveyPlan& plan,
                                              const wall::Wall& wall,
                                              const PreflightArguments& arguments) {
  supervisor::HostSurveyOptions options;
  options.launcher = arguments.launcher;
  options.local = arguments.local;
  options.key_file = arguments.key_file;
  return supervisor::survey_hosts(
      wall, options, [&](const supervisor::LaunchHost& host, const std::string& clock) {
        return plan.request_for(host.panels, clock);
      });
}

}  // namespace tilewall::cli
