#include "player/movie/remote/remote_movie.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "player/movie/remote/block_request.hpp"
#include "player/movie/staging/staged_prefetcher.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {

namespace {

constexpr std::chrono::milliseconds longest_take{2500};  // after this time the last picture stays

}  // namespace

MovieManifest remote_manifest(net::SlabClient& client, const net::RemoteUrl& url,
                              std::chrono::milliseconds limit) {
  const auto answer = client.call({{"type", "open"}, {"name", url.name}}, limit);
  return parse_manifest(parse_open_answer(answer, url.name).manifest,
                        url.name + "/" + scene::manifest_name);
}

std::unique_ptr<picture::PictureSource> open_remote_movie(const RemoteMovieOptions& options,
                                                          DrawMemoryPtr memory) {
  const net::RemoteUrl url = net::parse_remote_url(options.url);
  const auto client = net::connect_remote(url, {.receiver = options.receiver});
  const MovieManifest movie = remote_manifest(*client, url);
  auto prefetcher = std::make_unique<StagedPrefetcher>(
      std::make_unique<RemoteFetcher>(client, url.name),
      StagedPrefetcherOptions{options.budget, longest_take, options.abandon});
  return open_block_movie(movie, std::move(prefetcher), options.threads, std::move(memory));
}

RemoteFetcher::RemoteFetcher(std::shared_ptr<net::SlabClient> client, std::string name)
    : client_(std::move(client)), name_(std::move(name)) {}

std::vector<BlockFetcher::Asked> RemoteFetcher::fetch(std::int64_t frame, int level,
                                                      std::vector<int> blocks, Haste haste) {
  // A panel that waits already leaves no time to repair a loss, so the server adds parity.
  const LocalInstant until = haste == Haste::now ? local_now() : net::SlabClient::no_deadline;
  std::vector<Asked> asked;
  for (BlockRequest& request : split_request({name_, level, frame, std::move(blocks)}))
    asked.push_back({client_->fetch(to_bytes(request), until), std::move(request.blocks)});
  return asked;
}

std::optional<BlockFetcher::Brought> RemoteFetcher::take(Ticket ticket, std::size_t blocks) {
  auto slab = client_->take(ticket);
  if (!slab) return std::nullopt;
  Brought brought;
  brought.memory = std::move(*slab);
  BlockAnswer answer = parse_block_answer(brought.memory.bytes(), blocks);
  brought.has_frame = answer.status == BlockAnswerStatus::found;
  brought.blocks = std::move(answer.blocks);
  for (const auto& block : brought.blocks) brought.read_bytes += block.size();
  return brought;
}

void RemoteFetcher::count(picture::DrawCounters& counters) const {
  const net::SlabClientStatus status = client_->status();
  const net::ReceiveCounters& received = status.received;
  counters.received_bytes = received.received_bytes;
  counters.lost_packets = received.lost_packets;
  counters.repaired_packets = received.repaired_packets;
  counters.window_bytes = status.tuning.window_bytes;
}

}  // namespace tilewall::movie
