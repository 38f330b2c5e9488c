// A client of the director's control port that never waits, for a process that has other things to
// do than to wait for answers.
//
// Threads: one owner, who polls fd().
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"

namespace tilewall::terminal {

class ControlLink {
 public:
  /// Connects to a director on this machine, whose key is in the environment. Without success it is
  /// closed from the beginning.
  explicit ControlLink(const std::string& address);

  /// -1: closed.
  [[nodiscard]] int fd() const noexcept { return stream_ ? stream_->fd() : -1; }
  [[nodiscard]] bool wants_write() const noexcept { return stream_ && stream_->wants_write(); }

  /// Sends a request, an object with a "type", as soon as that is possible.
  void send(nlohmann::json request);

  /// The answers that have come. Sends on what waits, too.
  [[nodiscard]] std::vector<nlohmann::json> step();

 private:
  void send_now(nlohmann::json request);

  std::optional<net::MessageStream> stream_;
  const std::optional<net::AuthKey> key_;
  bool challenged_ = false;
  std::string tag_nonce_;                // of the challenge, for the first request
  std::vector<nlohmann::json> waiting_;  // for the challenge
};

}  // namespace tilewall::terminal
