#include "player/survey/survey_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "sync/base/error.hpp"

namespace tilewall::survey {
namespace {

constexpr std::size_t light_count = std::size(light_names);
constexpr std::size_t longest_subject = 44;  // characters of a row's name
constexpr std::size_t longest_column = 24;   // of a host's name

using LightCounts = std::array<std::size_t, light_count>;

std::size_t index_of(Light light) { return static_cast<std::size_t>(light); }

std::string_view word_of(Light light) {
  return light == Light::not_measured ? "-" : light_names[index_of(light)];
}

std::string coloured(std::string text, Light light, TableColour colour) {
  if (colour == TableColour::none) return text;
  constexpr std::array<std::string_view, light_count> codes = {"32", "33", "31;1", "2"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[index_of(light)], text);
}

/// What a row of the table is about.
struct RowKey {
  CheckKind kind;
  std::string label;
  std::string subject;
  auto operator<=>(const RowKey&) const = default;
};

/// How grave a light is; green counts more than what was not measured.
int gravity(Light light) {
  constexpr std::array<int, light_count> gravities = {1, 2, 3, 0};
  return gravities[index_of(light)];
}

Light worse(Light a, Light b) { return gravity(a) >= gravity(b) ? a : b; }

/// The subject of a row. The clock's address and the log's folder are details of the one subject
/// that a host has.
std::string row_subject(const SurveyCheck& check) {
  const bool is_only = check.kind == CheckKind::clock || check.kind == CheckKind::logs;
  return is_only ? "" : check.subject;
}

/// The last part of a text that is too long: paths differ at their ends.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  return "..." + text.substr(text.size() - most + 3);
}

std::string row_name(const RowKey& row) {
  std::string name(check_kind_names[static_cast<std::size_t>(row.kind)]);
  if (!row.label.empty()) name += " [" + row.label + "]";
  if (!row.subject.empty()) name += " " + row.subject;
  if (name.size() <= longest_subject) return name;
  const std::string begin(check_kind_names[static_cast<std::size_t>(row.kind)]);
  return begin + " " + shortened(name.substr(begin.size() + 1), longest_subject - begin.size() - 1);
}

class Table {
 public:
  explicit Table(const std::vector<HostSurvey>& surveys) : surveys_(surveys) {
    for (std::size_t host = 0; host < surveys.size(); ++host)
      for (const SurveyCheck& check : surveys[host].answer.checks) add(host, check);
  }

  [[nodiscard]] std::string text(TableColour colour) const {
    std::size_t width = 0;
    for (const RowKey& row : rows_) width = std::max(width, row_name(row).size());
    std::vector<std::size_t> columns;
    for (std::size_t host = 0; host < surveys_.size(); ++host)
      columns.push_back(column_width(host));
    std::string text = std::string(width, ' ');
    for (std::size_t host = 0; host < surveys_.size(); ++host)
      text += fmt::format("  {:<{}}", column_name(host), columns[host]);
    text = trimmed(std::move(text)) + '\n';
    for (const RowKey& row : rows_) {
      std::string line = fmt::format("{:<{}}", row_name(row), width);
      for (std::size_t host = 0; host < surveys_.size(); ++host)
        line += "  " + cell_text({row, host}, columns[host], colour);
      text += trimmed(std::move(line)) + '\n';
    }
    return text + notes(colour) + summary(colour);
  }

 private:
  using Cell = std::pair<RowKey, std::size_t>;
  struct Value {
    Light light;
    std::optional<double> rate_ratio;  // see SurveyCheck
  };

  void add(std::size_t host, const SurveyCheck& check) {
    RowKey row{check.kind, check.label, row_subject(check)};
    if (std::ranges::find(rows_, row) == rows_.end()) rows_.push_back(row);
    Value& value =
        cells_.try_emplace({row, host}, Value{check.light, check.rate_ratio}).first->second;
    value.light = worse(value.light, check.light);
    if (check.rate_ratio)
      value.rate_ratio = std::min(value.rate_ratio.value_or(*check.rate_ratio), *check.rate_ratio);
  }

  /// "green", "red 0.4x", "green 40x".
  static std::string words_of(const Value& value) {
    std::string words(word_of(value.light));
    if (value.rate_ratio)
      words += fmt::format(" {:.{}f}x", *value.rate_ratio, *value.rate_ratio < 10 ? 1 : 0);
    return words;
  }

  [[nodiscard]] std::string cell_text(const Cell& cell, std::size_t width,
                                      TableColour colour) const {
    const auto value = cells_.find(cell);
    if (value == cells_.end()) return std::string(width, ' ');
    return coloured(fmt::format("{:<{}}", words_of(value->second), width), value->second.light,
                    colour);
  }

  [[nodiscard]] std::string column_name(std::size_t host) const {
    return shortened(surveys_[host].host, longest_column);
  }
  [[nodiscard]] std::size_t column_width(std::size_t host) const {
    std::size_t width = column_name(host).size();
    for (const auto& [cell, value] : cells_)
      if (cell.second == host) width = std::max(width, words_of(value).size());
    return width;
  }

  static std::string trimmed(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  /// Lines "red: h1, h2: file /a/b: not there", the gravest first.
  [[nodiscard]] std::string notes(TableColour colour) const {
    std::string text;
    for (const Light light : {Light::red, Light::amber, Light::not_measured}) {
      std::vector<std::string> lines;            // in the order of the checks
      std::map<std::string, std::string> hosts;  // of each line
      for (const HostSurvey& survey : surveys_)
        for (const SurveyCheck& check : survey.answer.checks) {
          if (check.light != light) continue;
          const std::string line = line_of(check);
          if (!hosts.contains(line)) lines.push_back(line);
          std::string& names = hosts[line];
          names += (names.empty() ? "" : ", ") + survey.host;
        }
      const std::string word =
          light == Light::not_measured ? "not measured" : std::string(word_of(light));
      for (const std::string& line : lines)
        text += fmt::format("{}: {}: {}\n", coloured(word, light, colour), hosts[line], line);
    }
    return text.empty() ? text : "\n" + text;
  }

  static std::string line_of(const SurveyCheck& check) {
    std::string line(check_kind_names[static_cast<std::size_t>(check.kind)]);
    if (!check.label.empty()) line += " [" + check.label + "]";
    // Errors of our own name their file.
    if (!check.subject.empty() && !check.text.starts_with(check.subject))
      line += " " + check.subject;
    return line + ": " + check.text;
  }

  [[nodiscard]] std::string summary(TableColour colour) const;

  const std::vector<HostSurvey>& surveys_;
  std::vector<RowKey> rows_;  // in the order of the checks
  std::map<Cell, Value> cells_;
};

LightCounts counts_of(const std::vector<HostSurvey>& surveys) {
  LightCounts counts{};
  for (const HostSurvey& survey : surveys)
    for (const SurveyCheck& check : survey.answer.checks) ++counts[index_of(check.light)];
  return counts;
}

std::string Table::summary(TableColour colour) const {
  const LightCounts counts = counts_of(surveys_);
  const Light worst = worst_light(surveys_);
  return fmt::format(
      "\n{}: {} green, {} amber, {} red, {} not measured\n",
      coloured(std::string(worst == Light::not_measured ? "not measured" : word_of(worst)), worst,
               colour),
      counts[0], counts[1], counts[2], counts[3]);
}

Light worst_of(const SurveyAnswer& answer) {
  Light worst = Light::not_measured;
  for (const SurveyCheck& check : answer.checks) worst = worse(worst, check.light);
  return worst;
}

}  // namespace

std::string survey_table(const std::vector<HostSurvey>& surveys, TableColour colour) {
  return Table(surveys).text(colour);
}

nlohmann::ordered_json survey_json(const std::vector<HostSurvey>& surveys) {
  const LightCounts counts = counts_of(surveys);
  nlohmann::ordered_json json = {{"light", light_names[index_of(worst_light(surveys))]},
                                 {"counts", nlohmann::ordered_json::object()},
                                 {"hosts", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < light_count; ++i)
    json["counts"][std::string(light_names[i])] = counts[i];
  for (const HostSurvey& survey : surveys) {
    nlohmann::ordered_json host = {{"name", survey.host},
                                   {"light", light_names[index_of(worst_of(survey.answer))]}};
    host.update(to_json(survey.answer));
    host.erase("survey");
    json["hosts"].push_back(std::move(host));
  }
  return json;
}

Light worst_light(const std::vector<HostSurvey>& surveys) {
  Light worst = Light::not_measured;
  for (const HostSurvey& survey : surveys) worst = worse(worst, worst_of(survey.answer));
  return worst;
}

int survey_exit_code(const std::vector<HostSurvey>& surveys) {
  return worst_light(surveys) == Light::red ? exit_failed : exit_done;
}

}  // namespace tilewall::survey
