// Gives the panels of this host the movies and volumes they ask for: one decoder a movie, whose
// pictures all of them share, and one caster a volume, which draws for all of them.
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/socket.hpp"
#include "player/host/kept_caster.hpp"
#include "player/host/kept_decoder.hpp"
#include "player/volume/cast_wire.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::host {

/// Threads: one owner.
class MediaService {
 public:
  struct Surroundings {
    std::filesystem::path run_dir;     ///< decoders' logs and process numbers go below it
    std::filesystem::path clock_page;  ///< this host's
    std::string trace;                 ///< "HOST:PORT" that takes the trace; "" = none is written
    scene::DecodeDevice decode = scene::DecodeDevice::automatic;  ///< of ordinary movies
    std::string hdr = "map";  ///< what decoders make of HDR: "map" or "clip"
  };

  /// Listens on `socket`. Throws JobError.
  MediaService(const std::filesystem::path& socket, Surroundings surroundings);

  /// Waits until `watch` has an event, for `limit` at most, and returns it; serves panels and
  /// watches over decoders meanwhile, and sees to those that have ended.
  [[nodiscard]] WatchEvent serve_until(const ChildWatch& watch, std::chrono::milliseconds limit);

 private:
  /// A panel that is connected; it has a movie or a volume once it has asked for one.
  struct Client {
    UniqueFd connection;
    KeptDecoder* movie = nullptr;
    int seat = -1;
    KeptCaster* volume = nullptr;
  };

  void accept_all();
  /// False: its connection is to be closed.
  [[nodiscard]] bool serve(Client& client);
  [[nodiscard]] bool try_grant(Client& client, const std::string& file);
  [[nodiscard]] bool grant(Client& client, const std::string& file);
  [[nodiscard]] bool try_grant_caster(Client& client, const volume::CasterRequest& request);
  [[nodiscard]] bool grant_caster(Client& client, const volume::CasterRequest& request);
  [[nodiscard]] KeptDecoder& movie_of(const std::string& file);
  [[nodiscard]] KeptCaster& caster_of(const std::string& volume);
  [[nodiscard]] std::vector<std::string> trace_arguments() const;
  void leave(Client& client);
  void end_unused_casters();
  void take_end(const ChildEnd& end);
  void reap();

  const Surroundings surroundings_;
  const UniqueFd listening_;
  net::AcceptPause accept_pause_;
  int started_ = 0;  // decoders so far
  int casters_started_ = 0;
  std::list<KeptDecoder> movies_;
  std::list<KeptCaster> volumes_;
  std::vector<Client> clients_;
};

}  // namespace tilewall::host
