#include "player/movie/remote/remote_movie.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "net/auth_key.hpp"
#include "net/secret_variables.hpp"
#include "player/movie/remote/remote_supply.hpp"
#include "player/movie/remote/shelf_answer.hpp"
#include "player/movie/staging/staged_feed.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds connect_limit{2000};  // of each server
constexpr std::chrono::milliseconds longest_take{2500};
constexpr std::size_t keep_bytes = std::size_t{8} << 20;  // of memory for what comes next

}  // namespace

void use_stream_key(const std::filesystem::path& key_file) {
  const std::string secret = key_file.empty() ? "" : file_secret_hex(key_file);
  ::setenv(stream_secret_variable, secret.c_str(), 1);
}

std::shared_ptr<SlabClient> connect_remote(const RemoteUrl& url, std::chrono::milliseconds limit,
                                           ThreadPlace receiver) {
  SlabClientOptions options;
  for (const std::string& server : url.servers) options.servers.push_back(resolve(server, server));
  options.session.key = AuthKey::from_environment(stream_secret_variable);
  options.session.transport = url.transport;
  options.session.stripes = url.streams;
  options.session.encrypt = url.encrypt;
  options.session.interfaces = url.interfaces;
  options.keep_bytes = keep_bytes;
  options.connect_limit = limit;
  options.placement = std::move(receiver);
  return std::make_shared<SlabClient>(std::move(options));
}

MovieManifest remote_manifest(SlabClient& client, const RemoteUrl& url,
                              std::chrono::milliseconds limit) {
  const auto answer = client.call({{"type", "open"}, {"name", url.name}}, limit);
  return parse_manifest(parse_open_answer(answer, url.name).manifest,
                        url.name + "/" + manifest_name);
}

std::unique_ptr<PictureSource> open_remote_movie(const RemoteMovieOptions& options,
                                                 DrawMemoryPtr memory) {
  const RemoteUrl url = parse_remote_url(options.url);
  const auto client = connect_remote(url, connect_limit, options.receiver);
  const MovieManifest movie = remote_manifest(*client, url);
  auto feed = std::make_unique<StagedFeed>(
      std::make_unique<RemoteSupply>(client, url.name),
      StagedFeedOptions{options.budget, longest_take, options.abandon});
  return open_block_movie(movie, std::move(feed), options.threads, std::move(memory));
}

}  // namespace tilewall
