// Keeps one host in step with the wall's clock daemons: one thread that asks, filters and
// publishes.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "net/clock/clock_board.hpp"
#include "net/clock/clock_conversation.hpp"
#include "net/clock/receive_stamp.hpp"
#include "net/socket.hpp"
#include "sync/clock/clock_follower.hpp"

namespace tilewall::net {

struct ClockClientOptions {
  std::vector<SocketAddress> daemons;  ///< one, or two: the second stands by
  std::optional<AuthKey> key;
  sync::ClockFollower::Options follower;
  /// Last status of an earlier client of this host, whose mapping this one continues.
  std::optional<sync::ClockStatus> previous;
  /// Called on the client's thread with each publication, some 20 times a second; does not throw.
  std::function<void(const sync::ClockStatus&)> on_publish;
};

/// "HOST:PORT" or "HOST:PORT,HOST:PORT". Throws InputError as resolve() does, or for more than two.
[[nodiscard]] std::vector<SocketAddress> resolve_clock_daemons(std::string_view text,
                                                               const std::string& field);

/// The client's duty cycle, callable by hand. Threads: one owner.
class ClockClientLoop {
 public:
  /// Publishes to `board` from the first answer on. `board` outlives this. @pre one or two daemons
  ClockClientLoop(const ClockClientOptions& options, ClockBoard& board);

  /// A socket for each daemon; lives as long as this.
  [[nodiscard]] const std::vector<int>& fds() const noexcept { return fds_; }

  /// Reads the replies that have come, sends the requests that are due, and publishes. Never
  /// blocks. Returns the latest instant for the next call. A readable descriptor of fds() is a
  /// reason to call sooner.
  [[nodiscard]] LocalInstant step();

 private:
  /// The connection to one daemon.
  struct Line {
    Line(const SocketAddress& daemon, const std::optional<AuthKey>& key)
        : socket(connect_udp(daemon)), receiver(socket.get()), conversation(key) {}
    UniqueFd socket;
    StampedReceiver receiver;
    ClockConversation conversation;
    LocalInstant next_request;
    int unanswered = 0;  // requests since the last reply
  };

  void take_replies(std::size_t daemon);
  void send_request(std::size_t daemon, LocalInstant now);
  void publish(LocalInstant now);

  std::deque<Line> lines_;  // in the order of the daemons
  std::vector<int> fds_;
  sync::ClockFollower follower_;
  ClockBoard& board_;
  std::function<void(const sync::ClockStatus&)> on_publish_;
  LocalInstant next_steer_;
};

/// A GlobalClock with a thread that follows the clock daemons. Any thread may read it.
class ClockClient : public GlobalClock {
 public:
  /// Starts asking at once. Throws as connect_udp does.
  explicit ClockClient(const ClockClientOptions& options);

  /// Follows the daemon at "HOST:PORT", on this machine's loopback or without a key.
  explicit ClockClient(std::string_view daemon);

  ~ClockClient() override;
  ClockClient(const ClockClient&) = delete;
  ClockClient& operator=(const ClockClient&) = delete;

  /// The newest publication. Its mapping is unknown before the first one.
  [[nodiscard]] sync::ClockStatus status() const noexcept {
    return board_.newest().value_or(sync::ClockStatus{});
  }
  [[nodiscard]] ClockMapping mapping() const noexcept override { return status().mapping; }

  /// Waits until the clock is locked or in holdover, at most for `limit`. Returns whether it is.
  [[nodiscard]] bool wait_until_locked(std::chrono::milliseconds limit) const;

 private:
  void run(const std::stop_token& stop);

  ClockBoard board_;
  ClockClientLoop loop_;  // used by the thread alone, once it runs
  UniqueFd wake_;         // eventfd: ends the thread's wait
  std::jthread thread_;   // last member: stopped and joined before what it uses
};

}  // namespace tilewall::net
