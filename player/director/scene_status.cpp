#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "player/director/status.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

Json rect_json(const RectF& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

/// A status lists at most so many items, around the current one.
constexpr std::size_t max_listed_items = 1000;

Json title_json(const scene::PlaylistItem& item) {
  return item.title.empty() ? Json(nullptr) : Json(item.title);
}

Json item_json(const scene::Region& region, std::int64_t frame) {
  const std::size_t index = scene::item_at(*region.source, frame);
  const scene::PlaylistItem& item = region.source->items[index];
  const scene::SourceFrame shown = scene::resolve_frame(region.source, frame);
  return {{"item", index},
          {"items", region.source->items.size()},
          {"name", scene::name_of(item)},
          {"title", title_json(item)},
          {"path", shown.source->path},
          {"frame", shown.frame}};
}

/// The items of the list, or the part of them around item `shown`.
Json list_json(const scene::SourceSpec& playlist, std::size_t shown) {
  const std::size_t count = playlist.items.size();
  const std::size_t listed = std::min(count, max_listed_items);
  const std::size_t before = std::min(shown, listed / 2);
  const std::size_t first = std::min(shown - before, count - listed);
  Json list = Json::array();
  for (std::size_t i = first; i < first + listed; ++i) {
    const scene::PlaylistItem& item = playlist.items[i];
    const std::int64_t end = i + 1 < count ? playlist.items[i + 1].start : playlist.frames;
    list.push_back({{"item", i},
                    {"name", scene::name_of(item)},
                    {"title", title_json(item)},
                    {"path", item.source->path},
                    {"first_frame", item.start},
                    {"frames", end - item.start}});
  }
  return list;
}

/// Camera and style of a volume.
Json volume_view_json(const scene::Region& region, GlobalInstant now, TransferDetail transfers) {
  const scene::VolumeLook look =
      region.look ? *region.look : scene::usual_look(*region.source, region.canvas_px);
  Json style = scene::to_json(*look.style.at(now));
  if (transfers == TransferDetail::name) style["transfer"] = look.style.to->transfer.name;
  return {{"camera", scene::to_json(look.camera.at(now))}, {"style", std::move(style)}};
}

Json region_json(const scene::Region& region, GlobalInstant now, ListDetail lists,
                 TransferDetail transfers) {
  const sync::Timeline& line = region.timeline;
  const std::int64_t frame = line.frame_at(now);
  Json json = {{"region", region.name},
               {"path", shown_path(*region.source)},
               {"frame", frame},
               {"frames", region.source->frames},
               {"rate_fps", line.rate_fps.value()},
               {"base_fps", region.base_fps.value()},
               {"speed", region.speed.value()},
               {"direction", line.restarted(now).direction},
               {"paused", line.paused()},
               {"loop", scene::to_string(line.loop)},
               {"range", {line.first_frame, line.end_frame - 1}},
               {"canvas_px", rect_json(region.canvas_px)},
               {"fit", scene::to_string(region.fit)},
               {"opacity", region.opacity.at(now)},
               {"blend", scene::to_string(region.blend)},
               {"difference_gain", region.difference_gain},
               {"group", region.group},
               {"owner", region.owner}};
  json["view_px"] = region.view ? rect_json(region.view->at(now)) : Json(nullptr);
  if (region.source->kind == scene::SourceKind::volume)
    json["volume"] = volume_view_json(region, now, transfers);
  if (!region.slate.empty()) json["slate"] = region.slate;
  json["clip_px"] = region.clip_px ? rect_json(*region.clip_px) : Json(nullptr);
  if (region.source->kind != scene::SourceKind::playlist) return json;
  json["playlist"] = item_json(region, frame);
  if (lists == ListDetail::items)
    json["playlist"]["list"] = list_json(*region.source, scene::item_at(*region.source, frame));
  return json;
}

}  // namespace

std::string shown_path(const scene::SourceSpec& source) {
  if (source.kind == scene::SourceKind::images && source.files.size() == 1)
    return (std::filesystem::path(source.path) / source.files.front()).string();
  if (source.kind != scene::SourceKind::volume) return source.path;
  const Json job = Json::parse(source.path, nullptr, false);
  const bool named = job.is_object() && job.contains("path") && job.at("path").is_string();
  return named ? job.at("path").get<std::string>() : source.path;
}

Json scene_status_json(const scene::Scene& scene, GlobalInstant now, ListDetail lists,
                       TransferDetail transfers) {
  Json regions = Json::array();
  for (const scene::Region& region : scene.regions)
    regions.push_back(region_json(region, now, lists, transfers));
  return {{"version", scene.version},
          {"regions", std::move(regions)},
          {"bezels", scene.bezels == wall::BezelMode::hide ? "hide" : "show"},
          {"content", std::string(wall::to_string(scene.content))},
          {"blank", scene.blank},
          {"panic", scene.panic},
          {"frozen", scene.frozen_at.has_value()},
          {"hints", scene.hints},
          {"overlay", scene.overlay.shown},
          {"coarser_by", scene.coarser_by},
          {"volume", scene.audio_gain},
          {"muted", scene.muted}};
}

}  // namespace tilewall::director
