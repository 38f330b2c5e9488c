#include "player/movie/remote/remote_movie.hpp"

#include <nlohmann/json.hpp>

#include "player/movie/remote/remote_supply.hpp"
#include "player/movie/remote/shelf_answer.hpp"
#include "player/movie/staging/staged_feed.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds longest_take{2500};

}  // namespace

MovieManifest remote_manifest(SlabClient& client, const RemoteUrl& url,
                              std::chrono::milliseconds limit) {
  const auto answer = client.call({{"type", "open"}, {"name", url.name}}, limit);
  return parse_manifest(parse_open_answer(answer, url.name).manifest,
                        url.name + "/" + manifest_name);
}

std::unique_ptr<PictureSource> open_remote_movie(const RemoteMovieOptions& options,
                                                 DrawMemoryPtr memory) {
  const RemoteUrl url = parse_remote_url(options.url);
  const auto client = connect_remote(url, {.receiver = options.receiver});
  const MovieManifest movie = remote_manifest(*client, url);
  auto feed = std::make_unique<StagedFeed>(
      std::make_unique<RemoteSupply>(client, url.name),
      StagedFeedOptions{options.budget, longest_take, options.abandon});
  return open_block_movie(movie, std::move(feed), options.threads, std::move(memory));
}

}  // namespace tilewall
