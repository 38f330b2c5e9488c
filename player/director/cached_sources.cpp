#include "player/director/cached_sources.hpp"

#include <algorithm>

namespace tilewall {

void CachedSources::use(const Scene& scene) {
  for (const Region& region : scene.regions) {
    if (std::find(known_.begin(), known_.end(), region.source) != known_.end()) continue;
    use(*region.source);
    known_.push_back(region.source);
  }
}

void CachedSources::use(const SourceSpec& source) {
  if (source.kind == SourceKind::wall_movie || source.kind == SourceKind::movie)
    uses_.add_if_cached(source.path);
  for (const PlaylistItem& item : source.items) use(*item.source);
}

}  // namespace tilewall
