#include "player/cues/cue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sync/base/error.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cues {
namespace {

/// Refuses what a cue of a list sets.
class CueFault {
 public:
  CueFault(const CueList& list, const Cue& cue) : list_(list), cue_(cue) {}

  /// `what` is the part of the cue, such as "compare".
  [[noreturn]] void refuse(std::string_view what, std::string_view expected,
                           std::string_view found) const {
    throw InputError({list_.file.empty() ? "show" : list_.file},
                     fmt::format("cue \"{}\".{}", cue_.name, what), expected, found);
  }

  [[noreturn]] void refuse(const RegionSetting& setting, std::string_view expected,
                           std::string_view found) const {
    refuse(fmt::format("region \"{}\"", setting.name), expected, found);
  }

 private:
  const CueList& list_;
  const Cue& cue_;
};

template <typename T>
void set_if(T& value, const std::optional<T>& setting) {
  if (setting) value = *setting;
}

void apply_region(const RegionSetting& setting, std::size_t index, const CueFault& fault,
                  std::vector<RegionState>& regions) {
  auto region = std::find_if(regions.begin(), regions.end(),
                             [&](const RegionState& one) { return one.name == setting.name; });
  if (region == regions.end()) {
    if (setting.removed) fault.refuse(setting, "a region of a cue before", "none of this name");
    if (!setting.source)
      fault.refuse(setting, "an input, because no cue before has this region", "none");
    regions.push_back({});
    region = regions.end() - 1;
    region->name = setting.name;
  } else if (setting.removed) {
    regions.erase(region);
    return;
  }
  if (setting.source) {
    region->source = setting.source;
    region->view_px.reset();
    region->look.reset();
    region->slate.clear();
  }
  if (setting.source || setting.play) region->begun_by = index;
  if (setting.view_px) region->view_px = setting.view_px;
  if (setting.look) region->look = setting.look;
  if (!setting.slate.empty()) region->slate = setting.slate;
  set_if(region->canvas_px, setting.canvas_px);
  set_if(region->fit, setting.fit);
  set_if(region->opacity, setting.opacity);
  set_if(region->blend, setting.blend);
  set_if(region->difference_gain, setting.difference_gain);
  set_if(region->group, setting.group);
  set_if(region->play, setting.play);
  region->glide_s = setting.glide_s;
  if (region->play.end > region->source->frames)
    fault.refuse(setting, fmt::format("a range within {} frames", region->source->frames),
                 fmt::format("one up to {}", region->play.end));
}

void apply_comparison(const CompareSetting& setting, const CueFault& fault, CueState& state) {
  if (!setting.mode) {
    state.compare.reset();
    return;
  }
  const scene::SourcePtr shown = state.compare ? state.compare->source : nullptr;
  state.compare = setting;
  if (!setting.source) state.compare->source = shown;
  if (!state.compare->source)
    fault.refuse("compare", "an input, because no comparison is shown", "none");
}

bool is_in_section(const CueList& list, std::size_t index, std::string_view section) {
  return index < list.cues.size() && list.cues[index].section == section;
}

std::size_t begin_of_section(const CueList& list, std::size_t index) {
  const std::string& section = list.cues[index].section;
  while (index > 0 && is_in_section(list, index - 1, section)) --index;
  return index;
}

/// Whether the section of a cue begins again after a round.
bool begins_again(const CueList& list, std::string_view section, std::int64_t rounds) {
  const auto found = std::ranges::find(list.sections, section, &SectionEntry::name);
  return found != list.sections.end() && found->loop &&
         (found->rounds == 0 || rounds + 1 < found->rounds);
}

}  // namespace

std::size_t CueList::index_of(std::string_view text) const {
  auto found = std::ranges::find(cues, text, &Cue::name);
  if (found == cues.end() && !text.empty()) found = std::ranges::find(cues, text, &Cue::number);
  if (found != cues.end()) return static_cast<std::size_t>(found - cues.begin());
  std::vector<std::string_view> known;
  for (const Cue& cue : cues) {
    known.push_back(cue.name);
    if (!cue.number.empty()) known.push_back(cue.number);
  }
  const std::string_view nearest = nearest_word(text.substr(0, max_name_bytes), known);
  throw InputError({"show"}, "cue",
                   fmt::format("the name or number of a cue (the nearest is \"{}\")", nearest),
                   fmt::format("\"{}\"", escaped_text(text)));
}

void apply_cue(const CueList& list, std::size_t index, CueState& state) {
  const Cue& cue = list.cues[index];
  const CueFault fault(list, cue);
  for (RegionState& region : state.regions) region.glide_s = 0;
  for (const RegionSetting& setting : cue.regions)
    apply_region(setting, index, fault, state.regions);
  if (state.regions.empty())
    fault.refuse("region", "at least one region on the wall", "none after this cue");
  if (cue.compare) apply_comparison(*cue.compare, fault, state);
  const std::size_t shown = state.regions.size() + (state.compare ? 1 : 0);
  if (shown > scene::max_regions)
    fault.refuse("region", fmt::format("at most {} regions on the wall", scene::max_regions),
                 fmt::format("{}", shown));
  set_if(state.black, cue.black);
  set_if(state.bezels, cue.bezels);
  set_if(state.content, cue.content);
  set_if(state.volume, cue.volume);
  set_if(state.muted, cue.mute);
}

CueState resolve(const CueList& list, std::size_t index, const CueState& start) {
  CueState state = start;
  for (std::size_t i = 0; i <= index; ++i) apply_cue(list, i, state);
  return state;
}

std::optional<NextCue> next_of(const CueList& list, std::size_t index, std::int64_t rounds) {
  const Cue& cue = list.cues[index];
  if (cue.next) return NextCue{list.index_of(*cue.next), false};
  const bool ends_section = !cue.section.empty() && !is_in_section(list, index + 1, cue.section);
  if (ends_section && begins_again(list, cue.section, rounds))
    return NextCue{begin_of_section(list, index), true};
  if (index + 1 < list.cues.size()) return NextCue{index + 1, false};
  return std::nullopt;
}

}  // namespace tilewall::cues
