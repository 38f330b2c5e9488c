// Brings the scene to the processes that play it: first the sources that the receiver's scene
// before did not name, then the scene that refers to them. Meanwhile it keeps what the scene names
// within reach: volumes at the show's server, and entries of the movie cache.
//
// One owner, the director's thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "player/director/control_server.hpp"
#include "player/director/show_control.hpp"
#include "player/director/show_notes.hpp"
#include "player/director/volume_exports.hpp"
#include "player/movie/cache/cache_uses.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::director {

/// Says of a scene's regions where their flat pictures hang, on walls that are no plane. Pure; any
/// thread.
class RegionPlanes {
 public:
  explicit RegionPlanes(const wall::Wall& wall);

  /// The scene, its regions with their planes where it has some.
  [[nodiscard]] scene::Scene hung(scene::Scene scene) const;

 private:
  std::array<std::vector<wall::ScreenFromEye>, 2> screens_;  // by BezelMode; empty on a flat wall
};

// The movies of a show that lie in a user's cache: kept from being cleaned away while it runs.

/// One owner. Entries stay in use until its end: a scene may come back to them.
class CachedSources {
 public:
  /// Uses the cache's entries among the scene's sources. Takes time, a few system calls each, for
  /// sources only that the scene before did not name.
  void use(const scene::Scene& scene);

 private:
  void use(const scene::SourceSpec& source);

  movie::CacheUses uses_;
  std::set<scene::SourcePtr> known_;  // The newest scene names these sources.
};

class ScenePublisher {
 public:
  /// Everything referred to outlives this.
  ScenePublisher(ControlServer& server, const ShowControl& control, const wall::Wall& wall,
                 const VolumeServerPlace& volumes, ShowNotes& notes);

  /// Makes ready what the newest scene names. To be called before it is sent.
  void prepare();
  /// Sends {"type": "scene", "scene", "join_tick"}; `join_tick` as ReleasePlan::join() gives it.
  void send(ConnectionId to, std::int64_t join_tick);
  /// The connection is gone.
  void forget(ConnectionId id) { known_.erase(id); }
  /// To be called now and then: takes back what no scene names any more.
  void step(LocalInstant now) { exports_.step(control_.scene(), now); }

 private:
  ControlServer& server_;
  const ShowControl& control_;
  RegionPlanes planes_;
  VolumeExports exports_;
  CachedSources cached_;
  scene::SourceCatalogue sources_;
  std::map<ConnectionId, std::set<std::uint64_t>> known_;  // of the scene that was sent last
};

}  // namespace tilewall::director
