#include "net/live/live_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::net {
namespace {

using Json = nlohmann::json;

// A wall's frames have 44 bits for a timestep, beside those for the run.
constexpr std::uint64_t most_timesteps = (std::uint64_t{1} << 44) - 1;
constexpr double longest_wait_s = 60;
constexpr std::size_t run_digits = 16;

bool is_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string name_field(const Json& json, const char* field) {
  auto name = json_field<std::string>(json, field);
  if (const std::string fault = fault_of_live_name(name, field); !fault.empty())
    throw InputError("message: " + fault);
  return name;
}

std::string units_field(const Json& json) {
  auto units = json_field<std::string>(json, "units");
  expect_field(units.size() <= longest_live_units, "units", "64 bytes at most");
  return units;
}

double finite_field(const Json& json, const char* field) {
  const auto value = json_field<double>(json, field);
  expect_field(std::isfinite(value), field, "a finite number");
  return value;
}

std::array<double, 3> place_field(const Json& json, const char* field, bool positive) {
  const auto list = json_field<std::vector<double>>(json, field);
  const bool holds = list.size() == 3 && std::ranges::all_of(list, [&](double value) {
                       return std::isfinite(value) && (!positive || value > 0);
                     });
  expect_field(holds, field, positive ? "3 numbers over 0" : "3 finite numbers");
  return {list[0], list[1], list[2]};
}

std::array<std::uint32_t, 3> grid_field(const Json& json) {
  const auto list = json_field<std::vector<std::uint32_t>>(json, "grid");
  const bool holds = list.size() == 3 && std::ranges::all_of(list, [](std::uint32_t side) {
                       return side >= 1 && side <= largest_live_side;
                     });
  expect_field(holds, "grid", "3 sides of 1 to 8192 voxels");
  return {list[0], list[1], list[2]};
}

std::uint64_t timestep_field(const Json& json, const char* field) {
  return json_number<std::uint64_t>(json, field, 0, most_timesteps);
}

void read_rank(const Json& json, std::uint32_t& rank, std::uint32_t& ranks) {
  ranks = json_number<std::uint32_t>(json, "ranks", 1, most_live_ranks);
  rank = json_number<std::uint32_t>(json, "rank", 0, ranks - 1);
}

std::uint32_t number_in(std::string_view text, const char* field, std::uint32_t least,
                        std::uint32_t most) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    throw InputError({"offer"}, field, fmt::format("{} to {}", least, most),
                     std::string(text.substr(0, 40)));
  return number;
}

}  // namespace

std::string fault_of_live_name(std::string_view name, std::string_view what) {
  const bool holds =
      !name.empty() && name.size() <= longest_live_name && is_alphanumeric(name.front()) &&
      std::ranges::all_of(name, [](char c) {
        return is_alphanumeric(c) || std::string_view("-_.+").find(c) != std::string_view::npos;
      });
  if (holds) return "";
  return fmt::format(
      "{}: expected 1 to 64 letters, digits and \"-_.+\" after a letter or digit, found {}", what,
      shown_json(Json(std::string(name.substr(0, 80)))));
}

Json to_json(const LiveDescription& description) {
  Json fields = Json::array();
  for (const LiveField& field : description.fields)
    fields.push_back({{"name", field.name},
                      {"type", live_type_names[static_cast<std::size_t>(field.type)]},
                      {"units", field.units}});
  Json json = {{"name", description.name},     {"rank", description.rank},
               {"ranks", description.ranks},   {"run", description.run},
               {"grid", description.grid},     {"spacing", description.spacing},
               {"origin", description.origin}, {"units", description.units},
               {"fields", std::move(fields)},  {"reached", nullptr},
               {"time", description.time},     {"steps_s", description.steps_s}};
  if (description.reached) json["reached"] = *description.reached;
  return json;
}

LiveDescription live_description_from_json(const Json& json) {
  LiveDescription description;
  description.name = name_field(json, "name");
  read_rank(json, description.rank, description.ranks);
  description.run = json_field<std::string>(json, "run");
  expect_field(description.run.size() == run_digits &&
                   description.run.find_first_not_of("0123456789abcdef") == std::string::npos,
               "run", "16 hexadecimal digits");
  description.grid = grid_field(json);
  description.spacing = place_field(json, "spacing", true);
  description.origin = place_field(json, "origin", false);
  description.units = units_field(json);
  const auto fields = json_field<std::vector<Json>>(json, "fields");
  expect_field(fields.size() <= most_live_fields, "fields", "64 at most");
  for (const Json& field : fields) {
    LiveField one{name_field(field, "name"), json_enum<LiveType>(field, "type", live_type_names),
                  units_field(field)};
    expect_field(std::ranges::find(description.fields, one.name, &LiveField::name) ==
                     description.fields.end(),
                 "fields", "names that differ");
    description.fields.push_back(std::move(one));
  }
  if (!json_field<Json>(json, "reached").is_null())
    description.reached = timestep_field(json, "reached");
  description.time = finite_field(json, "time");
  description.steps_s = finite_field(json, "steps_s");
  expect_field(description.steps_s >= 0, "steps_s", "0 or more");
  return description;
}

Json to_json(const LiveWant& want) {
  Json json = {{"type", "want"},
               {"field", want.field},
               {"timestep", want.timestep},
               {"policy", live_policy_names[static_cast<std::size_t>(want.policy)]},
               {"wait_s", want.wait_s}};
  if (want.stride != 1) json["stride"] = want.stride;
  if (want.quantise) json["quantise"] = *want.quantise;
  return json;
}

LiveWant live_want_from_json(const Json& json) {
  LiveWant want;
  want.field = name_field(json, "field");
  want.timestep = timestep_field(json, "timestep");
  want.policy = json_enum<LivePolicy>(json, "policy", live_policy_names);
  want.wait_s = finite_field(json, "wait_s");
  expect_field(want.wait_s >= 0 && want.wait_s <= longest_wait_s, "wait_s", "0 to 60");
  if (json.contains("stride"))
    want.stride = json_number<std::uint64_t>(json, "stride", 1, most_timesteps);
  if (!json.contains("quantise")) return want;
  const auto range = json_field<std::vector<double>>(json, "quantise");
  expect_field(range.size() == 2 && std::isfinite(range[0]) && std::isfinite(range[1]) &&
                   range[0] < range[1],
               "quantise", "two finite numbers, the smaller one first");
  want.quantise = {range[0], range[1]};
  return want;
}

Json to_json(const LiveReached& reached) {
  return {{"type", "reached"}, {"timestep", reached.timestep}, {"time", reached.time}};
}

LiveReached live_reached_from_json(const Json& json) {
  return {timestep_field(json, "timestep"), finite_field(json, "time")};
}

std::string to_text(const LiveOffer& offer) {
  return fmt::format("live {} {} {}", offer.name, offer.rank, offer.ranks);
}

LiveOffer parse_live_offer(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (words.size() != 4 || words[0] != "live")
    throw InputError({"offer"}, "", "\"live NAME RANK RANKS\"", std::string(text.substr(0, 80)));
  LiveOffer offer;
  offer.name = words[1];
  if (const std::string fault = fault_of_live_name(offer.name, "name"); !fault.empty())
    throw InputError("offer: " + fault);
  offer.ranks = number_in(words[3], "ranks", 1, most_live_ranks);
  offer.rank = number_in(words[2], "rank", 0, offer.ranks - 1);
  return offer;
}

}  // namespace tilewall::net
