// The list of cues as JSON, for the director and its journal.

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "player/cues/cue.hpp"
#include "player/cues/revision.hpp"
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

/// The sources or the styles of a list, each once, and their numbers.
template <typename Part>
class PartTable {
 public:
  std::size_t number_of(const std::shared_ptr<const Part>& part) {
    const auto [known, is_new] = by_address_.try_emplace(part.get(), 0);
    if (is_new) known->second = number_of_value(part);
    return known->second;
  }

  Json take() { return std::move(parts_); }

 private:
  std::size_t number_of_value(const std::shared_ptr<const Part>& part) {
    // Most cues look like those shortly before them, and comparing is much faster than writing
    // JSON.
    constexpr std::size_t compared = 16;
    for (std::size_t i = distinct_.size(); i-- > 0 && i + compared >= distinct_.size();)
      if (*distinct_[i] == *part) return i;
    Json json = scene::to_json(*part);
    const auto [same, is_other] = by_text_.try_emplace(json.dump(), parts_.size());
    if (is_other) {
      parts_.push_back(std::move(json));
      distinct_.push_back(part);
    }
    return same->second;
  }

  std::unordered_map<const Part*, std::size_t> by_address_;
  std::unordered_map<std::string, std::size_t> by_text_;
  std::vector<std::shared_ptr<const Part>> distinct_;  // by their numbers
  Json parts_ = Json::array();
};

/// What many cues share, on its way out and in. A style with its transfer function is much larger
/// than the rest of a cue.
struct PartTables {
  PartTable<scene::SourceSpec> sources;
  PartTable<scene::VolumeStyle> styles;
};
struct ReceivedParts {
  std::vector<scene::SourcePtr> sources;
  std::vector<std::shared_ptr<const scene::VolumeStyle>> styles;
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

Json setting_json(const RegionSetting& setting, PartTables& parts) {
  Json json = {{"name", setting.name}};
  if (setting.removed) json["removed"] = true;
  if (setting.source) json["source"] = parts.sources.number_of(setting.source);
  if (setting.canvas_px) json["canvas_px"] = rectangle_json(*setting.canvas_px);
  if (setting.view_px) json["view_px"] = rectangle_json(*setting.view_px);
  if (setting.fit) json["fit"] = scene::to_string(*setting.fit);
  put(json, "opacity", setting.opacity);
  if (setting.blend) json["blend"] = scene::to_string(*setting.blend);
  put(json, "difference_gain", setting.difference_gain);
  put(json, "group", setting.group);
  if (setting.play) json["play"] = play_json(*setting.play);
  if (setting.look)
    json["look"] = {{"camera", scene::to_json(setting.look->camera.to)},
                    {"style", parts.styles.number_of(setting.look->style.to)}};
  if (setting.glide_s > 0) json["glide_s"] = setting.glide_s;
  put(json, "slate", setting.slate);
  return json;
}

Json comparison_json(const CompareSetting& compare, PartTables& parts) {
  Json json = {{"line", compare.line}, {"gain", compare.gain}};
  if (compare.mode) json["mode"] = word_of(*compare.mode, scene::compare_mode_names);
  if (compare.source) json["source"] = parts.sources.number_of(compare.source);
  return json;
}

Json cue_json(const Cue& cue, PartTables& parts) {
  Json json = {{"name", cue.name}};
  put(json, "number", cue.number);
  put(json, "note", cue.note);
  put(json, "colour", cue.colour);
  put(json, "section", cue.section);
  put(json, "black", cue.black);
  if (cue.compare) json["compare"] = comparison_json(*cue.compare, parts);
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
  for (const RegionSetting& setting : cue.regions) regions.push_back(setting_json(setting, parts));
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

/// The part that a field has the number of.
template <typename Part>
Part part_field(const Json& object, const char* field, const std::vector<Part>& parts) {
  const auto number = json_field<std::size_t>(object, field);
  expect_field(number < parts.size(), field, "a part of the list");
  return parts[number];
}

scene::SourcePtr optional_source(const Json& object, const ReceivedParts& parts) {
  if (!object.contains("source")) return nullptr;
  return part_field(object, "source", parts.sources);
}

scene::VolumeLook look_from_json(const Json& json, const ReceivedParts& parts) {
  const render::VolumeCamera camera = scene::camera_from_json(json_field<Json>(json, "camera"));
  return {scene::CameraPath::at_rest(camera),
          scene::StylePath::at_rest(part_field(json, "style", parts.styles))};
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

RegionSetting setting_from_json(const Json& json, const ReceivedParts& parts) {
  RegionSetting setting;
  setting.name = name_field(json);
  setting.removed = optional_field<bool>(json, "removed").value_or(false);
  setting.source = optional_source(json, parts);
  setting.canvas_px = optional_rectangle(json, "canvas_px");
  setting.view_px = optional_rectangle(json, "view_px");
  setting.fit = optional_enum<scene::FitMode>(json, "fit", scene::fit_mode_names);
  setting.opacity = optional_number(json, "opacity", 0, 1);
  setting.blend = optional_enum<scene::BlendMode>(json, "blend", blend_names);
  setting.difference_gain = optional_number(json, "difference_gain", 1, scene::max_difference_gain);
  setting.group = optional_field<std::string>(json, "group");
  if (json.contains("play")) setting.play = play_from_json(json["play"]);
  if (json.contains("look")) setting.look = look_from_json(json["look"], parts);
  setting.glide_s = optional_number(json, "glide_s", 0, longest_fade_s).value_or(0);
  setting.slate = text_field(json, "slate", most_text_bytes);
  expect_field(!setting.source || setting.play, "play", "a timeline beside the source");
  return setting;
}

CompareSetting comparison_from_json(const Json& json, const ReceivedParts& parts) {
  CompareSetting compare;
  compare.mode = optional_enum<scene::CompareMode>(json, "mode", scene::compare_mode_names);
  compare.source = optional_source(json, parts);
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

std::vector<RegionSetting> regions_from_json(const Json& json, const ReceivedParts& parts) {
  std::vector<RegionSetting> regions;
  if (!json.contains("regions")) return regions;
  const Json& entries = array_field(json, "regions");
  expect_field(entries.size() <= scene::max_regions, "regions", "64 at most");
  std::unordered_set<std::string> names;
  for (const Json& entry : entries) {
    regions.push_back(setting_from_json(entry, parts));
    expect_field(names.insert(regions.back().name).second, "regions", "each name once");
  }
  return regions;
}

Cue cue_from_json(const Json& json, const ReceivedParts& parts) {
  Cue cue;
  cue.name = name_field(json);
  cue.number = text_field(json, "number");
  if (json.contains("note")) cue.note = text_field(json, "note", max_note_bytes);
  cue.colour = text_field(json, "colour");
  cue.section = text_field(json, "section");
  cue.black = optional_field<bool>(json, "black");
  if (json.contains("compare")) cue.compare = comparison_from_json(json["compare"], parts);
  cue.bezels = optional_enum<wall::BezelMode>(json, "bezels", wall::bezel_mode_names);
  cue.content = optional_enum<wall::ContentMode>(json, "content", wall::content_mode_names);
  cue.volume = optional_number(json, "volume", 0, loudest);
  cue.mute = optional_field<bool>(json, "mute");
  cue.transition = transition_from_json(json_field<Json>(json, "transition"));
  if (json.contains("follow")) cue.follow = follow_from_json(json["follow"]);
  cue.next = optional_field<std::string>(json, "next");
  cue.regions = regions_from_json(json, parts);
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
  PartTables parts;
  Json cues = Json::array();
  for (const Cue& cue : list.cues) cues.push_back(cue_json(cue, parts));
  Json sections = Json::array();
  for (const SectionEntry& section : list.sections)
    sections.push_back(
        {{"name", section.name}, {"loop", section.loop}, {"rounds", section.rounds}});
  return {{"name", list.name},
          {"file", list.file},
          {"bounce_s", list.bounce_s},
          {"unsaved", changes_text(list.unsaved)},
          {"kiosk", json_or_null(list.kiosk)},
          {"sections", std::move(sections)},
          {"sources", parts.sources.take()},
          {"styles", parts.styles.take()},
          {"cues", std::move(cues)}};
}

CueList cue_list_from_json(const Json& json) {
  CueList list;
  list.name = text_field(json, "name", most_text_bytes);
  list.file = text_field(json, "file", most_text_bytes);
  list.bounce_s = number_field(json, "bounce_s", 0, longest_bounce_s);
  list.unsaved = changes_from_text(text_field(json, "unsaved", max_show_bytes));
  if (json.contains("kiosk") && !json.at("kiosk").is_null())  // older lists have no such field
    list.kiosk = text_field(json, "kiosk", most_text_bytes);
  for (const Json& section : array_field(json, "sections"))
    list.sections.push_back(section_from_json(section));
  ReceivedParts parts;
  for (const Json& source : array_field(json, "sources"))
    parts.sources.push_back(
        std::make_shared<const scene::SourceSpec>(scene::source_from_json(source)));
  for (const Json& style : array_field(json, "styles"))
    parts.styles.push_back(
        std::make_shared<const scene::VolumeStyle>(scene::volume_style_from_json(style)));
  const Json& cues = array_field(json, "cues");
  expect_field(!cues.empty() && cues.size() <= max_cues, "cues", "1 to 10000");
  for (const Json& cue : cues) list.cues.push_back(cue_from_json(cue, parts));
  check_names(list);
  return list;
}

}  // namespace tilewall::cues
