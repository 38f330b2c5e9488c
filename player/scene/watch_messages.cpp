#include "player/scene/watch_messages.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "sync/base/json_fields.hpp"

namespace tilewall::scene {
namespace {

constexpr std::int64_t longest_pause_ms = 3'600'000;

}  // namespace

nlohmann::json to_json(const WatchOrder& order) {
  if (!order.pictures) return {{"type", "watch"}, {"pictures", false}};
  return {{"type", "watch"},
          {"pictures", true},
          {"side_px", order.side_px},
          {"quality", order.quality},
          {"interval_ms", order.interval_ms},
          {"bytes_per_s", order.bytes_per_s},
          {"delay_ms", order.delay_ms}};
}

nlohmann::json to_json(const SwappedPicture& picture) {
  return {{"type", "picture"},
          {"tick", picture.tick},
          {"frame", picture.frame},
          {"size_px", {picture.size_px.width, picture.size_px.height}},
          {"damage", std::string(name_of(picture.damage))},
          {"stamp_ns", picture.stamp_ns}};
}

WatchOrder watch_order_from_json(const nlohmann::json& json) {
  if (!json_field<bool>(json, "pictures")) return {};
  return {
      true,
      json_number<int>(json, "side_px", 1, most_watched_px),
      json_number<int>(json, "quality", 1, 100),
      json_number<std::int64_t>(json, "interval_ms", 0, longest_pause_ms),
      json_number<std::int64_t>(json, "bytes_per_s", 1, std::numeric_limits<std::int64_t>::max()),
      json_number<std::int64_t>(json, "delay_ms", 0, longest_pause_ms)};
}

SwappedPicture swapped_picture_from_json(const nlohmann::json& json) {
  const auto size = json_field<std::vector<int>>(json, "size_px");
  const auto is_side = [](int px) { return px >= 1 && px <= most_watched_px; };
  expect_field(size.size() == 2 && is_side(size[0]) && is_side(size[1]), "size_px",
               "[width, height], each from 1 to 512");
  return {json_field<std::int64_t>(json, "tick"),
          json_field<std::int64_t>(json, "frame"),
          {size[0], size[1]},
          json_enum<FrameDamage>(json, "damage", frame_damage_names),
          json_field<std::int64_t>(json, "stamp_ns")};
}

}  // namespace tilewall::scene
