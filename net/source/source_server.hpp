// The sockets of a live source: its slab server on a thread of its own.
//
// Where the server fails, for instance for lack of memory, its sessions end, and it runs anew after
// a pause: a simulation that has run for days keeps its wall.
//
// Threads: owns one, "tw-source", which runs the server; the server owns its workers. All of them
// block every signal, so that a simulation's handlers run on the simulation's threads, and none of
// them raises one at an overflow. Any thread may call the public functions.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "net/auth_key.hpp"
#include "net/slab/slab_server.hpp"
#include "net/source/live_source.hpp"
#include "net/source/source_address.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::net {

class SourceServer {
 public:
  /// Begins to serve. `source` outlives this. Throws InputError for an address beyond loopback
  /// without a key, and JobError where the system refuses a socket or thread.
  SourceServer(const SourcePlaces& places, const std::optional<AuthKey>& key,
               const LiveOffer& offer, LiveSource& source);
  ~SourceServer();
  SourceServer(const SourceServer&) = delete;
  SourceServer& operator=(const SourceServer&) = delete;

  /// 0: it does not listen.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] SlabServerStatus status() const { return server_->status(); }

  /// Tells all walls what was reached, if there is one.
  void tell(const LiveReached& reached);

  /// The newest line about a wall, or about a failure of the server; "": none.
  [[nodiscard]] SourceNews news() const;

 private:
  void run() noexcept;
  void note(const std::string& line) noexcept;

  mutable std::mutex mutex_;
  SourceNews news_;  // guarded by mutex_
  const UniqueFd stop_;
  std::unique_ptr<SlabServer> server_;
  std::uint16_t port_ = 0;
  std::jthread thread_;  // last: joined before anything it uses
};

}  // namespace tilewall::net
