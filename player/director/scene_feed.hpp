// Brings the scene to the processes that play it: first the sources that the receiver's scene
// before did not name, then the scene that refers to them. Meanwhile it keeps what the scene names
// within reach: volumes at the show's server, and entries of the movie cache.
//
// One owner, the director's thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "player/director/cached_sources.hpp"
#include "player/director/control_server.hpp"
#include "player/director/region_planes.hpp"
#include "player/director/show_control.hpp"
#include "player/director/show_notes.hpp"
#include "player/director/volume_offers.hpp"
#include "player/scene/scene.hpp"

namespace tilewall {

class SceneFeed {
 public:
  /// Everything referred to outlives this.
  SceneFeed(ControlServer& server, const ShowControl& control, const Wall& wall,
            const VolumeServerPlace& volumes, ShowNotes& notes);

  /// Makes ready what the newest scene names. To be called before it is sent.
  void prepare();
  /// Sends {"type": "scene", "scene", "join_tick"}; `join_tick` as ReleasePlan::join() gives it.
  void send(ConnectionId to, std::int64_t join_tick);
  /// The connection is gone.
  void forget(ConnectionId id) { known_.erase(id); }
  /// To be called now and then: takes back what no scene names any more.
  void step(LocalInstant now) { offers_.step(control_.scene(), now); }

 private:
  ControlServer& server_;
  const ShowControl& control_;
  RegionPlanes planes_;
  VolumeOffers offers_;
  CachedSources cached_;
  SourceCatalogue sources_;
  std::map<ConnectionId, std::set<std::uint64_t>> known_;  // of the scene that was sent last
};

}  // namespace tilewall
