#include "player/cli/present/kiosk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sync/base/error.hpp"
#include "sync/base/nearest.hpp"

namespace tilewall::cli {
namespace {

// How long a cue without a movie is shown that waits for an operator otherwise.
constexpr double kiosk_wait_s = 10;

bool ends_by_itself(const cues::Cue& cue) {
  return std::ranges::any_of(cue.regions, [](const cues::RegionSetting& region) {
    const bool is_endless = region.source && region.source->kind == scene::SourceKind::pattern;
    return region.play && !is_endless && !region.play->hold &&
           region.play->end - region.play->first > 1 &&
           (region.play->loop == sync::LoopMode::once || region.play->rounds > 0);
  });
}

}  // namespace

void make_kiosk(cues::CueList& list, const std::string& section) {
  const auto belongs = [&](const cues::Cue& cue) {
    return section.empty() || cue.section == section;
  };
  bool has_any = false;
  for (cues::Cue& cue : list.cues) {
    if (!belongs(cue)) continue;
    has_any = true;
    if (cue.follow) continue;
    cue.follow = ends_by_itself(cue) ? cues::Follow{cues::Follow::Kind::at_end, 0}
                                     : cues::Follow{cues::Follow::Kind::after, kiosk_wait_s};
  }
  if (!has_any) {
    std::vector<std::string_view> names;
    for (const cues::Cue& cue : list.cues) names.push_back(cue.section);
    std::erase(names, "");
    throw InputError({"--section"}, "",
                     names.empty() ? "a section of the show, which has none"
                                   : fmt::format("a section of the show (nearest: {})",
                                                 nearest_word(section, names)),
                     '"' + section + '"');
  }
  list.kiosk = section;
  if (section.empty()) {
    for (cues::Cue& cue : list.cues) cue.section = "kiosk";
    list.sections = {{"kiosk", true, 0}};
    return;
  }
  const auto known = std::ranges::find(list.sections, section, &cues::SectionEntry::name);
  if (known != list.sections.end())
    *known = {section, true, 0};
  else
    list.sections.push_back({section, true, 0});
}

}  // namespace tilewall::cli
