#include "player/cli/present/report_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_report = std::size_t{1} << 30;
constexpr int widest_cue = 30;  // columns

template <typename T>
void keep_greatest(std::optional<T>& kept, const std::optional<T>& value) {
  if (value) kept = std::max(kept.value_or(*value), *value);
}

/// The entries of one cue as one.
CueFigures merged(const CueFigures& one, const CueFigures& other) {
  CueFigures cue = one;
  if (!other.is_armed()) cue.armed_state = other.armed_state;
  cue.panels_missing.insert(cue.panels_missing.end(), other.panels_missing.begin(),
                            other.panels_missing.end());
  cue.inputs_missing.insert(cue.inputs_missing.end(), other.inputs_missing.begin(),
                            other.inputs_missing.end());
  cue.late.insert(cue.late.end(), other.late.begin(), other.late.end());
  cue.frames_scheduled += other.frames_scheduled;
  cue.frames_late += other.frames_late;
  keep_greatest(cue.armed_s, other.armed_s);
  keep_greatest(cue.skew_p99_us, other.skew_p99_us);
  keep_greatest(cue.memory_bytes, other.memory_bytes);
  return cue;
}

/// Each cue once, in the order in which they were shown first.
std::vector<CueFigures> by_name(const std::vector<CueFigures>& cues) {
  std::vector<CueFigures> all;
  for (const CueFigures& cue : cues) {
    const auto known = std::ranges::find(all, cue.cue, &CueFigures::cue);
    if (known == all.end())
      all.push_back(cue);
    else
      *known = merged(*known, cue);
  }
  return all;
}

/// {"before", "after", "difference"}
template <typename T>
Json figure_json(const std::optional<T>& before, const std::optional<T>& after) {
  Json json = {{"before", nullptr}, {"after", nullptr}, {"difference", nullptr}};
  if (before) json["before"] = *before;
  if (after) json["after"] = *after;
  if (before && after) json["difference"] = *after - *before;
  return json;
}

std::optional<std::int64_t> memory_of(const CueFigures& cue) {
  return cue.memory_bytes ? std::optional(static_cast<std::int64_t>(*cue.memory_bytes))
                          : std::nullopt;
}

std::map<std::string, std::int64_t> late_by_cause(const CueFigures& cue) {
  std::map<std::string, std::int64_t> frames;
  for (const CueFigures::Late& late : cue.late) frames[late.cause] += late.frames;
  return frames;
}

Json late_causes_json(const CueFigures& before, const CueFigures& after) {
  const auto frames_before = late_by_cause(before);
  const auto frames_after = late_by_cause(after);
  std::set<std::string> causes;
  for (const auto& [cause, frames] : frames_before) causes.insert(cause);
  for (const auto& [cause, frames] : frames_after) causes.insert(cause);
  const auto of = [](const std::map<std::string, std::int64_t>& frames, const std::string& cause) {
    const auto found = frames.find(cause);
    return std::optional<std::int64_t>(found == frames.end() ? 0 : found->second);
  };
  Json json = Json::array();
  for (const std::string& cause : causes) {
    json.push_back({{"cause", cause}});
    json.back().update(figure_json(of(frames_before, cause), of(frames_after, cause)));
  }
  return json;
}

/// The missing inputs of one cue that the other has not.
Json inputs_only_in(const CueFigures& one, const CueFigures& other) {
  std::set<std::string> known;
  for (const CueFigures::Missing& input : other.inputs_missing) known.insert(input.what);
  Json json = Json::array();
  for (const CueFigures::Missing& input : one.inputs_missing)
    if (known.insert(input.what).second)
      json.push_back({{"region", input.what}, {"why", input.why}});
  return json;
}

Json compared(const CueFigures& before, const CueFigures& after) {
  Json json = {{"cue", after.cue}, {"in", "both"}};
  json["armed_s"] = figure_json(before.armed_s, after.armed_s);
  json["frames_late"] =
      figure_json(std::optional(before.frames_late), std::optional(after.frames_late));
  json["late"] = late_causes_json(before, after);
  json["skew_p99_us"] = figure_json(before.skew_p99_us, after.skew_p99_us);
  json["memory_bytes"] = figure_json(memory_of(before), memory_of(after));
  json["inputs_missing"] = {{"new", inputs_only_in(after, before)},
                            {"gone", inputs_only_in(before, after)}};
  json["worse"] = Json::array();
  if (after.frames_late > before.frames_late) json["worse"].push_back("more late frames");
  if (!json["inputs_missing"]["new"].empty()) json["worse"].push_back("an input is missing");
  if (before.is_armed() && !after.is_armed()) json["worse"].push_back("it is not armed");
  return json;
}

/// "0.12 -> 0.30 s (+0.18)"; "-" for what is not known. `scale` divides the numbers.
std::string figure_text(const Json& figure, double scale, int digits, const char* unit) {
  if (figure.at("before").is_null() && figure.at("after").is_null()) return "-";
  const auto text = [&](const Json& value) {
    return value.is_null() ? std::string("-")
                           : fmt::format("{:.{}f}", value.get<double>() / scale, digits);
  };
  std::string line =
      fmt::format("{} -> {}{}", text(figure.at("before")), text(figure.at("after")), unit);
  if (!figure.at("difference").is_null())
    line += fmt::format(" ({:+.{}f})", figure.at("difference").get<double>() / scale, digits);
  return line;
}

std::string details_text(const Json& cue) {
  std::string text;
  for (const Json& late : cue.at("late"))
    text += fmt::format("    late by {}: {}\n", late.at("cause").get<std::string>(),
                        figure_text(late, 1, 0, ""));
  for (const auto& [key, words] :
       {std::pair("new", "newly missing"), std::pair("gone", "no longer missing")})
    for (const Json& input : cue.at("inputs_missing").at(key))
      text += fmt::format("    {}: {}: {}\n", words,
                          printable_text(input.at("region").get<std::string>()),
                          printable_text(input.at("why").get<std::string>()));
  for (const Json& why : cue.at("worse"))
    text += fmt::format("    worse: {}\n", why.get<std::string>());
  return text;
}

/// "only in after.json: x, y"
std::string only_in(const Json& comparison, const char* which, const std::string& file) {
  std::string names;
  for (const Json& cue : comparison.at("cues"))
    if (cue.at("in") == which)
      names += (names.empty() ? "" : ", ") + printable_text(cue.at("cue").get<std::string>());
  return names.empty() ? "" : fmt::format("only in {}: {}\n", file, names);
}

}  // namespace

Json compared_cues(const std::vector<CueFigures>& before, const std::vector<CueFigures>& after) {
  const std::vector<CueFigures> old = by_name(before);
  const std::vector<CueFigures> now = by_name(after);
  const auto is_in = [](const std::vector<CueFigures>& cues, const CueFigures& cue) {
    return std::ranges::find(cues, cue.cue, &CueFigures::cue);
  };
  Json json = {{"is_worse", false}, {"cues", Json::array()}};
  for (const CueFigures& cue : old) {
    const auto match = is_in(now, cue);
    json["cues"].push_back(match == now.end() ? Json({{"cue", cue.cue}, {"in", "before"}})
                                              : compared(cue, *match));
    if (match != now.end() && !json["cues"].back().at("worse").empty()) json["is_worse"] = true;
  }
  for (const CueFigures& cue : now)
    if (is_in(old, cue) == old.end())
      json["cues"].push_back(Json({{"cue", cue.cue}, {"in", "after"}}));
  return json;
}

std::string comparison_text(const Json& comparison, const std::string& before,
                            const std::string& after) {
  std::vector<std::vector<std::string>> rows = {
      {"cue", "armed after", "late frames", "skew p99", "memory"}};
  std::vector<std::string> details;
  for (const Json& cue : comparison.at("cues")) {
    if (cue.at("in") != "both") continue;
    rows.push_back({fit_columns(printable_text(cue.at("cue").get<std::string>()), widest_cue),
                    figure_text(cue.at("armed_s"), 1, 2, " s"),
                    figure_text(cue.at("frames_late"), 1, 0, ""),
                    figure_text(cue.at("skew_p99_us"), 1, 0, " us"),
                    figure_text(cue.at("memory_bytes"), 1e6, 0, " MB")});
    details.push_back(details_text(cue));
  }
  const std::vector<std::string> lines = padded_lines(rows);
  std::string text = lines.front() + "\n";
  for (std::size_t i = 0; i < details.size(); ++i) text += lines[i + 1] + "\n" + details[i];
  text += only_in(comparison, "before", before) + only_in(comparison, "after", after);
  if (comparison.at("is_worse").get<bool>()) text += fmt::format("{} is worse\n", after);
  return text;
}

std::vector<CueFigures> read_cue_figures(const std::filesystem::path& file) {
  const std::string text = read_text_file(file, longest_report);
  nlohmann::json report;
  try {
    report = parse_json(text);
  } catch (const InputError&) {
    throw InputError({file.string()}, "", "JSON, as --report writes it", "other text");
  }
  if (!report.is_object() || !report.contains("cues"))
    throw InputError({file.string()}, "cues",
                     "those of a presentation's report (tilewall present --report)",
                     report.is_object() ? "none" : shown_json(report));
  return cue_figures(report, file.string());
}

}  // namespace tilewall::cli
