// Writes shows in their canonical form: a key where its value is not the default, in a fixed order,
// and values in their shortest form.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "player/cues/show_file.hpp"
#include "player/cues/show_words.hpp"
#include "player/scene/scene.hpp"
#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall::cues {
namespace {

using wall::toml_quoted;

/// Lines "key = value" of one table.
class TableText {
 public:
  void value(std::string_view key, std::string_view toml) {
    fmt::format_to(std::back_inserter(text_), "{} = {}\n", key, toml);
  }
  void quoted(std::string_view key, std::string_view text) { value(key, toml_quoted(text)); }
  void boolean(std::string_view key, bool set) { value(key, set ? "true" : "false"); }

  /// Nothing where there is no value.
  void maybe(std::string_view key, const std::optional<std::string>& text) {
    if (text) quoted(key, *text);
  }
  void maybe(std::string_view key, const std::optional<double>& number) {
    if (number) value(key, number_text(*number));
  }
  void maybe(std::string_view key, const std::optional<std::int64_t>& number) {
    if (number) value(key, fmt::format("{}", *number));
  }
  void maybe(std::string_view key, const std::optional<bool>& set) {
    if (set) boolean(key, *set);
  }
  /// Nothing where the text is empty.
  void unless_empty(std::string_view key, const std::string& text) {
    if (!text.empty()) quoted(key, text);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A text, or an array where there are several.
std::string texts_toml(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return toml_quoted(texts.front());
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + toml_quoted(text);
  return "[" + all + "]";
}

std::string rectangle_toml(const RectF& rect) {
  return fmt::format("[{}, {}, {}, {}]", rect.x, rect.y, rect.width, rect.height);
}

/// A number where that reads back as the same ratio, else a text.
std::string ratio_toml(Rational ratio) {
  const std::string number = number_text(ratio.value());
  return parse_rational(number) == ratio ? number : toml_quoted(to_string(ratio));
}

/// A text of several lines keeps them.
std::string note_toml(const std::string& note) {
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t end = note.find('\n'); end != std::string::npos; end = note.find('\n', begin)) {
    const std::string line = toml_quoted(std::string_view(note).substr(begin, end - begin));
    lines.append(line, 1, line.size() - 2).append("\n");
    begin = end + 1;
  }
  std::string last = toml_quoted(std::string_view(note).substr(begin));
  if (begin == 0) return last;
  return "\"\"\"\n" + lines.append(last, 1, last.size() - 2) + "\"\"\"";
}

bool is_number_as_written(const std::string& text) {
  const bool is_plain = std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; });
  const auto ratio = is_plain ? parse_rational(text) : std::nullopt;
  return ratio && number_text(ratio->value()) == text;
}

/// A text without escapes, where that can be.
std::string literal_toml(const std::string& text) {
  const bool is_plain =
      std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '\''; });
  return is_plain ? '\'' + text + '\'' : toml_quoted(text);
}

std::string option_toml(const VolumeOption& option, const std::string& value) {
  if (option.kind == VolumeOption::Kind::flag) return value;
  if (option.kind == VolumeOption::Kind::text)
    return is_number_as_written(value) ? value : toml_quoted(value);
  if (option.kind == VolumeOption::Kind::json) return literal_toml(value);
  std::vector<std::string> values;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = value.find(list_separator, begin);
    values.push_back(value.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) break;
  }
  return texts_toml(values);
}

void put_place(const Place& place, TableText& table) {
  const std::string_view key = place_keys[static_cast<std::size_t>(place.unit)];
  table.value(key, place.unit == Place::Unit::panels ? texts_toml(place.panels)
                                                     : rectangle_toml(place.rect));
}

void put_loop(const RegionEntry& region, TableText& table) {
  if (!region.loop) return;
  if (region.loop == Looping::loop && region.rounds) {
    table.maybe("loop", region.rounds);
    return;
  }
  table.quoted("loop", bare_loop_words[static_cast<std::size_t>(*region.loop)]);
  if (region.loop == Looping::ping_pong) table.maybe("rounds", region.rounds);
}

/// All keys but the name and the removal.
std::string settings_text(const RegionEntry& region) {
  TableText table;
  if (!region.inputs.empty()) table.value("input", texts_toml(region.inputs));
  if (region.place) put_place(*region.place, table);
  if (region.view_px) table.value("view_px", rectangle_toml(*region.view_px));
  table.maybe("fit", region.fit);
  table.maybe("opacity", region.opacity);
  table.maybe("blend", region.blend);
  table.maybe("gain", region.difference_gain);
  table.maybe("group", region.group);
  table.maybe("start", region.start);
  table.maybe("in", region.in);
  table.maybe("out", region.out);
  put_loop(region, table);
  if (region.fps) table.value("fps", ratio_toml(*region.fps));
  if (region.speed) table.value("speed", ratio_toml(*region.speed));
  table.maybe("hold", region.hold);
  for (const VolumeOption& option : volume_options)
    if (const auto found = region.volume.find(std::string(option.name));
        found != region.volume.end())
      table.value(option.key, option_toml(option, found->second));
  if (region.glide_s > 0) table.value("glide", number_text(region.glide_s));
  if (region.missing)
    table.quoted("missing", missing_words[static_cast<std::size_t>(*region.missing)]);
  return table.text();
}

std::string compare_toml(const CompareEntry& compare) {
  std::string text = toml_quoted(compare.mode);
  if (compare.input.empty() && !compare.line && !compare.gain) return text;
  text = "{ mode = " + text;
  if (!compare.input.empty()) text += ", input = " + toml_quoted(compare.input);
  if (compare.line) text += ", line = " + number_text(*compare.line);
  if (compare.gain) text += ", gain = " + number_text(*compare.gain);
  return text + " }";
}

std::string show_settings_text(const ShowFile& show) {
  const ShowFile plain;
  TableText table;
  table.unless_empty("name", show.name);
  if (show.fade_s > 0) table.value("fade", number_text(show.fade_s));
  if (show.late != plain.late) table.quoted("late", show.late);
  table.maybe("bezels", show.bezels);
  table.maybe("content", show.content);
  if (show.missing != plain.missing)
    table.quoted("missing", missing_words[static_cast<std::size_t>(show.missing)]);
  if (show.bounce_s != plain.bounce_s) table.value("bounce", number_text(show.bounce_s));
  return table.text();
}

std::string section_text(const SectionEntry& section) {
  TableText table;
  table.quoted("name", section.name);
  if (section.loop) table.boolean("loop", true);
  if (section.rounds > 0) table.value("rounds", fmt::format("{}", section.rounds));
  return "[[section]]\n" + table.text();
}

/// What people call a cue: an integer where that reads back as the same text.
std::string number_toml(const std::string& number) {
  constexpr std::size_t most_figures = 9;
  const bool is_integer = number.size() <= most_figures && number.front() != '0' &&
                          std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return is_integer ? number : toml_quoted(number);
}

/// Whether the region's keys can stand in the [[cue]] itself.
bool is_inline(const CueEntry& cue) {
  return cue.regions.size() == 1 && !cue.regions.front().remove &&
         cue.regions.front().name == scene::main_region &&
         !settings_text(cue.regions.front()).empty();
}

}  // namespace

std::string to_text(const CueEntry& cue) {
  TableText table;
  table.quoted("name", cue.name);
  if (!cue.number.empty()) table.value("number", number_toml(cue.number));
  if (cue.note) table.value("note", note_toml(*cue.note));
  table.unless_empty("colour", cue.colour);
  table.unless_empty("section", cue.section);
  table.maybe("black", cue.black);
  table.maybe("pattern", cue.pattern);
  if (cue.compare) table.value("compare", compare_toml(*cue.compare));
  table.maybe("bezels", cue.bezels);
  table.maybe("content", cue.content);
  table.maybe("volume", cue.volume);
  table.maybe("mute", cue.mute);
  if (cue.transition) table.quoted("transition", to_text(*cue.transition));
  if (cue.follow) table.quoted("follow", to_text(*cue.follow));
  table.maybe("goto", cue.goto_cue);
  std::string text = "[[cue]]\n" + table.text();
  if (is_inline(cue)) return text + settings_text(cue.regions.front());
  for (const RegionEntry& region : cue.regions) {
    text += "\n[[cue.region]]\nname = " + toml_quoted(region.name) + "\n";
    if (region.remove) text += "remove = true\n";
    text += settings_text(region);
  }
  return text;
}

std::string to_text(const ShowFile& show) {
  std::string text = show_settings_text(show);
  if (!text.empty()) text = "[show]\n" + text + "\n";
  for (const SectionEntry& section : show.sections) text += section_text(section) + "\n";
  for (const CueEntry& cue : show.cues) text += to_text(cue) + "\n";
  text.pop_back();
  return text;
}

}  // namespace tilewall::cues
