#include "player/cli/ctl/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "player/cli/options/option_values.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::cli {
namespace {

constexpr std::size_t help_column = 34;  // the column of CLI11's help texts, set in main()
constexpr std::size_t help_end = 100;

}  // namespace

std::string all_words(const CtlArguments& arguments) {
  std::string text;
  for (const std::string& word : arguments.words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void refuse_word(std::string_view verb, std::string_view expected, const std::string& found) {
  throw InputError({fmt::format("ctl {}", verb)}, "", expected,
                   found.empty() ? "nothing" : '"' + found + '"');
}

const std::string& one_word(const CtlArguments& arguments, std::string_view verb,
                            std::string_view expected) {
  if (arguments.words.size() != 1) refuse_word(verb, expected, all_words(arguments));
  return arguments.words.front();
}

void no_words(const CtlArguments& arguments, std::string_view verb) {
  if (!arguments.words.empty()) refuse_word(verb, "nothing after it", all_words(arguments));
}

std::int64_t whole_number(std::string_view verb, const std::string& text) {
  std::int64_t value = 0;
  const std::size_t sign = text.starts_with('+') ? 1 : 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + sign, end, value);
  if (error != std::errc{} || stop != end) refuse_word(verb, "a whole number", text);
  return value;
}

double number(std::string_view verb, const std::string& text) {
  return number_list(verb, text.starts_with('+') ? text.substr(1) : text, 1,
                     "a number from -1e6 to 1e6")
      .front();
}

bool on_or_off(const CtlArguments& arguments, std::string_view verb) {
  const std::string& word = one_word(arguments, verb, "on or off");
  if (word != "on" && word != "off") refuse_word(verb, "on or off", word);
  return word == "on";
}

std::vector<double> number_list(std::string_view verb, const std::string& text, std::size_t count,
                                std::string_view expected) {
  std::vector<double> numbers = parse_number_list(text);
  if (numbers.size() != count) refuse_word(verb, expected, text);
  return numbers;
}

std::string help_table(std::string_view heading, const std::vector<HelpLine>& lines) {
  std::string table(heading);
  for (const HelpLine& line : lines) {
    std::string row = "\n  " + line.typed;
    const auto go_to_column = [&] {
      const std::size_t length = row.size() - row.rfind('\n') - 1;
      row.append(length + 1 < help_column ? help_column - length : 1, ' ');
    };
    if (row.size() > help_column) row += '\n';
    go_to_column();
    for (std::size_t at = 0; at < line.help.size();) {
      const std::size_t end = std::min(line.help.find(' ', at), line.help.size());
      if (row.size() - row.rfind('\n') - 1 + end - at > help_end) {
        row.back() = '\n';
        go_to_column();
      }
      row += line.help.substr(at, end - at) + ' ';
      at = end + 1;
    }
    row.pop_back();
    table += row;
  }
  return table;
}

nlohmann::json request_of(const CtlArguments& arguments, std::string_view verb) {
  nlohmann::json request = {{"type", verb}};
  if (!arguments.region.empty()) request["region"] = arguments.region;
  if (!arguments.as.empty()) request["as"] = arguments.as;
  return request;
}

wall::Wall running_wall(const nlohmann::json& status) {
  const nlohmann::json wall = json_field<nlohmann::json>(status, "wall");
  const auto file = json_field<std::string>(wall, "file");
  if (!file.empty()) return wall::load_wall(file);
  const auto abutting_px = json_field<std::vector<int>>(wall, "abutting_px");
  return wall::scaled_wall_5x3(SizePx{abutting_px.at(0), abutting_px.at(1)});
}

nlohmann::json shown_volume_region(const CtlArguments& arguments, command::WallConnection& wall,
                                   std::string_view verb) {
  const nlohmann::json status =
      wall.ask({{"type", "status"}, {"per_panel", false}, {"lists", false}, {"transfers", true}});
  for (const nlohmann::json& region : status.at("scene").at("regions")) {
    const bool is_meant =
        arguments.region.empty() || region.at("region").get<std::string>() == arguments.region;
    if (is_meant && region.contains("volume")) return region;
  }
  refuse_word(verb, "a region that shows a volume",
              arguments.region.empty() ? "none" : arguments.region);
}

}  // namespace tilewall::cli
