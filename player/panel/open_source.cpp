#include "player/panel/open_source.hpp"

#include "player/movie/frames/image_sequence.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/movie/remote/remote_movie.hpp"
#include "player/movie/shared/shared_movie.hpp"
#include "player/movie/staging/file_supply.hpp"
#include "player/panel/pattern_source.hpp"
#include "player/volume/volume_source.hpp"
#include "sync/base/check.hpp"

namespace tilewall {
namespace {

std::vector<std::filesystem::path> files_of(const SourceSpec& spec) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : spec.files)
    files.push_back(name.empty() ? std::filesystem::path()
                                 : std::filesystem::path(spec.path) / name);
  return files;
}

}  // namespace

std::unique_ptr<PictureSource> open_source(const SourceSpec& spec, const PanelConfig& config,
                                           const FlatView& view, const MovieAccess& movies,
                                           const DrawMemoryPtr& memory) {
  switch (spec.kind) {
    case SourceKind::wall_movie:
      if (config.stage_bytes.value_or(0) > 0)
        return open_staged_movie(spec.path, config.decode_threads, movies.budget, movies.abandon,
                                 memory);
      return open_wall_movie(spec.path, config.decode_threads, memory);
    case SourceKind::images:
      return open_image_sequence(files_of(spec), config.decode_threads, memory);
    case SourceKind::movie:
      return open_shared_movie(
          {movies.socket, spec.path, spec.size_px, config.decode_threads, movies.abandon});
    case SourceKind::remote_movie:
      return open_remote_movie(
          {spec.path, config.decode_threads, movies.budget, movies.abandon, movies.receiver},
          memory);
    case SourceKind::pattern:
      return open_pattern(spec.path, config, view);
    case SourceKind::volume:
      return open_volume_source(
          {movies.socket, spec.path, config.name, movies.ended, movies.problem});
    case SourceKind::playlist:
      break;  // its items are opened, one by one
  }
  TW_CHECK(false, "a playlist");
  return nullptr;
}

}  // namespace tilewall
