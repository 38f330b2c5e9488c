#include "player/director/connections/request_fields.hpp"

#include <algorithm>
#include <cmath>

#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_person_bytes = 64;

}  // namespace

RequestFields::RequestFields(const Json& request) : request_(request) {
  const auto found = request.is_object() ? request.find("type") : request.end();
  if (!request.is_object() || found == request.end() || !found->is_string())
    throw InputError({"request"}, "type", "a verb", "none");
  verb_ = found->get<std::string>();
  if (!request.contains("person")) return;
  const Json& person = request.at("person");
  if (!person.is_string() || person.get_ref<const std::string&>().empty() ||
      person.get_ref<const std::string&>().size() > longest_person_bytes)
    refuse("person", "a name of 1 to 64 bytes", shown_json(person));
}

void RequestFields::refuse(const char* field, const std::string& expected,
                           const std::string& found) const {
  // The one field of a verb such as "speed" has the verb's name, which is said once.
  throw InputError({verb_}, verb_ == field ? "" : field, expected, found);
}

bool RequestFields::has(const char* field) {
  known_.insert(field);
  return request_.contains(field);
}

const Json& RequestFields::value(const char* field) {
  if (!has(field)) refuse(field, "a value", "none");
  return request_.at(field);
}

std::string RequestFields::text(const char* field) {
  const Json& found = value(field);
  if (!found.is_string()) refuse(field, "text", shown_json(found));
  return found.get<std::string>();
}

std::string RequestFields::text_or(const char* field, const std::string& otherwise) {
  return has(field) ? text(field) : otherwise;
}

double RequestFields::number(const char* field) {
  const Json& found = value(field);
  if (!found.is_number() || !std::isfinite(found.get<double>()))
    refuse(field, "a number", shown_json(found));
  return found.get<double>();
}

double RequestFields::number_or(const char* field, double otherwise) {
  return has(field) ? number(field) : otherwise;
}

std::int64_t RequestFields::whole(const char* field) {
  const Json& found = value(field);
  if (!found.is_number_integer() ||
      (found.is_number_unsigned() && found.get<std::uint64_t>() > INT64_MAX))
    refuse(field, "a whole number", shown_json(found));
  return found.get<std::int64_t>();
}

std::optional<std::int64_t> RequestFields::whole_if(const char* field) {
  return has(field) ? std::optional(whole(field)) : std::nullopt;
}

bool RequestFields::flag(const char* field) {
  const Json& found = value(field);
  if (!found.is_boolean()) refuse(field, "true or false", shown_json(found));
  return found.get<bool>();
}

std::vector<double> RequestFields::numbers(const char* field, std::size_t count) {
  const Json& found = value(field);
  const auto is_finite = [](const Json& one) {
    return one.is_number() && std::isfinite(one.get<double>());
  };
  if (!found.is_array() || found.size() != count ||
      !std::all_of(found.begin(), found.end(), is_finite))
    refuse(field, std::to_string(count) + " numbers", shown_json(found));
  return found.get<std::vector<double>>();
}

Nanos RequestFields::glide(Nanos usual) {
  constexpr double longest_s = 60;
  const double seconds = number_or("glide_s", as_double(usual) / 1e9);
  if (!(seconds >= 0 && seconds <= longest_s))
    refuse("glide_s", "0 to 60", std::to_string(seconds));
  return Nanos(std::llround(seconds * 1e9));
}

RectF RequestFields::rect(const char* field) {
  const auto rect = numbers(field, 4);  // [x, y, width, height]
  return {rect[0], rect[1], rect[2], rect[3]};
}

Rational RequestFields::rate(const char* field) {
  const Json& found = value(field);
  const std::string text = found.is_string() ? found.get<std::string>() : shown_json(found);
  const auto rate = parse_rational(text);
  if (!rate) refuse(field, "a number or a fraction such as 1/2", shown_json(found));
  return *rate;
}

const Json& RequestFields::object(const char* field) {
  const Json& found = value(field);
  if (!found.is_object()) refuse(field, "an object", shown_json(found));
  return found;
}

void RequestFields::check_all_known() const {
  for (const auto& [field, unused] : request_.items())
    if (!known_.contains(field)) refuse(field.c_str(), "no such field", "one");
}

}  // namespace tilewall::director
