#include "player/survey/survey_answer.hpp"

#include "player/survey/survey_request.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::survey {
namespace {

using Json = nlohmann::json;

std::string bounded_text(const Json& json, const char* field) {
  auto text = json_field<std::string>(json, field);
  if (text.size() > longest_check_text) text.resize(longest_check_text);
  return text;
}

}  // namespace

nlohmann::ordered_json to_json(const SurveyCheck& check) {
  nlohmann::ordered_json json = {{"kind", check_kind_names[static_cast<std::size_t>(check.kind)]},
                                 {"subject", check.subject}};
  if (!check.label.empty()) json["label"] = check.label;
  json["light"] = light_names[static_cast<std::size_t>(check.light)];
  json["expected"] = check.expected;
  json["found"] = check.found;
  json["text"] = check.text;
  if (check.rate_ratio) json["rate_ratio"] = *check.rate_ratio;
  return json;
}

nlohmann::ordered_json to_json(const SurveyAnswer& answer) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const SurveyCheck& check : answer.checks) checks.push_back(to_json(check));
  return {{"survey", survey_format},
          {"host", answer.host},
          {"version", answer.version},
          {"checks", std::move(checks)}};
}

SurveyCheck check_from_json(const Json& json) {
  SurveyCheck check;
  check.kind = json_enum<CheckKind>(json, "kind", check_kind_names);
  check.subject = bounded_text(json, "subject");
  if (json.contains("label")) check.label = bounded_text(json, "label");
  check.light = json_enum<Light>(json, "light", light_names);
  check.expected = bounded_text(json, "expected");
  check.found = bounded_text(json, "found");
  check.text = bounded_text(json, "text");
  if (json.contains("rate_ratio")) check.rate_ratio = json_field<double>(json, "rate_ratio");
  return check;
}

SurveyAnswer answer_from_json(const Json& json) {
  static_cast<void>(json_number<int>(json, "survey", survey_format, survey_format));
  SurveyAnswer answer;
  answer.host = bounded_text(json, "host");
  answer.version = bounded_text(json, "version");
  const auto checks = json_field<Json>(json, "checks");
  expect_field(checks.is_array() && checks.size() <= most_checks, "checks", "a list of checks");
  for (const Json& check : checks) answer.checks.push_back(check_from_json(check));
  return answer;
}

std::string answer_line(const SurveyAnswer& answer) {
  // A file's name need not be UTF-8.
  return json_text(to_json(answer)) + "\n";
}

SurveyAnswer answer_in(std::string_view output) {
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = output.substr(begin, end - begin);
    if (line.starts_with(answer_mark)) return answer_from_json(parse_json(line));
    begin = end + 1;
  }
  throw InputError({"survey"}, "", "a line with the answer", output.empty() ? "nothing" : "others");
}

}  // namespace tilewall::survey
