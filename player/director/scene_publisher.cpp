#include "player/director/scene_publisher.hpp"

#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "wallconfigs/picture_plane.hpp"

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

scene::Scene ScenePublisher::for_panels(const scene::Scene& scene) {
  return exports_.with_exports(scene, local_now());
}

void ScenePublisher::send(std::span<const ConnectionId> to, std::int64_t join_tick) {
  const scene::Scene scene = for_panels(control_.scene());
  scene_sources_ = scene::sources_of(scene);
  const nlohmann::json json = scene::to_json(planes_.hung(scene), sources_);
  keep_named_sources();
  for (const ConnectionId id : to) known_[id].scene = send_sources(id, scene);
  server_.send(to, {{"type", "scene"}, {"scene", json}, {"join_tick", join_tick}});
}

void ScenePublisher::set_next(std::optional<scene::PreparedScene> next) {
  next_ = std::move(next);
  next_sources_.clear();
  if (!next_) return keep_named_sources();
  cached_next_.use(next_->scene);
  next_sources_ = scene::sources_of(for_panels(next_->scene));
}

void ScenePublisher::send_next(std::span<const ConnectionId> to) {
  if (!next_) {
    for (const ConnectionId id : to) known_[id].next.clear();
    return server_.send(to, scene::disarm_message());
  }
  const scene::Scene scene = for_panels(next_->scene);
  next_sources_ = scene::sources_of(scene);
  const nlohmann::json message = scene::to_json({next_->token, planes_.hung(scene)}, sources_);
  keep_named_sources();
  for (const ConnectionId id : to) known_[id].next = send_sources(id, scene);
  server_.send(to, message);
}

void ScenePublisher::step(LocalInstant now) {
  if (next_) exports_.keep(next_->scene, now);
  exports_.step(control_.scene(), now);
}

void ScenePublisher::keep_named_sources() {
  std::set<scene::SourcePtr> named = scene_sources_;
  named.insert(next_sources_.begin(), next_sources_.end());
  sources_.keep_only(named);
}

std::set<std::uint64_t> ScenePublisher::send_sources(ConnectionId to, const scene::Scene& sent) {
  const KnownSources& known = known_[to];
  std::set<std::uint64_t> ids;
  for (const scene::Region& region : sent.regions) {
    const std::uint64_t id = sources_.id_of(region.source);
    if (!ids.insert(id).second || known.scene.contains(id) || known.next.contains(id)) continue;
    for (const nlohmann::json& piece : sources_.messages(id)) server_.send(to, piece);
  }
  return ids;
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
  for (const wall::BezelMode bezels : {wall::BezelMode::hide, wall::BezelMode::show})
    for (const wall::ContentMode content : wall::content_modes) {
      const bool has_picture = !wall.flat() && content != wall::ContentMode::arc_length &&
                               !wall::content_obstacle(wall, content);
      canvases_.emplace_back(wall, bezels, has_picture ? content : wall::ContentMode::arc_length);
    }
}

const wall::Canvas& RegionPlanes::canvas_of(const scene::Scene& scene) const {
  return canvases_.at(static_cast<std::size_t>(scene.bezels) * std::size(wall::content_modes) +
                      static_cast<std::size_t>(scene.content));
}

scene::Scene RegionPlanes::hung(scene::Scene scene) const {
  for (scene::Region& region : scene.regions) {
    if (!region.look) continue;
    for (auto* const style : {&region.look->style.from, &region.look->style.to})
      if ((*style)->annotations.any())
        *style = scene::with_screens(**style, canvas_of(scene), region.canvas_px);
  }
  const auto& screens = screens_[static_cast<std::size_t>(scene.bezels)];
  if (screens.empty() || scene.content != wall::ContentMode::arc_length) return scene;
  for (scene::Region& region : scene.regions)
    region.plane = wall::region_plane(screens, region.canvas_px);
  return scene;
}

}  // namespace tilewall::director
