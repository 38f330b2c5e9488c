// Keeps one host in step with the clock daemon: one thread that asks, filters and publishes.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include "net/clock/clock_board.hpp"
#include "net/clock/clock_conversation.hpp"
#include "net/clock/receive_stamp.hpp"
#include "net/socket.hpp"
#include "sync/clock/clock_filter.hpp"

namespace tilewall {

struct ClockClientOptions {
  SocketAddress daemon;
  std::optional<AuthKey> key;
  ClockFilterOptions filter;
  std::optional<ClockStatus> previous;  ///< of an earlier client of this host, steered on from
  /// Called on the client's thread with each publication, some 20 times a second; does not throw.
  std::function<void(const ClockStatus&)> on_publish;
};

/// The client's duty cycle, callable by hand. Threads: one owner.
class ClockClientLoop {
 public:
  /// `board` is published to, from the first answer on, and outlives this.
  ClockClientLoop(const ClockClientOptions& options, ClockBoard& board);

  [[nodiscard]] int fd() const noexcept { return socket_.get(); }

  /// Takes what has come, sends what is due, publishes. Never blocks. Returns when to call again at
  /// the latest; a readable fd() is a reason to call sooner.
  [[nodiscard]] LocalInstant step();

 private:
  void take_replies();
  void take(const ClockReply& reply);
  void send_request(LocalInstant now);
  void publish(LocalInstant now);

  UniqueFd socket_;
  StampedReceiver receiver_;
  ClockConversation conversation_;
  ClockFilter filter_;
  ClockBoard& board_;
  std::function<void(const ClockStatus&)> on_publish_;
  std::uint64_t daemon_boot_id_ = 0;  // 0: none heard yet
  Nanos utc_minus_global_{0};
  LocalInstant next_request_;
  LocalInstant next_steer_;
};

/// Any thread may read it.
class ClockClient : public GlobalClock {
 public:
  /// Starts asking at once. Throws as connect_udp does.
  explicit ClockClient(const ClockClientOptions& options);

  /// Of the daemon at "HOST:PORT", on this machine's loopback or without a key.
  explicit ClockClient(std::string_view daemon);

  ~ClockClient() override;
  ClockClient(const ClockClient&) = delete;
  ClockClient& operator=(const ClockClient&) = delete;

  /// The newest publication; with an unknown mapping before the first.
  [[nodiscard]] ClockStatus status() const noexcept {
    return board_.newest().value_or(ClockStatus{});
  }
  [[nodiscard]] ClockMapping mapping() const noexcept override { return status().mapping; }

  /// Whether the clock has locked within `limit`; waits no longer than needed.
  [[nodiscard]] bool wait_until_locked(std::chrono::milliseconds limit) const;

 private:
  void run(const std::stop_token& stop);

  ClockBoard board_;
  ClockClientLoop loop_;  // the thread's, once it runs
  UniqueFd wake_;         // eventfd: ends the thread's wait
  std::jthread thread_;   // last member: stopped and joined before what it uses
};

}  // namespace tilewall
