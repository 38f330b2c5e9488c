#include "player/director/scene_feed.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilewall {

void SceneFeed::send(ControlServer& server, ConnectionId to, const Scene& scene,
                     std::int64_t join_tick) {
  const nlohmann::json json = to_json(planes_.hung(scene), sources_);
  std::uint64_t& known = known_[to];
  for (const Region& region : scene.regions)
    for (const std::uint64_t id = sources_.id_of(region.source); known < id;)
      for (const nlohmann::json& piece : sources_.messages(++known)) server.send(to, piece);
  server.send(to, {{"type", "scene"}, {"scene", json}, {"join_tick", join_tick}});
}

}  // namespace tilewall
