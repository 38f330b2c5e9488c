// Brings scenes to whoever plays them: first the sources that the receiver's scene before did not
// name, then the scene that refers to them. One owner.
#pragma once

#include <cstdint>
#include <map>
#include <set>

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
  std::map<ConnectionId, std::set<std::uint64_t>> known_;  // of the scene that was sent last
};

}  // namespace tilewall
