// Sends the scene to the processes that play it: first the sources that the receiver does not have
// from its last scene, then the scene that refers to them. It also keeps the scene's sources
// available: volumes at the show's server, and entries of the movie cache.
//
// Threads: one owner, the director's thread.
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

/// Computes the planes on which the flat pictures of volumes hang, for walls that are no plane.
/// Immutable; any thread.
class RegionPlanes {
 public:
  explicit RegionPlanes(const wall::Wall& wall);

  /// The scene with Region::plane filled in where the wall needs it.
  [[nodiscard]] scene::Scene hung(scene::Scene scene) const;

 private:
  std::array<std::vector<wall::ScreenFromEye>, 2> screens_;  // by BezelMode; empty on a flat wall
};

/// Marks the show's movies in the user's cache as in use, so that they are not removed. They stay
/// in use until the end of the object, because a scene may come back to them. One owner.
class CachedSources {
 public:
  /// Marks the scene's sources. Costs a few system calls for each source that the last scene did
  /// not name.
  void use(const scene::Scene& scene);

 private:
  void use(const scene::SourceSpec& source);

  movie::CacheUses uses_;
  std::set<scene::SourcePtr> known_;  // sources of the newest scene
};

class ScenePublisher {
 public:
  /// Everything referred to outlives this object.
  ScenePublisher(ControlServer& server, const ShowControl& control, const wall::Wall& wall,
                 const VolumeServerPlace& volumes, ShowNotes& notes);

  /// Exports and marks the sources of the newest scene. To be called before the scene is sent.
  void prepare();
  /// Sends the newest scene: {"type": "scene", "scene", "join_tick"}. `join_tick` is the value of
  /// ReleasePlan::join().
  void send(ConnectionId to, std::int64_t join_tick);
  /// Forgets a closed connection.
  void forget(ConnectionId id) { known_.erase(id); }
  /// Ends the export of volumes that no scene names any more. To be called in every turn.
  void step(LocalInstant now) { exports_.step(control_.scene(), now); }

 private:
  ControlServer& server_;
  const ShowControl& control_;
  RegionPlanes planes_;
  VolumeExports exports_;
  CachedSources cached_;
  scene::SourceCatalogue sources_;
  std::map<ConnectionId, std::set<std::uint64_t>> known_;  // source ids in the last scene sent
};

}  // namespace tilewall::director
