// A client of the director's control port that never blocks, for a process with other work than
// waiting for answers.
//
// Threads: one owner, who polls fd().
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/sealed_stream.hpp"

namespace tilewall::terminal {

class ControlLink {
 public:
  /// Connects to a director on this machine, with the show's key. Where that fails, the link is
  /// closed from the beginning.
  ControlLink(std::string address, const net::AuthKey& key);

  /// Descriptor to poll; -1 when closed.
  [[nodiscard]] int fd() const noexcept { return stream_ ? stream_->fd() : -1; }
  [[nodiscard]] bool wants_write() const noexcept { return stream_ && stream_->wants_write(); }

  /// Queues a request, an object with a "type". It is sent after the handshake, when the socket
  /// accepts it.
  void send(nlohmann::json request);

  /// Returns the answers that have come. Also sends queued requests, and connects again where the
  /// director has closed the connection.
  [[nodiscard]] std::vector<nlohmann::json> step();

  /// Whether the connection was made anew since the last call: answers to earlier requests do not
  /// come.
  [[nodiscard]] bool was_renewed() noexcept { return std::exchange(renewed_, false); }

 private:
  void connect(std::chrono::milliseconds limit);

  const std::string address_;
  const net::AuthKey key_;
  std::optional<net::SealedStream> stream_;
  std::chrono::steady_clock::time_point next_connect_;
  bool renewed_ = false;
  std::vector<nlohmann::json> waiting_;  // requests made before the end of the handshake
};

}  // namespace tilewall::terminal
