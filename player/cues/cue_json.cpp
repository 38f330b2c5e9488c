// The list of cues as JSON, for the director and its journal.

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "player/cues/cue.hpp"
#include "player/scene/timeline_json.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::cues {
namespace {

using Json = nlohmann::json;

constexpr std::string_view transition_kinds[] = {"cut", "fade", "through_black"};
constexpr std::string_view follow_kinds[] = {"after", "at_end", "at_clock"};
constexpr std::string_view blend_names[] = {"over", "difference"};
constexpr double largest_px = 1e9;
constexpr std::size_t most_text_bytes = 4096;

template <typename Enum, std::size_t count>
std::string word_of(Enum value, const std::string_view (&names)[count]) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

/// Sets a field of `json` where there is a value.
template <typename T>
void put(Json& json, const char* field, const std::optional<T>& value) {
  if (value) json[field] = *value;
}
void put(Json& json, const char* field, const std::string& text) {
  if (!text.empty()) json[field] = text;
}

Json rectangle_json(const RectF& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

/// The sources of a list, each once, and their numbers.
class SourceTable {
 public:
  std::size_t number_of(const scene::SourcePtr& source) {
    const auto [known, is_new] = by_address_.try_emplace(source.get(), 0);
    if (is_new) {
      Json json = scene::to_json(*source);
      const auto [same, is_other] = by_text_.try_emplace(json.dump(), sources_.size());
      if (is_other) sources_.push_back(std::move(json));
      known->second = same->second;
    }
    return known->second;
  }

  Json take() { return std::move(sources_); }

 private:
  std::unordered_map<const scene::SourceSpec*, std::size_t> by_address_;
  std::unordered_map<std::string, std::size_t> by_text_;
  Json sources_ = Json::array();
};

Json play_json(const PlayState& play) {
  return {{"start", play.start},
          {"first", play.first},
          {"end", play.end},
          {"loop", scene::to_string(play.loop)},
          {"rounds", play.rounds},
          {"fps", scene::to_json(play.fps)},
          {"speed", scene::to_json(play.speed)},
          {"backwards", play.backwards},
          {"hold", play.hold}};
}

Json setting_json(const RegionSetting& setting, SourceTable& sources) {
  Json json = {{"name", setting.name}};
  if (setting.removed) json["removed"] = true;
  if (setting.source) json["source"] = sources.number_of(setting.source);
  if (setting.canvas_px) json["canvas_px"] = rectangle_json(*setting.canvas_px);
  if (setting.view_px) json["view_px"] = rectangle_json(*setting.view_px);
  if (setting.fit) json["fit"] = scene::to_string(*setting.fit);
  put(json, "opacity", setting.opacity);
  if (setting.blend) json["blend"] = scene::to_string(*setting.blend);
  put(json, "difference_gain", setting.difference_gain);
  put(json, "group", setting.group);
  if (setting.play) json["play"] = play_json(*setting.play);
  if (setting.look) json["look"] = scene::to_json(*setting.look);
  if (setting.glide_s > 0) json["glide_s"] = setting.glide_s;
  put(json, "slate", setting.slate);
  return json;
}

Json comparison_json(const CompareSetting& compare, SourceTable& sources) {
  Json json = {{"line", compare.line}, {"gain", compare.gain}};
  if (compare.mode) json["mode"] = word_of(*compare.mode, scene::compare_mode_names);
  if (compare.source) json["source"] = sources.number_of(compare.source);
  return json;
}

Json cue_json(const Cue& cue, SourceTable& sources) {
  Json json = {{"name", cue.name}};
  put(json, "number", cue.number);
  put(json, "note", cue.note);
  put(json, "colour", cue.colour);
  put(json, "section", cue.section);
  put(json, "black", cue.black);
  if (cue.compare) json["compare"] = comparison_json(*cue.compare, sources);
  if (cue.bezels) json["bezels"] = word_of(*cue.bezels, wall::bezel_mode_names);
  if (cue.content) json["content"] = std::string(wall::to_string(*cue.content));
  put(json, "volume", cue.volume);
  put(json, "mute", cue.mute);
  json["transition"] = {{"kind", word_of(cue.transition.kind, transition_kinds)},
                        {"seconds", cue.transition.seconds}};
  if (cue.follow)
    json["follow"] = {{"kind", word_of(cue.follow->kind, follow_kinds)},
                      {"seconds", cue.follow->seconds}};
  put(json, "next", cue.next);
  if (cue.regions.empty()) return json;
  Json& regions = json["regions"] = Json::array();
  for (const RegionSetting& setting : cue.regions)
    regions.push_back(setting_json(setting, sources));
  return json;
}

// Reading.

const Json& array_field(const Json& object, const char* field) {
  const auto found = object.is_object() ? object.find(field) : object.end();
  expect_field(object.is_object() && found != object.end() && found->is_array(), field, "an array");
  return *found;
}

std::string text_field(const Json& object, const char* field,
                       std::size_t max_bytes = max_name_bytes) {
  if (!object.contains(field)) return "";
  auto text = json_field<std::string>(object, field);
  expect_field(text.size() <= max_bytes, field, "a shorter text");
  return text;
}

std::string name_field(const Json& object) {
  std::string name = text_field(object, "name");
  expect_field(!name.empty(), "name", "a name");
  return name;
}

template <typename T>
std::optional<T> optional_field(const Json& object, const char* field) {
  if (!object.contains(field)) return {};
  return json_field<T>(object, field);
}

template <typename Enum, std::size_t count>
std::optional<Enum> optional_enum(const Json& object, const char* field,
                                  const std::string_view (&names)[count]) {
  if (!object.contains(field)) return {};
  return json_enum<Enum>(object, field, names);
}

double number_field(const Json& object, const char* field, double least, double most) {
  const auto value = json_field<double>(object, field);
  expect_field(value >= least && value <= most, field, "a number in its range");
  return value;
}

std::optional<double> optional_number(const Json& object, const char* field, double least,
                                      double most) {
  if (!object.contains(field)) return {};
  return number_field(object, field, least, most);
}

std::optional<RectF> optional_rectangle(const Json& object, const char* field) {
  if (!object.contains(field)) return {};
  const auto n = json_field<std::vector<double>>(object, field);
  expect_field(n.size() == 4, field, "[x, y, width, height]");
  expect_field(std::abs(n[0]) <= largest_px && std::abs(n[1]) <= largest_px && n[2] > 0 &&
                   n[2] <= largest_px && n[3] > 0 && n[3] <= largest_px,
               field, "a rectangle over 0");
  return RectF{n[0], n[1], n[2], n[3]};
}

Rational rate_field(const Json& object, const char* field) {
  const Rational value = scene::rational_field(object, field);
  expect_field(value.num > 0 && value.den > 0, field, "over 0");
  return value;
}

scene::SourcePtr source_field(const Json& object, const std::vector<scene::SourcePtr>& sources) {
  if (!object.contains("source")) return nullptr;
  const auto number = json_field<std::size_t>(object, "source");
  expect_field(number < sources.size(), "source", "a source of the list");
  return sources[number];
}

PlayState play_from_json(const Json& json) {
  PlayState play;
  play.start = json_field<std::int64_t>(json, "start");
  play.first = json_field<std::int64_t>(json, "first");
  play.end = json_field<std::int64_t>(json, "end");
  play.loop = json_enum<sync::LoopMode>(json, "loop", scene::loop_mode_names);
  play.rounds = json_number<std::int64_t>(json, "rounds", 0, max_rounds);
  play.fps = rate_field(json, "fps");
  play.speed = rate_field(json, "speed");
  play.backwards = json_field<bool>(json, "backwards");
  play.hold = json_field<bool>(json, "hold");
  expect_field(play.first >= 0 && play.first < play.end && play.end <= sync::Timeline::max_frames &&
                   play.start >= play.first && play.start < play.end,
               "play", "a start frame within a range of frames");
  return play;
}

RegionSetting setting_from_json(const Json& json, const std::vector<scene::SourcePtr>& sources) {
  RegionSetting setting;
  setting.name = name_field(json);
  setting.removed = optional_field<bool>(json, "removed").value_or(false);
  setting.source = source_field(json, sources);
  setting.canvas_px = optional_rectangle(json, "canvas_px");
  setting.view_px = optional_rectangle(json, "view_px");
  setting.fit = optional_enum<scene::FitMode>(json, "fit", scene::fit_mode_names);
  setting.opacity = optional_number(json, "opacity", 0, 1);
  setting.blend = optional_enum<scene::BlendMode>(json, "blend", blend_names);
  setting.difference_gain = optional_number(json, "difference_gain", 1, scene::max_difference_gain);
  setting.group = optional_field<std::string>(json, "group");
  if (json.contains("play")) setting.play = play_from_json(json["play"]);
  if (json.contains("look")) setting.look = scene::volume_look_from_json(json["look"]);
  setting.glide_s = optional_number(json, "glide_s", 0, longest_fade_s).value_or(0);
  setting.slate = text_field(json, "slate", most_text_bytes);
  expect_field(!setting.source || setting.play, "play", "a timeline beside the source");
  return setting;
}

CompareSetting comparison_from_json(const Json& json,
                                    const std::vector<scene::SourcePtr>& sources) {
  CompareSetting compare;
  compare.mode = optional_enum<scene::CompareMode>(json, "mode", scene::compare_mode_names);
  compare.source = source_field(json, sources);
  compare.line = number_field(json, "line", 0, 1);
  compare.gain = number_field(json, "gain", 1, scene::max_difference_gain);
  return compare;
}

Transition transition_from_json(const Json& json) {
  return {json_enum<Transition::Kind>(json, "kind", transition_kinds),
          number_field(json, "seconds", 0, longest_fade_s)};
}

Follow follow_from_json(const Json& json) {
  return {json_enum<Follow::Kind>(json, "kind", follow_kinds),
          number_field(json, "seconds", 0, longest_s)};
}

std::vector<RegionSetting> regions_from_json(const Json& json,
                                             const std::vector<scene::SourcePtr>& sources) {
  std::vector<RegionSetting> regions;
  if (!json.contains("regions")) return regions;
  const Json& entries = array_field(json, "regions");
  expect_field(entries.size() <= scene::max_regions, "regions", "64 at most");
  std::unordered_set<std::string> names;
  for (const Json& entry : entries) {
    regions.push_back(setting_from_json(entry, sources));
    expect_field(names.insert(regions.back().name).second, "regions", "each name once");
  }
  return regions;
}

Cue cue_from_json(const Json& json, const std::vector<scene::SourcePtr>& sources) {
  Cue cue;
  cue.name = name_field(json);
  cue.number = text_field(json, "number");
  cue.note = text_field(json, "note", max_note_bytes);
  cue.colour = text_field(json, "colour");
  cue.section = text_field(json, "section");
  cue.black = optional_field<bool>(json, "black");
  if (json.contains("compare")) cue.compare = comparison_from_json(json["compare"], sources);
  cue.bezels = optional_enum<wall::BezelMode>(json, "bezels", wall::bezel_mode_names);
  cue.content = optional_enum<wall::ContentMode>(json, "content", wall::content_mode_names);
  cue.volume = optional_number(json, "volume", 0, loudest);
  cue.mute = optional_field<bool>(json, "mute");
  cue.transition = transition_from_json(json_field<Json>(json, "transition"));
  if (json.contains("follow")) cue.follow = follow_from_json(json["follow"]);
  cue.next = optional_field<std::string>(json, "next");
  cue.regions = regions_from_json(json, sources);
  return cue;
}

SectionEntry section_from_json(const Json& json) {
  return {name_field(json), json_field<bool>(json, "loop"),
          json_number<std::int64_t>(json, "rounds", 0, max_rounds)};
}

/// Throws InputError where names are used twice, or one refers to what is not there.
void check_names(const CueList& list) {
  std::unordered_set<std::string_view> sections{""};
  for (const SectionEntry& section : list.sections)
    expect_field(sections.insert(section.name).second, "sections", "each name once");
  std::unordered_set<std::string_view> names;
  for (const Cue& cue : list.cues) {
    expect_field(names.insert(cue.name).second, "name", "each name of a cue once");
    expect_field(sections.contains(cue.section), "section", "a section of the list");
  }
  for (const Cue& cue : list.cues)
    if (!cue.number.empty() && cue.number != cue.name)
      expect_field(names.insert(cue.number).second, "number", "each number of a cue once");
  for (const Cue& cue : list.cues)
    expect_field(!cue.next || names.contains(*cue.next), "next", "a cue of the list");
}

}  // namespace

Json to_json(const CueList& list) {
  SourceTable sources;
  Json cues = Json::array();
  for (const Cue& cue : list.cues) cues.push_back(cue_json(cue, sources));
  Json sections = Json::array();
  for (const SectionEntry& section : list.sections)
    sections.push_back(
        {{"name", section.name}, {"loop", section.loop}, {"rounds", section.rounds}});
  return {{"name", list.name},         {"file", list.file},
          {"bounce_s", list.bounce_s}, {"sections", std::move(sections)},
          {"sources", sources.take()}, {"cues", std::move(cues)}};
}

CueList cue_list_from_json(const Json& json) {
  CueList list;
  list.name = text_field(json, "name", most_text_bytes);
  list.file = text_field(json, "file", most_text_bytes);
  list.bounce_s = number_field(json, "bounce_s", 0, longest_bounce_s);
  for (const Json& section : array_field(json, "sections"))
    list.sections.push_back(section_from_json(section));
  std::vector<scene::SourcePtr> sources;
  for (const Json& source : array_field(json, "sources"))
    sources.push_back(std::make_shared<const scene::SourceSpec>(scene::source_from_json(source)));
  const Json& cues = array_field(json, "cues");
  expect_field(!cues.empty() && cues.size() <= max_cues, "cues", "1 to 10000");
  for (const Json& cue : cues) list.cues.push_back(cue_from_json(cue, sources));
  check_names(list);
  return list;
}

}  // namespace tilewall::cues
