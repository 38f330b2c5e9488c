#include "player/director/scene_publisher.hpp"

#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace tilewall::director {

ScenePublisher::ScenePublisher(ControlServer& server, const ShowControl& control,
                               const wall::Wall& wall, const VolumeServerPlace& volumes,
                               ShowNotes& notes)
    : server_(server),
      control_(control),
      planes_(wall),
      exports_(volumes, [&notes](const std::string& line) { notes.note(line); }) {}

void ScenePublisher::prepare() {
  std::ignore = exports_.with_exports(control_.scene(), local_now());
  cached_.use(control_.scene());
}

void ScenePublisher::send(ConnectionId to, std::int64_t join_tick) {
  const scene::Scene scene = exports_.with_exports(control_.scene(), local_now());
  const nlohmann::json json = scene::to_json(planes_.hung(scene), sources_);
  sources_.keep_only(scene::sources_of(scene));
  const std::set<std::uint64_t> known = std::exchange(known_[to], {});
  for (const scene::Region& region : scene.regions) {
    const std::uint64_t id = sources_.id_of(region.source);
    if (!known_[to].insert(id).second || known.contains(id)) continue;
    for (const nlohmann::json& piece : sources_.messages(id)) server_.send(to, piece);
  }
  server_.send(to, {{"type", "scene"}, {"scene", json}, {"join_tick", join_tick}});
}

void CachedSources::use(const scene::Scene& scene) {
  std::set<scene::SourcePtr> named = scene::sources_of(scene);
  for (const scene::SourcePtr& source : named)
    if (!known_.contains(source)) use(*source);
  known_ = std::move(named);
}

void CachedSources::use(const scene::SourceSpec& source) {
  if (source.kind == scene::SourceKind::wall_movie || source.kind == scene::SourceKind::movie)
    uses_.add_if_cached(source.path);
  for (const scene::PlaylistItem& item : source.items) use(*item.source);
}

RegionPlanes::RegionPlanes(const wall::Wall& wall)
    : screens_{wall::screens_from_eye(wall, wall::BezelMode::hide),
               wall::screens_from_eye(wall, wall::BezelMode::show)} {
  static_assert(static_cast<int>(wall::BezelMode::hide) == 0);
}

scene::Scene RegionPlanes::hung(scene::Scene scene) const {
  const auto& screens = screens_[static_cast<std::size_t>(scene.bezels)];
  if (screens.empty() || scene.content != wall::ContentMode::arc_length) return scene;
  for (scene::Region& region : scene.regions)
    region.plane = wall::region_plane(screens, region.canvas_px);
  return scene;
}

}  // namespace tilewall::director
