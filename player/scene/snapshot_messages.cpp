#include "player/scene/snapshot_messages.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sync/base/json_fields.hpp"

namespace tilewall::scene {
namespace {

constexpr int most_rows = 1 << 20;  // more than a panel has

nlohmann::json named_message(const char* type, const SnapshotName& name) {
  nlohmann::json json = {{"type", type}};
  if (name.number > 0)
    json["number"] = name.number;
  else
    json["wanted_frame"] = name.wanted_frame;
  return json;
}

}  // namespace

nlohmann::json to_json(const SnapshotBand& band) {
  nlohmann::json json = named_message("snapshot_band", band.name);
  json["first_row"] = band.first_row;
  json["rows"] = band.rows;
  return json;
}

nlohmann::json to_json(const TakenSnapshot& taken) {
  nlohmann::json json = named_message("snapshot", taken.name);
  json["shown_frame"] = taken.shown_frame;
  json["schedule"] = taken.epoch;
  json["tick"] = taken.tick;
  json["size_px"] = {taken.size_px.width, taken.size_px.height};
  return json;
}

nlohmann::json snapshot_done_message(const SnapshotName& name) {
  return named_message("snapshot_done", name);
}

SnapshotName snapshot_name_from_json(const nlohmann::json& json) {
  if (json.contains("number"))
    return {json_number<std::uint64_t>(json, "number", 1, ~std::uint64_t{0}), 0};
  return {0, json_field<std::int64_t>(json, "wanted_frame")};
}

SnapshotBand snapshot_band_from_json(const nlohmann::json& json) {
  return {snapshot_name_from_json(json), json_number<int>(json, "first_row", 0, most_rows),
          json_number<int>(json, "rows", 0, most_rows)};
}

TakenSnapshot taken_snapshot_from_json(const nlohmann::json& json) {
  const auto size = json_field<std::vector<int>>(json, "size_px");
  expect_field(size.size() == 2, "size_px", "[width, height]");
  return {snapshot_name_from_json(json),
          json_field<std::int64_t>(json, "shown_frame"),
          json_field<std::uint64_t>(json, "schedule"),
          json_field<std::int64_t>(json, "tick"),
          {size[0], size[1]}};
}

}  // namespace tilewall::scene
