#include "player/director/cached_sources.hpp"

#include <utility>

namespace tilewall {

void CachedSources::use(const Scene& scene) {
  std::set<SourcePtr> named = sources_of(scene);
  for (const SourcePtr& source : named)
    if (!known_.contains(source)) use(*source);
  known_ = std::move(named);
}

void CachedSources::use(const SourceSpec& source) {
  if (source.kind == SourceKind::wall_movie || source.kind == SourceKind::movie)
    uses_.add_if_cached(source.path);
  for (const PlaylistItem& item : source.items) use(*item.source);
}

}  // namespace tilewall
