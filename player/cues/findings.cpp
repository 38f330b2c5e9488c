// What is wrong with a show as a whole: how its cues lead to each other, and what each of them
// finds on the wall.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "player/cues/show_file.hpp"
#include "player/movie/playlist/playlist.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::cues {
namespace {

/// Collects findings, which refer to cues by their index.
class FindingList {
 public:
  explicit FindingList(const ShowFile& show) : show_(show) {}

  void error(std::size_t cue, int line, std::string text) {
    add(true, line, show_.cues[cue].name, std::move(text));
  }
  void error(std::size_t cue, std::string text) {
    error(cue, show_.cues[cue].line, std::move(text));
  }
  void advice(std::size_t cue, int line, std::string text) {
    add(false, line, show_.cues[cue].name, std::move(text));
  }
  void advice(std::size_t cue, std::string text) {
    advice(cue, show_.cues[cue].line, std::move(text));
  }
  void advice(std::string text) { add(false, 0, "", std::move(text)); }

  /// By lines, errors and advice together.
  std::vector<Finding> take() {
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.line < b.line; });
    return std::move(findings_);
  }

 private:
  void add(bool is_error, int line, std::string cue, std::string text) {
    findings_.push_back({is_error, line, std::move(cue), std::move(text)});
  }

  const ShowFile& show_;
  std::vector<Finding> findings_;
};

// How cues lead to each other.

/// Where the show goes on from a cue.
struct Ways {
  static constexpr std::size_t none = SIZE_MAX;
  std::size_t on = none;     ///< the cue that its `goto` names, or the one behind
  std::size_t again = none;  ///< the first cue of its section, where that loops and ends here
};

std::vector<Ways> ways_of(const ShowFile& show) {
  std::unordered_map<std::string_view, std::size_t> cues;
  for (std::size_t i = 0; i < show.cues.size(); ++i)
    if (!show.cues[i].number.empty()) cues.emplace(show.cues[i].number, i);
  for (std::size_t i = 0; i < show.cues.size(); ++i) cues.insert_or_assign(show.cues[i].name, i);
  std::unordered_map<std::string_view, const SectionEntry*> sections;
  for (const SectionEntry& section : show.sections) sections.emplace(section.name, &section);

  std::vector<Ways> ways(show.cues.size());
  const SectionEntry* section = nullptr;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < show.cues.size(); ++i) {
    const CueEntry& cue = show.cues[i];
    if (!cue.section.empty()) {
      section = sections.at(cue.section);
      begin = i;
    }
    const bool is_last = i + 1 == show.cues.size();
    const bool ends = is_last || !show.cues[i + 1].section.empty();
    if (cue.goto_cue) {
      ways[i].on = cues.at(*cue.goto_cue);
    } else if (ends && section != nullptr && section->loop) {
      ways[i].again = begin;
      if (section->rounds > 0 && !is_last) ways[i].on = i + 1;
    } else if (!is_last) {
      ways[i].on = i + 1;
    }
  }
  return ways;
}

/// Cues that no way leads to from the first one. The cues behind one of them are named with it.
void find_unreached(const std::vector<Ways>& ways, FindingList& findings) {
  std::vector<bool> reached(ways.size());
  std::vector<std::size_t> open = {0};
  while (!open.empty()) {
    const std::size_t cue = open.back();
    open.pop_back();
    if (cue == Ways::none || reached[cue]) continue;
    reached[cue] = true;
    open.push_back(ways[cue].on);
    // People leave a section that loops, such as before the talk, for the cue behind it.
    if (ways[cue].again != Ways::none && cue + 1 < ways.size()) open.push_back(cue + 1);
    open.push_back(ways[cue].again);
  }
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (reached[i]) continue;
    std::size_t end = i + 1;
    while (end < ways.size() && !reached[end]) ++end;
    const std::string more = end == i + 1 ? "" : fmt::format(" and the {} behind it", end - i - 1);
    findings.advice(i,
                    fmt::format("no cue leads to this one{}: only an operator's goto does", more));
    i = end;
  }
}

/// For each cue, whether it is in a section that loops for ever.
std::vector<bool> in_endless_sections(const ShowFile& show) {
  std::vector<bool> loops(show.cues.size());
  bool is_in_one = false;
  for (std::size_t i = 0; i < show.cues.size(); ++i) {
    if (const std::string& name = show.cues[i].section; !name.empty()) {
      const auto section = std::ranges::find(show.sections, name, &SectionEntry::name);
      is_in_one = section->loop && section->rounds == 0;
    }
    loops[i] = is_in_one;
  }
  return loops;
}

/// Cues that follow each other by themselves in a circle, which ends no show. One through a section
/// that loops for ever is meant so, and one with a time of day is a day's plan.
void find_endless_follows(const ShowFile& show, const std::vector<Ways>& ways,
                          FindingList& findings) {
  const std::vector<bool> loops = in_endless_sections(show);
  const auto is_meant = [&](std::size_t cue) {
    return loops[cue] || show.cues[cue].follow->kind == Follow::Kind::at_clock;
  };
  std::vector<std::size_t> walk_of(ways.size(), 0);  // the walk that came by, from 1; 0: none yet
  for (std::size_t begin = 0; begin < ways.size(); ++begin) {
    std::size_t cue = begin;
    while (cue != Ways::none && walk_of[cue] == 0 && show.cues[cue].follow) {
      walk_of[cue] = begin + 1;
      cue = ways[cue].on;
    }
    if (cue == Ways::none || walk_of[cue] != begin + 1) continue;
    bool is_plan = is_meant(cue);
    for (std::size_t next = ways[cue].on; next != cue; next = ways[next].on)
      is_plan = is_plan || is_meant(next);
    if (is_plan) continue;
    findings.error(cue,
                   "the cues from this one on follow each other for ever: put them into a "
                   "[[section]] with loop = true, or take a follow away");
  }
}

void find_idle_follows(const ShowFile& show, const std::vector<Ways>& ways, FindingList& findings) {
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (show.cues[i].follow && ways[i].on == Ways::none && ways[i].again == Ways::none)
      findings.advice(i, "no cue is behind this one, so its follow does nothing");
}

void find_empty_sections(const ShowFile& show, FindingList& findings) {
  std::unordered_set<std::string_view> begun;
  for (const CueEntry& cue : show.cues) begun.insert(cue.section);
  for (const SectionEntry& section : show.sections)
    if (!begun.contains(section.name))
      findings.advice(fmt::format("section \"{}\": no cue begins it", section.name));
}

// What cues find on the wall.

bool is_endless(const RegionEntry& region) {
  return region.hold.value_or(false) ||
         (region.loop.value_or(Looping::once) != Looping::once && !region.rounds);
}

/// Whether an input cannot be a volume, by its name.
bool is_no_volume(const std::string& input) {
  return input.starts_with("pattern:") || movie::has_movie_name(input);
}

/// The regions on the wall, cue by cue.
class WallWalk {
 public:
  WallWalk(const ShowFile& show, FindingList& findings) : show_(show), findings_(findings) {}

  void step(std::size_t index) {
    const CueEntry& cue = show_.cues[index];
    for (const RegionEntry& region : regions_of(cue)) change(index, region);
    if (cue.compare) compare(index, *cue.compare);
    check_count(index);
    if (cue.follow && cue.follow->kind == Follow::Kind::at_end) check_end(index);
  }

 private:
  void change(std::size_t index, const RegionEntry& entry) {
    const auto found = regions_.find(entry.name);
    if (entry.remove) {
      if (found == regions_.end())
        findings_.error(index, entry.line,
                        fmt::format("region \"{}\" is removed, but not on the wall", entry.name));
      else
        regions_.erase(found);
      return;
    }
    if (found == regions_.end() && entry.inputs.empty())
      findings_.error(
          index, entry.line,
          fmt::format("region \"{}\" is not on the wall yet: give it an input", entry.name));
    RegionEntry& now = regions_[entry.name];
    now = tracked(now, entry);
    if (entry.volume.empty() || now.inputs.empty() ||
        !std::ranges::all_of(now.inputs, is_no_volume))
      return;
    findings_.advice(index, entry.line,
                     fmt::format("region \"{}\": {} is for volumes, and \"{}\" is none", entry.name,
                                 entry.volume.begin()->first, now.inputs.front()));
  }

  void compare(std::size_t index, const CompareEntry& entry) {
    if (entry.mode == "off") {
      compares_ = false;
      return;
    }
    if (!compares_ && entry.input.empty())
      findings_.error(index, "compare needs an input, because no comparison is shown");
    compares_ = true;
  }

  /// Reports the first of consecutive cues alone.
  void check_count(std::size_t index) {
    const std::size_t shown = regions_.size() + (compares_ ? 1 : 0);
    const bool is_wrong = regions_.empty() || shown > scene::max_regions;
    if (is_wrong && !was_wrong_ && shown > scene::max_regions)
      findings_.error(index, fmt::format("{} regions are on the wall, at most {} can be", shown,
                                         scene::max_regions));
    else if (is_wrong && !was_wrong_)
      findings_.error(index, index == 0 ? "the first cue has no region: give it an input, or "
                                          "pattern = \"black\""
                                        : "no region is left on the wall: use black = true");
    was_wrong_ = is_wrong;
  }

  void check_end(std::size_t index) {
    for (const auto& [name, region] : regions_)
      if (is_endless(region)) {
        findings_.advice(
            index,
            fmt::format("follow = \"at end\" waits for region \"{}\", which never ends", name));
        return;
      }
  }

  const ShowFile& show_;
  FindingList& findings_;
  std::map<std::string, RegionEntry> regions_;
  bool compares_ = false;
  bool was_wrong_ = false;
};

}  // namespace

std::vector<Finding> findings_of(const ShowFile& show) {
  FindingList findings(show);
  const std::vector<Ways> ways = ways_of(show);
  find_unreached(ways, findings);
  find_endless_follows(show, ways, findings);
  find_idle_follows(show, ways, findings);
  find_empty_sections(show, findings);
  WallWalk walk(show, findings);
  for (std::size_t i = 0; i < show.cues.size(); ++i) walk.step(i);
  return findings.take();
}

}  // namespace tilewall::cues
