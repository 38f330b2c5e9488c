#include "player/scene/arming_messages.hpp"

#include <nlohmann/json.hpp>

#include "player/scene/timeline_json.hpp"
#include "sync/base/json_fields.hpp"

namespace tilewall::scene {
namespace {

std::uint64_t token_field(const nlohmann::json& json) {
  const auto token = json_field<std::uint64_t>(json, "token");
  expect_field(token > 0, "token", "above 0");
  return token;
}

}  // namespace

nlohmann::json to_json(const PreparedScene& prepared, SourceCatalogue& sources) {
  return {
      {"type", "prepare"}, {"token", prepared.token}, {"scene", to_json(prepared.scene, sources)}};
}

nlohmann::json disarm_message() { return {{"type", "disarm"}}; }

nlohmann::json to_json(const ArmedReport& report) {
  nlohmann::json json = {{"type", "armed"}, {"token", report.token}};
  if (!report.missing.empty()) json["missing"] = report.missing;
  return json;
}

PreparedScene prepared_from_json(const nlohmann::json& json, const ReceivedSources& sources) {
  return {token_field(json), scene_from_json(json_field<nlohmann::json>(json, "scene"), sources)};
}

ArmedReport armed_from_json(const nlohmann::json& json) {
  ArmedReport report{token_field(json)};
  if (json.contains("missing"))
    report.missing = json_field<std::vector<std::string>>(json, "missing");
  expect_field(report.missing.size() <= most_missing, "missing", "64 lines at most");
  return report;
}

}  // namespace tilewall::scene
