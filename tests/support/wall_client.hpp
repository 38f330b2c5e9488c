// A client of a wall's control port, written from its documentation alone: framing, challenge,
// requests with ids, events.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::test {

/// A message on the wire: 'TWCM', text_bytes, blob_bytes (0), the text.
[[nodiscard]] std::string framed(const std::string& text);

/// Whether the first request proves that the client has the show's secret.
enum class Proof { given, missing };

class WallClient {
 public:
  /// Waits for the wall's control.addr, connects and reads the challenge. Throws
  /// std::runtime_error.
  explicit WallClient(const std::filesystem::path& run_dir, Proof proof = Proof::given);

  /// Returns the answer to the request, an object with a "type". Events that come before it are
  /// kept.
  nlohmann::json ask(nlohmann::json request);

  void send_text(const std::string& text) { send_bytes(framed(text)); }
  /// Sends as many of the bytes as the wall accepts before it closes the connection.
  void send_bytes(const std::string& bytes);

  /// The next message; empty where the wall closed the connection, or sent nothing for `limit`.
  std::optional<nlohmann::json> receive(std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// Whether the wall closes the connection within `limit`. Messages before that are ignored.
  bool is_closed(std::chrono::milliseconds limit = std::chrono::seconds(10));

  [[nodiscard]] const std::vector<nlohmann::json>& events() const { return events_; }
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  bool read_more(std::chrono::steady_clock::time_point until);

  const std::filesystem::path run_dir_;
  UniqueFd socket_;
  std::string nonce_;  // "" once the first request was signed
  std::string received_;
  std::vector<nlohmann::json> events_;
  bool closed_ = false;
  int last_id_ = 0;
};

}  // namespace tilewall::test
