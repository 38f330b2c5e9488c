// Gives the panels of this host the movies they ask for: one decoder a movie, whose pictures all of
// them share.
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "player/host/kept_decoder.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/handle.hpp"

namespace tilewall {

/// Threads: one owner.
class MovieService {
 public:
  struct Surroundings {
    std::filesystem::path run_dir;     ///< decoders' logs and process numbers go below it
    std::filesystem::path clock_page;  ///< this host's
    std::string trace;                 ///< "HOST:PORT" that takes the trace; "" = none is written
  };

  /// Listens on `socket`. Throws JobError.
  MovieService(const std::filesystem::path& socket, Surroundings surroundings);

  /// Waits until `watch` has an event, for `limit` at most, and returns it; serves panels and
  /// watches over decoders meanwhile, and sees to those that have ended.
  [[nodiscard]] WatchEvent serve_until(const ChildWatch& watch, std::chrono::milliseconds limit);

 private:
  /// A panel that is connected; it has a movie once it has asked for one.
  struct Client {
    UniqueFd connection;
    KeptDecoder* movie = nullptr;
    int seat = -1;
  };

  void accept_all();
  /// False: its connection is to be closed.
  [[nodiscard]] bool serve(Client& client);
  [[nodiscard]] bool try_grant(Client& client, const std::string& file);
  [[nodiscard]] bool grant(Client& client, const std::string& file);
  [[nodiscard]] KeptDecoder& movie_of(const std::string& file);
  void leave(Client& client);
  void reap();

  const Surroundings surroundings_;
  const UniqueFd listening_;
  LocalInstant accept_at_;  // not before
  int started_ = 0;         // decoders so far
  std::list<KeptDecoder> movies_;
  std::vector<Client> clients_;
};

}  // namespace tilewall
