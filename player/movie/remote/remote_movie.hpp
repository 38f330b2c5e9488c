// A wall movie on a server, as a panel draws it, and as the command line asks about it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "net/slab/remote_connection.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/movie/staging/stage_budget.hpp"
#include "player/picture/picture_source.hpp"

namespace tilewall {

/// What the server says of the movie. Throws InputError where it has none of that name, JobError
/// where it says nothing for so long.
[[nodiscard]] MovieManifest remote_manifest(
    SlabClient& client, const RemoteUrl& url,
    std::chrono::milliseconds limit = std::chrono::seconds(5));

struct RemoteMovieOptions {
  std::string url;
  int threads = 1;                      ///< that decode
  std::shared_ptr<StageBudget> budget;  ///< of frames that are fetched ahead
  std::function<bool()> abandon;        ///< as StagedFeedOptions's
  ThreadPlace receiver;                 ///< as RemoteConnection's
};

/// Throws as the two above.
[[nodiscard]] std::unique_ptr<PictureSource> open_remote_movie(const RemoteMovieOptions& options,
                                                               DrawMemoryPtr memory);

}  // namespace tilewall
