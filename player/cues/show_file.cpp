#include "player/cues/show_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "player/cues/region_reader.hpp"
#include "player/cues/show_words.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/base/file.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cues {
namespace {

using wall::TomlSection;

constexpr std::string_view file_keys[] = {"show", "section", "cue"};
constexpr std::string_view show_keys[] = {"name",    "fade",    "late",  "bezels",
                                          "content", "missing", "bounce"};
constexpr std::string_view section_keys[] = {"name", "loop", "rounds"};
constexpr std::string_view own_cue_keys[] = {
    "name",   "number",  "note",   "colour", "section",    "black",  "pattern", "compare",
    "bezels", "content", "volume", "mute",   "transition", "follow", "goto",    "region"};
constexpr std::string_view compare_keys[] = {"mode", "input", "line", "gain"};

constexpr std::size_t longest_name = 256;

/// Keys of a [[cue]], those of its only region among them.
const std::vector<std::string_view>& cue_keys() {
  static const std::vector<std::string_view> keys = [] {
    std::vector<std::string_view> all(std::begin(own_cue_keys), std::end(own_cue_keys));
    all.insert(all.end(), inline_region_keys().begin(), inline_region_keys().end());
    return all;
  }();
  return keys;
}

template <std::size_t count>
std::optional<std::string> mode_at(const TomlSection& table, std::string_view key,
                                   const std::string_view (&words)[count]) {
  const auto word = word_at(table, key, words);
  if (!word) return {};
  return std::string(words[*word]);
}

void read_settings(const TomlSection& table, ShowFile& show) {
  show.name = table.text("name", longest_name).value_or("");
  show.fade_s = table.number("fade", {0, longest_fade_s}).value_or(0);
  show.late = mode_at(table, "late", scene::late_policy_names).value_or(show.late);
  show.bezels = mode_at(table, "bezels", wall::bezel_mode_names);
  show.content = mode_at(table, "content", wall::content_mode_names);
  if (const auto missing = word_at(table, "missing", missing_words))
    show.missing = static_cast<MissingInput>(*missing);
  show.bounce_s = table.number("bounce", {0, longest_bounce_s}).value_or(show.bounce_s);
}

std::string name_at(const TomlSection& table) {
  const auto name = table.text("name", max_name_bytes);
  if (!name) table.refuse("name", fmt::format("a text of 1 to {} characters", max_name_bytes));
  return *name;
}

SectionEntry section_from(const TomlSection& table) {
  SectionEntry section;
  section.name = name_at(table);
  section.loop = table.boolean("loop").value_or(false);
  if (table.has("rounds") && !section.loop) table.refuse("rounds", "loop = true beside it");
  section.rounds = table.integer("rounds", {1, max_rounds}).value_or(0);
  return section;
}

std::string number_at(const TomlSection& table) {
  if (table.is_integer("number"))
    return fmt::format("{}", table.integer("number", {0, 1'000'000'000}).value());
  // The number 12.10 would read as 12.1.
  if (table.is_number("number")) table.refuse("number", "a text such as \"12.5\", or an integer");
  return table.text("number", max_name_bytes).value_or("");
}

std::optional<std::string> note_at(const TomlSection& table) {
  std::optional<std::string> note = table.any_text("note");
  if (note && note->size() > max_note_bytes)
    table.refuse("note", fmt::format("a text of at most {} bytes", max_note_bytes),
                 fmt::format("one of {}", note->size()));
  return note;
}

std::optional<CompareEntry> compare_at(const TomlSection& cue) {
  if (!cue.has("compare")) return {};
  CompareEntry compare;
  if (cue.is_text("compare")) {
    compare.mode = mode_at(cue, "compare", compare_words).value();
    return compare;
  }
  const TomlSection table = cue.table("compare", compare_keys).value();
  const auto mode = mode_at(table, "mode", compare_words);
  if (!mode) table.refuse("mode", fmt::format("one of {}", fmt::join(compare_words, ", ")));
  compare.mode = *mode;
  if (compare.mode == "off")
    for (const std::string_view key : {"input", "line", "gain"})
      if (table.has(key)) table.refuse(key, "nothing beside mode = \"off\"");
  if (table.has("input")) {
    const std::vector<std::string> inputs = inputs_at(table, "input");
    if (inputs.size() > 1) table.refuse("input", "one input");
    compare.input = inputs.front();
  }
  compare.line = table.number("line", {0, 1});
  compare.gain = table.number("gain", {1, scene::max_difference_gain});
  return compare;
}

std::optional<Transition> transition_at(const TomlSection& cue) {
  const auto text = cue.any_text("transition");
  if (!text) return {};
  const auto transition = transition_from(*text);
  if (!transition)
    cue.refuse("transition", "\"cut\", \"fade 1.5\" or \"through_black 2\", with up to 60 seconds");
  return transition;
}

std::optional<Follow> follow_at(const TomlSection& cue) {
  const auto text = cue.any_text("follow");
  if (!text) return {};
  const auto follow = follow_from(*text);
  if (!follow) cue.refuse("follow", "\"after 5\" (seconds), \"at end\" or \"at 20:15:00\"");
  return follow;
}

bool has_inline_region(const TomlSection& cue) {
  return std::ranges::any_of(inline_region_keys(),
                             [&](std::string_view key) { return cue.has(key); });
}

void read_regions(const TomlSection& table, CueEntry& cue) {
  if (has_inline_region(table)) cue.regions.push_back(inline_region_from(table));
  std::vector<TomlSection> tables = table.tables("region", region_keys(), "name");
  if (tables.size() + cue.regions.size() > scene::max_regions)
    table.refuse("region", fmt::format("at most {} regions", scene::max_regions),
                 fmt::format("{}", tables.size() + cue.regions.size()));
  std::unordered_set<std::string> names;
  if (!cue.regions.empty()) names.insert(cue.regions.front().name);
  for (const TomlSection& region : tables) {
    cue.regions.push_back(region_from(region));
    if (!names.insert(cue.regions.back().name).second)
      region.refuse("name", "each region once in a cue",
                    fmt::format("\"{}\" again", cue.regions.back().name));
  }
  if (!cue.pattern) return;
  for (const RegionEntry& region : cue.regions)
    if (region.name == scene::main_region && (region.remove || !region.inputs.empty()))
      table.refuse("pattern", "nothing beside an input or the removal of the region \"main\"");
}

CueEntry cue_from(const TomlSection& table) {
  CueEntry cue;
  cue.line = table.line();
  cue.end_line = table.end_line();
  cue.name = name_at(table);
  cue.number = number_at(table);
  cue.note = note_at(table);
  if (const auto colour = mode_at(table, "colour", cue_colours)) cue.colour = *colour;
  cue.section = table.text("section", max_name_bytes).value_or("");
  cue.black = table.boolean("black");
  cue.pattern = table.text("pattern", max_name_bytes);
  cue.compare = compare_at(table);
  cue.bezels = mode_at(table, "bezels", wall::bezel_mode_names);
  cue.content = mode_at(table, "content", wall::content_mode_names);
  cue.volume = table.number("volume", {0, loudest});
  cue.mute = table.boolean("mute");
  cue.transition = transition_at(table);
  cue.follow = follow_at(table);
  cue.goto_cue = table.text("goto", max_name_bytes);
  read_regions(table, cue);
  return cue;
}

/// Checks the names of a show: each once, and each that is referred to exists.
class NameCheck {
 public:
  NameCheck(std::string file, const ShowFile& show) : file_(std::move(file)), show_(show) {}

  void check() {
    // Names come before numbers: a number that is another cue's name is the mistake.
    for (const CueEntry& cue : show_.cues) add(cue, "name", cue.name);
    for (const CueEntry& cue : show_.cues)
      if (!cue.number.empty() && cue.number != cue.name) add(cue, "number", cue.number);
    check_sections();
    for (const CueEntry& cue : show_.cues)
      if (cue.goto_cue && !cues_.contains(*cue.goto_cue))
        refuse_unknown(cue, "goto", *cue.goto_cue, "the name or number of a cue", known_cues());
  }

 private:
  [[noreturn]] void refuse(const CueEntry& cue, std::string_view key, std::string_view expected,
                           std::string_view found) const {
    throw InputError({file_, cue.line}, fmt::format("cue \"{}\".{}", escaped_text(cue.name), key),
                     expected, found);
  }

  [[noreturn]] void refuse_unknown(const CueEntry& cue, std::string_view key,
                                   std::string_view found, std::string_view expected,
                                   const std::vector<std::string_view>& known) const {
    const std::string_view nearest = nearest_word(found, known);
    refuse(cue, key,
           nearest.empty() ? std::string(expected)
                           : fmt::format("{} (the nearest is \"{}\")", expected, nearest),
           fmt::format("\"{}\"", escaped_text(found)));
  }

  void add(const CueEntry& cue, std::string_view key, std::string_view text) {
    const auto [other, is_new] = cues_.try_emplace(text, &cue);
    if (!is_new)
      refuse(cue, key, "a name or number that no other cue has",
             fmt::format("\"{}\" again, as in line {}", escaped_text(text), other->second->line));
  }

  void check_sections() const {
    std::unordered_set<std::string_view> known;
    for (const SectionEntry& section : show_.sections)
      if (!known.insert(section.name).second)
        throw InputError({file_}, "section.name", "each section once",
                         fmt::format("\"{}\" again", escaped_text(section.name)));
    std::unordered_set<std::string_view> begun;
    for (const CueEntry& cue : show_.cues) {
      if (cue.section.empty()) continue;
      if (!known.contains(cue.section))
        refuse_unknown(cue, "section", cue.section, "the name of a [[section]]",
                       {known.begin(), known.end()});
      if (!begun.insert(cue.section).second)
        refuse(cue, "section", "the first cue of a section alone to name it",
               fmt::format("\"{}\" again", escaped_text(cue.section)));
    }
  }

  [[nodiscard]] std::vector<std::string_view> known_cues() const {
    std::vector<std::string_view> known;
    for (const auto& [name, cue] : cues_) known.push_back(name);
    std::sort(known.begin(), known.end());
    return known;
  }

  const std::string file_;
  const ShowFile& show_;
  std::unordered_map<std::string_view, const CueEntry*> cues_;
};

// What comparisons of regions, cues and shows look at.

auto fields_of(const RegionEntry& r) {
  return std::tie(r.name, r.remove, r.inputs, r.place, r.view_px, r.fit, r.opacity, r.blend,
                  r.difference_gain, r.group, r.start, r.in, r.out, r.loop, r.rounds, r.fps,
                  r.speed, r.hold, r.volume, r.glide_s, r.missing);
}

auto fields_of(const CueEntry& c) {
  return std::tie(c.name, c.number, c.note, c.colour, c.section, c.black, c.pattern, c.compare,
                  c.bezels, c.content, c.volume, c.mute, c.transition, c.follow, c.goto_cue,
                  c.regions);
}

auto fields_of(const ShowFile& s) {
  return std::tie(s.name, s.fade_s, s.late, s.bezels, s.content, s.missing, s.bounce_s, s.sections,
                  s.cues);
}

template <typename T>
void set_over(std::optional<T>& value, const std::optional<T>& change) {
  if (change) value = change;
}

bool is_reading_option(const std::string& name) {
  return std::ranges::find(reading_options, name) != std::end(reading_options);
}

/// The region without what belongs to its input.
RegionEntry without_input(const RegionEntry& region) {
  RegionEntry bare;
  bare.place = region.place;
  bare.fit = region.fit;
  bare.opacity = region.opacity;
  bare.blend = region.blend;
  bare.difference_gain = region.difference_gain;
  bare.group = region.group;
  return bare;
}

}  // namespace

bool RegionEntry::operator==(const RegionEntry& other) const {
  return fields_of(*this) == fields_of(other);
}

bool CueEntry::operator==(const CueEntry& other) const {
  return fields_of(*this) == fields_of(other);
}

bool ShowFile::operator==(const ShowFile& other) const {
  return fields_of(*this) == fields_of(other);
}

RegionEntry tracked(const RegionEntry& before, const RegionEntry& change) {
  if (change.remove) return change;
  RegionEntry region = change.inputs.empty() ? before : without_input(before);
  if (!change.inputs.empty()) region.inputs = change.inputs;
  region.line = change.line;
  region.name = change.name;
  region.remove = false;
  region.glide_s = change.glide_s;
  set_over(region.place, change.place);
  set_over(region.view_px, change.view_px);
  set_over(region.fit, change.fit);
  set_over(region.opacity, change.opacity);
  set_over(region.blend, change.blend);
  set_over(region.difference_gain, change.difference_gain);
  set_over(region.group, change.group);
  set_over(region.start, change.start);
  set_over(region.in, change.in);
  set_over(region.out, change.out);
  set_over(region.loop, change.loop);
  if (change.loop) region.rounds = change.rounds;
  set_over(region.fps, change.fps);
  set_over(region.speed, change.speed);
  set_over(region.hold, change.hold);
  if (change.volume.contains("look"))
    std::erase_if(region.volume,
                  [](const auto& option) { return !is_reading_option(option.first); });
  for (const auto& [name, value] : change.volume) region.volume[name] = value;
  set_over(region.missing, change.missing);
  return region;
}

std::vector<RegionEntry> regions_of(const CueEntry& cue) {
  std::vector<RegionEntry> regions = cue.regions;
  if (!cue.pattern) return regions;
  auto main = std::ranges::find(regions, scene::main_region, &RegionEntry::name);
  if (main == regions.end()) {
    main = regions.insert(regions.begin(), RegionEntry());
    main->line = cue.line;
  }
  main->inputs = {"pattern:" + *cue.pattern};
  return regions;
}

std::string read_show_text(const std::filesystem::path& file) {
  return read_text_file(file, max_show_bytes);
}

ShowFile read_show_file(const std::filesystem::path& file) {
  return show_from_text(file, read_show_text(file));
}

ShowFile show_from_text(const std::filesystem::path& name, std::string_view text) {
  const wall::TomlFile file(name.string(), text, max_show_bytes);
  const TomlSection root = file.root(file_keys);
  ShowFile show;
  show.file = name;
  if (const auto settings = root.table("show", show_keys)) read_settings(*settings, show);
  for (const TomlSection& section : root.tables("section", section_keys, "name"))
    show.sections.push_back(section_from(section));
  const std::vector<TomlSection> cues = root.tables("cue", cue_keys(), "name");
  if (cues.empty() || cues.size() > max_cues)
    root.refuse("cue", fmt::format("1 to {} cues, written [[cue]]", max_cues),
                fmt::format("{}", cues.size()));
  for (const TomlSection& cue : cues) show.cues.push_back(cue_from(cue));
  NameCheck(name.string(), show).check();
  return show;
}

}  // namespace tilewall::cues
