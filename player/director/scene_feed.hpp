// Brings scenes to whoever plays them: first the sources that a receiver does not know yet, then
// the scene that refers to them. One owner.
#pragma once

#include <map>

#include "player/director/control_server.hpp"
#include "player/director/region_planes.hpp"
#include "player/scene/scene.hpp"

namespace tilewall {

class SceneFeed {
 public:
  explicit SceneFeed(const Wall& wall) : planes_(wall) {}

  /// Sends {"type": "scene", "scene", "join_tick"}; `join_tick` as ReleasePlan::join() gives it.
  void send(ControlServer& server, ConnectionId to, const Scene& scene, std::int64_t join_tick);
  /// The connection is gone.
  void forget(ConnectionId id) { known_.erase(id); }

 private:
  RegionPlanes planes_;
  SourceCatalogue sources_;
  std::map<ConnectionId, std::uint64_t> known_;  // the highest id of a source that was sent
};

}  // namespace tilewall
