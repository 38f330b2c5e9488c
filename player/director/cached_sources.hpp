// The movies of a show that lie in a user's cache: kept from being cleaned away while it runs.
#pragma once

#include <set>

#include "player/movie/cache/cache_uses.hpp"
#include "player/scene/scene.hpp"

namespace tilewall {

/// One owner. Entries stay in use until its end: a scene may come back to them.
class CachedSources {
 public:
  /// Uses the cache's entries among the scene's sources. Takes time, a few system calls each, for
  /// sources only that the scene before did not name.
  void use(const Scene& scene);

 private:
  void use(const SourceSpec& source);

  CacheUses uses_;
  std::set<SourcePtr> known_;  // The newest scene names these sources.
};

}  // namespace tilewall
