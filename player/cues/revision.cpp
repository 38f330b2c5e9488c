#include "player/cues/revision.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "player/scene/scene.hpp"

namespace tilewall::cues {
namespace {

bool is_removed(const RegionSetting& setting) { return setting.removed; }
bool is_removed(const RegionEntry& entry) { return entry.remove; }

template <typename T>
void set_by(std::optional<T>& value, const std::optional<T>& by) {
  if (by) value = by;
}

template <typename Region>
auto region_named(std::vector<Region>& regions, const std::string& name) {
  return std::ranges::find(regions, name, &Region::name);
}

void revise(RegionSetting& setting, const RegionSetting& by) {
  setting.removed = by.removed;
  if (by.source) {
    setting.source = by.source;
    setting.view_px.reset();
    setting.look.reset();
    setting.slate.clear();
  }
  set_by(setting.canvas_px, by.canvas_px);
  set_by(setting.view_px, by.view_px);
  set_by(setting.fit, by.fit);
  set_by(setting.opacity, by.opacity);
  set_by(setting.blend, by.blend);
  set_by(setting.difference_gain, by.difference_gain);
  set_by(setting.group, by.group);
  set_by(setting.play, by.play);
  set_by(setting.look, by.look);
}

/// Revises the cue's own settings, which a Cue and a CueEntry have under the same names.
template <typename AnyCue>
void revise_wall(AnyCue& cue, const AnyCue& by) {
  set_by(cue.note, by.note);
  set_by(cue.black, by.black);
  set_by(cue.compare, by.compare);
  set_by(cue.bezels, by.bezels);
  set_by(cue.content, by.content);
  set_by(cue.volume, by.volume);
  set_by(cue.mute, by.mute);
}

/// Revises the cue's regions. `is_there_before` tells whether the wall has a region before the cue;
/// another one is not removed but left out.
template <typename Region, typename ReviseOne, typename IsThere>
void revise_regions(std::vector<Region>& regions, const std::vector<Region>& by,
                    const ReviseOne& revise_one, const IsThere& is_there_before) {
  for (const Region& change : by) {
    const auto found = region_named(regions, change.name);
    if (is_removed(change) && !is_there_before(change.name)) {
      if (found != regions.end()) regions.erase(found);
    } else if (found == regions.end() || is_removed(change)) {
      if (found != regions.end()) regions.erase(found);
      regions.push_back(change);
    } else {
      revise_one(*found, change);
    }
  }
}

void revise(RegionEntry& entry, const RegionEntry& by) {
  const int line = entry.line;
  const double glide_s = entry.glide_s;
  entry = tracked(entry, by);
  entry.line = line;
  entry.glide_s = glide_s;
}

template <typename IsThere>
void revise(CueEntry& cue, const CueEntry& by, const IsThere& is_there_before) {
  revise_wall(cue, by);
  const auto main = std::ranges::find(by.regions, scene::main_region, &RegionEntry::name);
  // A pattern is the input of the region "main", which gets another one, and stays the lowest one.
  if (main != by.regions.end() && (main->remove || !main->inputs.empty())) {
    const bool is_listed = region_named(cue.regions, main->name) != cue.regions.end();
    if (cue.pattern && !is_listed && !main->remove) cue.regions.insert(cue.regions.begin(), *main);
    cue.pattern.reset();
  }
  revise_regions(
      cue.regions, by.regions,
      [](RegionEntry& entry, const RegionEntry& change) { revise(entry, change); },
      is_there_before);
}

}  // namespace

void revise(CueList& list, const Revision& revision, const CueState& start) {
  CueList revised = list;
  const std::size_t index = revised.index_of(revision.cue.name);
  CueState before = start;
  for (std::size_t i = 0; i < index; ++i) apply_cue(revised, i, before);
  Cue& cue = revised.cues[index];
  revise_wall(cue, revision.cue);
  revise_regions(
      cue.regions, revision.cue.regions,
      [](RegionSetting& setting, const RegionSetting& change) { revise(setting, change); },
      [&](const std::string& name) {
        return region_named(before.regions, name) != before.regions.end();
      });
  for (std::size_t i = index; i < revised.cues.size(); ++i) apply_cue(revised, i, before);
  const auto known = std::ranges::find(revised.unsaved, revision.entry.name, &CueEntry::name);
  if (known == revised.unsaved.end())
    revised.unsaved.push_back(revision.entry);
  else
    revise(*known, revision.entry, [](const std::string&) { return true; });
  list = std::move(revised);
}

std::vector<std::string> revise(ShowFile& show, const std::vector<CueEntry>& changes) {
  std::vector<const CueEntry*> left;
  left.reserve(changes.size());
  for (const CueEntry& change : changes) left.push_back(&change);
  std::set<std::string> there;  // names of the regions on the wall before the cue
  for (CueEntry& cue : show.cues) {
    const auto change = std::ranges::find(
        left, cue.name, [](const CueEntry* one) -> const auto& { return one->name; });
    if (change != left.end()) {
      revise(cue, **change, [&](const std::string& name) { return there.contains(name); });
      left.erase(change);
    }
    for (const RegionEntry& region : regions_of(cue))
      if (region.remove)
        there.erase(region.name);
      else
        there.insert(region.name);
  }
  std::vector<std::string> lacking;
  lacking.reserve(left.size());
  for (const CueEntry* const change : left) lacking.push_back(change->name);
  return lacking;
}

std::string changes_text(const std::vector<CueEntry>& changes) {
  std::string text;
  for (const CueEntry& change : changes) text += (text.empty() ? "" : "\n") + to_text(change);
  return text;
}

std::vector<CueEntry> changes_from_text(std::string_view text) {
  if (text.empty()) return {};
  return show_from_text("changes", text).cues;
}

}  // namespace tilewall::cues
