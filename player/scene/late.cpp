#include "player/scene/late.hpp"

#include <algorithm>
#include <iterator>

#include "sync/base/json_fields.hpp"

namespace tilewall::scene {
namespace {

using Json = nlohmann::json;

constexpr std::string_view causes[] = {"decode",      "decoder",       "swap",       "stalled",
                                       "gone",        "released late", "level down", "level up",
                                       "fewer ticks", "more ticks"};

}  // namespace

std::string_view to_string(LateCause cause) noexcept {
  return causes[static_cast<std::size_t>(cause)];
}

std::optional<LateCause> parse_late_cause(std::string_view text) noexcept {
  const auto* const found = std::ranges::find(causes, text);
  if (found == std::end(causes)) return std::nullopt;
  return static_cast<LateCause>(found - std::begin(causes));
}

Json to_json(const LateCounts& counts) {
  return {{"decode", counts.decode}, {"decoder", counts.decoder}, {"swap", counts.swap}};
}

LateCounts late_counts_from_json(const Json& json) {
  return {json_field<std::uint64_t>(json, "decode"), json_field<std::uint64_t>(json, "decoder"),
          json_field<std::uint64_t>(json, "swap")};
}

Json to_json(const DrawPace& pace) {
  return {{"coarser_by", pace.coarser_by}, {"pictures", pace.pictures},   {"mean_ns", pace.mean_ns},
          {"median_ns", pace.median_ns},   {"median_of", pace.median_of}, {"cpu_ns", pace.cpu_ns},
          {"ran_ns", pace.ran_ns},         {"waited_ns", pace.waited_ns}};
}

DrawPace draw_pace_from_json(const Json& json) {
  constexpr std::int64_t longest_ns = 3'600'000'000'000;  // an hour for a picture
  const auto duration = [&](const char* field) {
    return json_number<std::int64_t>(json, field, 0, longest_ns);
  };
  return {json_field<int>(json, "coarser_by"),
          json_field<std::uint64_t>(json, "pictures"),
          duration("mean_ns"),
          duration("median_ns"),
          json_field<std::uint64_t>(json, "median_of"),
          duration("cpu_ns"),
          duration("ran_ns"),
          duration("waited_ns")};
}

}  // namespace tilewall::scene
