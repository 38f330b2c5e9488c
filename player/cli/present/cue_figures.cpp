#include "player/cli/present/cue_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

constexpr std::uint64_t most_counted = 1'000'000'000'000'000;  // so that sums do not overflow

/// A value of a report, with its place for errors.
class Field {
 public:
  Field(const nlohmann::json& value, const std::string& file, std::string path)
      : value_(value), file_(file), path_(std::move(path)) {}

  [[nodiscard]] Field at(const char* key) const {
    if (!value_.is_object()) refuse("an object");
    const auto found = value_.find(key);
    const std::string path = path_.empty() ? key : fmt::format("{}.{}", path_, key);
    if (found == value_.end())
      throw InputError({file_}, path, "a value, as a presentation's report has it", "nothing");
    return {*found, file_, path};
  }

  [[nodiscard]] std::vector<Field> items() const {
    if (!value_.is_array()) refuse("a list");
    std::vector<Field> items;
    for (std::size_t i = 0; i < value_.size(); ++i)
      items.emplace_back(value_[i], file_, fmt::format("{}[{}]", path_, i));
    return items;
  }

  [[nodiscard]] std::string text() const {
    if (!value_.is_string()) refuse("a text");
    return value_.get<std::string>();
  }
  [[nodiscard]] std::int64_t count() const {
    const bool fits = value_.is_number_unsigned() && value_.get<std::uint64_t>() <= most_counted;
    if (!fits) refuse("a whole number, 0 to 10^15");
    return value_.get<std::int64_t>();
  }
  [[nodiscard]] double number() const {
    if (!value_.is_number()) refuse("a number");
    return value_.get<double>();
  }
  [[nodiscard]] bool is_null() const { return value_.is_null(); }

 private:
  [[noreturn]] void refuse(const char* expected) const {
    throw InputError({file_}, path_, expected, shown_json(value_));
  }

  const nlohmann::json& value_;
  const std::string& file_;
  const std::string path_;
};

CueFigures figures_of(const Field& entry) {
  CueFigures cue;
  cue.cue = entry.at("cue").text();
  const Field armed = entry.at("armed");
  cue.armed_state = armed.at("state").text();
  if (const Field after_s = armed.at("after_s"); !after_s.is_null()) cue.armed_s = after_s.number();
  for (const Field& panel : armed.at("missing").items()) {
    std::string why;
    for (const Field& one : panel.at("missing").items())
      why += (why.empty() ? "" : "; ") + one.text();
    cue.panels_missing.push_back({panel.at("panel").text(), why.empty() ? "no answer" : why});
  }
  for (const Field& input : entry.at("inputs_missing").items())
    cue.inputs_missing.push_back({input.at("region").text(), input.at("why").text()});
  cue.frames_scheduled = entry.at("frames_scheduled").count();
  cue.frames_shown_by_any = entry.at("frames_shown_by_any").count();
  cue.frames_late = entry.at("frames_late").count();
  for (const Field& late : entry.at("late").items()) {
    const Field panel = late.at("panel");
    cue.late.push_back(
        {panel.is_null() ? "" : panel.text(), late.at("cause").text(), late.at("frames").count()});
  }
  if (const Field skew = entry.at("skew_us"); !skew.is_null())
    cue.skew_p99_us = skew.at("p99").number();
  if (const Field memory = entry.at("memory_bytes"); !memory.is_null())
    cue.memory_bytes = static_cast<std::uint64_t>(memory.count());
  return cue;
}

}  // namespace

bool CueFigures::is_armed() const {
  return panels_missing.empty() && (armed_state == "armed" || armed_state == "start");
}

std::vector<CueFigures> cue_figures(const nlohmann::json& report, const std::string& file) {
  const Field whole(report, file, "");
  std::vector<CueFigures> cues;
  for (const Field& entry : whole.at("cues").items()) cues.push_back(figures_of(entry));
  return cues;
}

std::string megabytes_text(std::uint64_t bytes) {
  return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

std::vector<std::string> padded_lines(const std::vector<std::vector<std::string>>& rows) {
  std::vector<int> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::vector<std::string> lines;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(static_cast<std::size_t>(widths[i] - columns_of(row[i])), ' ');
      line += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

}  // namespace tilewall::cli
