// The client's side of wall movies on servers: opens one as a PictureSource for a panel, and reads
// its manifest for the command line.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "net/slab/remote_url.hpp"
#include "net/slab/slab_client.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/movie/staging/block_fetcher.hpp"
#include "player/movie/staging/stage_budget.hpp"
#include "player/picture/picture_source.hpp"

namespace tilewall::movie {

/// Requests a movie's manifest and parses it. Throws InputError if the server has no movie of that
/// name or the manifest is wrong, JobError if no answer comes within `limit`.
[[nodiscard]] MovieManifest remote_manifest(
    net::SlabClient& client, const net::RemoteUrl& url,
    std::chrono::milliseconds limit = std::chrono::seconds(5));

struct RemoteMovieOptions {
  std::string url;                      ///< tilewall://..., see remote_url.hpp
  int threads = 1;                      ///< number of decoding threads
  std::shared_ptr<StageBudget> budget;  ///< memory for frames that are fetched ahead
  std::function<bool()> abandon;        ///< see StagedPrefetcherOptions
  ThreadPlace receiver;                 ///< see RemoteConnection
};

/// Opens a movie on a server. Throws as connect_remote() and remote_manifest() do.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_remote_movie(
    const RemoteMovieOptions& options, DrawMemoryPtr memory);

/// Fetches a wall movie's blocks from a server.
///
/// Threads: one owner; the client's own thread receives.
class RemoteFetcher final : public BlockFetcher {
 public:
  /// `name`: name of the movie on the client's servers.
  RemoteFetcher(std::shared_ptr<net::SlabClient> client, std::string name);

  [[nodiscard]] std::vector<Asked> fetch(std::int64_t frame, int level, std::vector<int> blocks,
                                         Haste haste) override;
  void cancel(std::vector<Ticket> tickets) override { client_->cancel(std::move(tickets)); }
  [[nodiscard]] std::optional<Brought> take(Ticket ticket, std::size_t blocks) override;
  void give_back(net::SlabBuffer memory) noexcept override {
    client_->give_back(std::move(memory));
  }
  [[nodiscard]] std::uint64_t news() const override { return client_->news(); }
  void wait_for_news(std::uint64_t known, LocalInstant until) override {
    client_->wait_for_news(known, until);
  }
  void count(picture::DrawCounters& counters) const override;

 private:
  const std::shared_ptr<net::SlabClient> client_;
  const std::string name_;
};

}  // namespace tilewall::movie
