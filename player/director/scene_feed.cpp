#include "player/director/scene_feed.hpp"

#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace tilewall {

SceneFeed::SceneFeed(ControlServer& server, const ShowControl& control, const Wall& wall,
                     const VolumeServerPlace& volumes, ShowNotes& notes)
    : server_(server),
      control_(control),
      planes_(wall),
      offers_(volumes, [&notes](const std::string& line) { notes.note(line); }) {}

void SceneFeed::prepare() {
  std::ignore = offers_.with_offers(control_.scene(), local_now());
  cached_.use(control_.scene());
}

void SceneFeed::send(ConnectionId to, std::int64_t join_tick) {
  const Scene scene = offers_.with_offers(control_.scene(), local_now());
  const nlohmann::json json = to_json(planes_.hung(scene), sources_);
  sources_.keep_only(sources_of(scene));
  const std::set<std::uint64_t> known = std::exchange(known_[to], {});
  for (const Region& region : scene.regions) {
    const std::uint64_t id = sources_.id_of(region.source);
    if (!known_[to].insert(id).second || known.contains(id)) continue;
    for (const nlohmann::json& piece : sources_.messages(id)) server_.send(to, piece);
  }
  server_.send(to, {{"type", "scene"}, {"scene", json}, {"join_tick", join_tick}});
}

}  // namespace tilewall
