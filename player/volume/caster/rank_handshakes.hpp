// Begins sessions with the ranks of a live source. A handshake waits for the other side, who may be
// anybody and may never answer, so handshakes are carried out by threads of their own. Sessions
// that are open already go on meanwhile.
//
// Threads: begin() and take() belong to one owner. The object has `threads` threads, which call
// `changed` after each handshake.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "net/slab/client_session.hpp"
#include "net/slab/slab_acceptor.hpp"
#include "net/slab/slab_buffer.hpp"

namespace tilewall::volume {

class RankHandshakes {
 public:
  static constexpr int threads = 8;
  static constexpr std::chrono::milliseconds limit{1000};  ///< Longest handshake
  static constexpr std::size_t most_waiting = 1024;

  /// How a handshake ended.
  struct Result {
    std::uint64_t number = 0;  ///< what begin() returned
    net::SocketAddress from;
    std::unique_ptr<net::ClientSession> session;  ///< null where it failed
    std::string fault{};                          ///< for people, where it failed
    bool is_absent = false;                       ///< it failed because nobody answers
  };

  /// `pool` outlives this object. `changed` is called on threads of this object.
  RankHandshakes(net::SlabSessionOptions options, net::SlabPool& pool,
                 std::function<void()> changed);
  /// Waits for the handshakes under way, at most for `limit`.
  ~RankHandshakes();

  /// Begins a session with a rank that has connected. Returns the handshake's number; 0, with the
  /// connection closed, where most_waiting wait already.
  std::uint64_t begin(net::Offered offered);
  /// Begins a session with a rank that listens. Returns as above.
  std::uint64_t begin(const net::SocketAddress& rank);

  /// Removes and returns the handshakes that have ended, in that order.
  [[nodiscard]] std::vector<Result> take();

 private:
  struct Job {
    std::uint64_t number = 0;
    std::variant<net::SocketAddress, net::Offered> with;
  };

  std::uint64_t add(std::variant<net::SocketAddress, net::Offered> with);
  void run(const std::stop_token& stop);
  [[nodiscard]] Result carry_out(Job job) const;

  const net::SlabSessionOptions options_;
  net::SlabPool& pool_;
  const std::function<void()> changed_;
  std::uint64_t next_number_ = 1;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Job> waiting_;            // guarded by mutex_
  std::vector<Result> finished_;       // guarded by mutex_
  std::vector<std::jthread> threads_;  // last: stopped and joined before anything they use
};

}  // namespace tilewall::volume
