// Fetches slabs from a server. When the server fails or falls silent, open requests go on with the
// next server of the list.
//
// Threads: owns one, "slabs", which does all work on the network after the constructor. Any thread
// may call every function.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/slab/client_session.hpp"
#include "net/slab/pending_calls.hpp"
#include "net/slab/slab_buffer.hpp"
#include "net/socket.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/thread_place.hpp"

namespace tilewall::net {

struct SlabClientOptions {
  std::vector<SocketAddress> servers;  ///< in the order in which they are tried; at least one
  SlabSessionOptions session;
  std::size_t keep_bytes = 64u << 20;             ///< unused memory kept for later slabs
  std::chrono::milliseconds connect_limit{2000};  ///< longest connecting to each server
  ThreadPlace placement;  ///< place of the receiving thread, and so of the slabs' memory
};

struct SlabClientStatus {
  ReceiveCounters received;
  std::size_t server = 0;  ///< index of the connected or last server in the options
  bool connected = false;
  int switches = 0;     ///< number of sessions that were lost
  Nanos round_trip{0};  ///< smoothed time from a request to its first piece; 0: unknown
  StripeTuning tuning;  ///< TCP only
};

class SlabClient {
 public:
  using Ticket = std::uint64_t;

  /// Blocks until it is connected to the first server that answers. If none does, throws what the
  /// session with the last one threw.
  explicit SlabClient(SlabClientOptions options);
  ~SlabClient();
  SlabClient(const SlabClient&) = delete;
  SlabClient& operator=(const SlabClient&) = delete;

  /// Sends a question to the server's application, and blocks until the answer. Throws InputError
  /// if the application refuses, and JobError if no answer arrives within `limit`.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question,
                                    std::chrono::milliseconds limit);

  /// Requests a slab, which arrives at some time, from whichever server is connected then, unless
  /// it is cancelled. If `until` leaves no time to repair a loss, the server sends parity with it
  /// (UDP only). A slab that is late is delivered too. A server is not regarded as silent for the
  /// sake of standing requests.
  [[nodiscard]] Ticket fetch(std::vector<std::byte> payload, LocalInstant until = no_deadline,
                             RequestKind kind = RequestKind::prompt);
  static constexpr LocalInstant no_deadline = ClientSession::no_deadline;
  void cancel(std::vector<Ticket> tickets);

  [[nodiscard]] bool has(Ticket ticket) const;
  /// Hands the slab over, once; empty if it has not arrived.
  [[nodiscard]] std::optional<SlabBuffer> take(Ticket ticket);
  /// Number of slabs that have arrived so far.
  [[nodiscard]] std::uint64_t news() const;
  /// Blocks until news() differs from `known`, or until `until`.
  void wait_for_news(std::uint64_t known, LocalInstant until);
  /// Returns the memory of a slab for later ones.
  void give_back(SlabBuffer buffer) noexcept { pool_.give_back(std::move(buffer)); }

  [[nodiscard]] SlabClientStatus status() const;

 private:
  struct Pending {
    Ticket ticket = 0;
    std::vector<std::byte> payload;
    LocalInstant until;
    RequestKind kind = RequestKind::prompt;
    std::uint32_t request = 0;  // its number in the session; 0: not sent yet
  };
  struct Tickets {
    Ticket next = 1;    // the next fetch()'s
    Ticket unsent = 1;  // all before it were sent, or are gone
  };

  void connect_first();
  void run(const std::stop_token& stop);
  void send_pending();
  void wait();
  [[nodiscard]] bool turn(ClientSession::Events& events);
  void publish(ClientSession::Events& events);
  [[nodiscard]] bool is_silent(LocalInstant now) const;
  void lose_session();
  [[nodiscard]] bool reconnect(const std::stop_token& stop);
  void wake() noexcept;

  const SlabClientOptions options_;
  SlabPool pool_;
  const UniqueFd wake_;
  std::unique_ptr<ClientSession> session_;  // thread "slabs" only; null between two sessions
  std::map<std::uint32_t, Ticket> asked_;   // thread "slabs" only: open requests of the session

  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::uint64_t news_count_ = 0;  // guarded by mutex_, like all members below
  Tickets tickets_;
  std::map<Ticket, Pending> pending_;     // slabs that have not arrived
  std::vector<std::uint32_t> cancelled_;  // requests that the session is to cancel
  std::map<Ticket, SlabBuffer> come_;     // slabs that wait to be taken
  PendingCalls calls_;
  SlabClientStatus status_;
  ReceiveCounters ended_;  // sums of earlier sessions

  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::net
