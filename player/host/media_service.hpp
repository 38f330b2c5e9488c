// Serves the panels' requests for movies and volumes: one decoder for each movie, whose pictures
// all panels of the host share, and one caster for each volume, which draws for all of them.
//
// Threads: one owner.
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

class MediaService {
 public:
  struct Surroundings {
    std::filesystem::path run_dir;     ///< logs and process numbers go below it
    std::filesystem::path clock_page;  ///< file with this host's mapping to global time
    std::string trace;                 ///< "HOST:PORT" that receives the trace; "" = no trace
    scene::DecodeDevice decode =
        scene::DecodeDevice::automatic;  ///< device that decodes ordinary movies
    std::string director{};   ///< "HOST:PORT" of the control port, for casters of live sources
    std::string hdr = "map";  ///< decoders tone map ("map") or clip ("clip") HDR pictures
  };

  /// Listens on `socket`. Throws JobError where it cannot.
  MediaService(const std::filesystem::path& socket, Surroundings surroundings);

  /// Waits up to `limit` for requests and for an event of `watch`, and returns that event. Serves
  /// panels, restarts children that have ended, and kills those that hang.
  [[nodiscard]] WatchEvent serve_until(const ChildWatch& watch, std::chrono::milliseconds limit);

 private:
  /// A connected panel. It gets a movie or a volume by its first request.
  struct Client {
    UniqueFd connection;
    KeptDecoder* movie = nullptr;
    int seat = -1;
    KeptCaster* volume = nullptr;
  };

  void accept_all();
  /// Handles a request. False: the connection has to be closed.
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
  int started_ = 0;  // number of decoders so far
  int casters_started_ = 0;
  std::list<KeptDecoder> movies_;
  std::list<KeptCaster> volumes_;
  std::vector<Client> clients_;
};

}  // namespace tilewall::host
