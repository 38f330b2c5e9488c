// Sends the scene to the processes that play it, and the scene that may be shown next to panels:
// first the sources that the receiver does not have from its last ones, then the scene that refers
// to them. It also keeps their sources available: volumes at the show's server, and entries of the
// movie cache.
//
// Threads: one owner, the director's thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "player/director/changes/volume_exports.hpp"
#include "player/director/connections/control_server.hpp"
#include "player/director/log/show_notes.hpp"
#include "player/director/verbs/show_control.hpp"
#include "player/movie/cache/cache_uses.hpp"
#include "player/scene/arming_messages.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::director {

/// Computes what volumes need of the wall: the planes on which their flat pictures hang, for walls
/// that are no plane, and the panels, for the places of annotations. Immutable; any thread.
class RegionPlanes {
 public:
  explicit RegionPlanes(const wall::Wall& wall);

  /// The scene with Region::plane filled in where the wall needs it, and VolumeStyle::screens where
  /// a style has annotations.
  [[nodiscard]] scene::Scene hung(scene::Scene scene) const;

 private:
  [[nodiscard]] const wall::Canvas& canvas_of(const scene::Scene& scene) const;

  std::array<std::vector<wall::ScreenFromEye>, 2> screens_;  // by BezelMode; empty on a flat wall
  std::vector<wall::Canvas> canvases_;                       // by BezelMode, then ContentMode
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
  void send(std::span<const ConnectionId> to, std::int64_t join_tick);
  /// Sets the scene that may be shown next; empty: none.
  void set_next(std::optional<scene::PreparedScene> next);
  /// Sends it to panels: {"type": "prepare", "token", "scene"}, or {"type": "disarm"}.
  void send_next(std::span<const ConnectionId> to);
  /// Forgets a closed connection.
  void forget(ConnectionId id) { known_.erase(id); }
  /// Ends the export of volumes that no scene names any more. To be called in every turn.
  void step(LocalInstant now);

 private:
  /// The ids of the sources that a receiver has.
  struct KnownSources {
    std::set<std::uint64_t> scene;  // of the last scene sent
    std::set<std::uint64_t> next;   // of the last one that may be shown next
  };

  /// The scene as it is sent.
  [[nodiscard]] scene::Scene for_panels(const scene::Scene& scene);
  void keep_named_sources();
  /// Sends the sources of a scene that the receiver lacks. Returns the ids of all of them.
  [[nodiscard]] std::set<std::uint64_t> send_sources(ConnectionId to, const scene::Scene& sent);

  ControlServer& server_;
  const ShowControl& control_;
  RegionPlanes planes_;
  VolumeExports exports_;
  CachedSources cached_;
  CachedSources cached_next_;  // by the scenes that may be shown next
  scene::SourceCatalogue sources_;
  std::optional<scene::PreparedScene> next_;
  std::set<scene::SourcePtr> scene_sources_;  // of the newest scene, as it is sent
  std::set<scene::SourcePtr> next_sources_;   // of next_, as it is sent
  std::map<ConnectionId, KnownSources> known_;
};

}  // namespace tilewall::director
