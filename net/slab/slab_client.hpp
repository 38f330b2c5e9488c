// Fetches slabs from a server, or from the next one that has the same when it dies or falls silent.
//
// Threads: owns one, "slabs", which does all that touches the network; every function may be called
// by any thread.
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
  std::size_t keep_bytes = 64u << 20;             ///< of memory for slabs that come later
  std::chrono::milliseconds connect_limit{2000};  ///< of each server
  ThreadPlace placement;  ///< of the thread that receives, and so of the memory it writes slabs to
};

struct SlabClientStatus {
  ReceiveCounters received;
  std::size_t server = 0;  ///< which one of them, if connected
  bool connected = false;
  int switches = 0;  ///< times that a session was lost
  Nanos round_trip{0};
  StripeTuning tuning;  ///< tcp
};

class SlabClient {
 public:
  using Ticket = std::uint64_t;

  /// Connects to the first server that answers. Throws what the last one's session threw.
  explicit SlabClient(SlabClientOptions options);
  ~SlabClient();
  SlabClient(const SlabClient&) = delete;
  SlabClient& operator=(const SlabClient&) = delete;

  /// Asks the server's application. Throws InputError where it refuses, JobError where no answer
  /// comes within `limit`.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question,
                                    std::chrono::milliseconds limit);

  /// Asks for a slab, which comes at some time, whichever server is there then, or is cancelled. It
  /// is of use until `until`: where that leaves no time to repair a loss, parity travels along (by
  /// UDP); it comes later all the same.
  [[nodiscard]] Ticket fetch(std::vector<std::byte> payload, LocalInstant until = no_deadline);
  static constexpr LocalInstant no_deadline = ClientSession::no_deadline;
  void cancel(std::vector<Ticket> tickets);

  [[nodiscard]] bool has(Ticket ticket) const;
  /// The slab, once; empty where it is not there.
  [[nodiscard]] std::optional<SlabBuffer> take(Ticket ticket);
  /// How many slabs have come so far; and waits until `until` for there to be more than `known`.
  [[nodiscard]] std::uint64_t news() const;
  void wait_for_news(std::uint64_t known, LocalInstant until);
  void give_back(SlabBuffer buffer) noexcept { pool_.give_back(std::move(buffer)); }

  [[nodiscard]] SlabClientStatus status() const;

 private:
  struct Pending {
    Ticket ticket = 0;
    std::vector<std::byte> payload;
    LocalInstant until;
    std::uint32_t request = 0;  // in the session; 0: not asked for yet
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
  std::unique_ptr<ClientSession> session_;  // the thread's; null between two
  std::map<std::uint32_t, Ticket> asked_;   // the thread's: by the session's request

  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::uint64_t news_count_ = 0;  // guarded by mutex_, as all below
  Ticket next_ticket_ = 1;
  std::map<Ticket, Pending> pending_;     // not come yet
  std::vector<std::uint32_t> cancelled_;  // requests of the session
  std::map<Ticket, SlabBuffer> come_;
  PendingCalls calls_;
  SlabClientStatus status_;
  ReceiveCounters ended_;  // of sessions before

  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::net
