#include "player/director/scene_feed.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace tilewall {

void SceneFeed::send(ControlServer& server, ConnectionId to, const Scene& scene,
                     std::int64_t join_tick) {
  const nlohmann::json json = to_json(planes_.hung(scene), sources_);
  sources_.keep_only(sources_of(scene));
  const std::set<std::uint64_t> known = std::exchange(known_[to], {});
  for (const Region& region : scene.regions) {
    const std::uint64_t id = sources_.id_of(region.source);
    if (!known_[to].insert(id).second || known.contains(id)) continue;
    for (const nlohmann::json& piece : sources_.messages(id)) server.send(to, piece);
  }
  server.send(to, {{"type", "scene"}, {"scene", json}, {"join_tick", join_tick}});
}

}  // namespace tilewall
