// A client of a wall's control port: requests with ids, events, and what no client should send.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "net/control/sealed_stream.hpp"

namespace tilewall::test {

/// A message on the wire before it is sealed: 'TWCM', text_bytes, blob_bytes (0), the text.
[[nodiscard]] std::string framed(const std::string& text);

class WallClient {
 public:
  /// Waits for the wall's control.addr, connects, and proves the wall's key. Throws
  /// std::runtime_error.
  explicit WallClient(const std::filesystem::path& run_dir);

  /// Returns the answer to the request, an object with a "type". Events that come before it are
  /// kept.
  nlohmann::json ask(nlohmann::json request);

  /// Sends a sealed message with this text, until the wall closes the connection.
  void send_text(const std::string& text);
  /// Sends as many of the bytes, which are not sealed, as the wall accepts before it closes the
  /// connection.
  void send_bytes(const std::string& bytes);

  /// The next message; empty where the wall closed the connection, or sent nothing for `limit`.
  std::optional<nlohmann::json> receive(std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// Whether the wall closes the connection within `limit`. Messages before that are ignored.
  bool is_closed(std::chrono::milliseconds limit = std::chrono::seconds(10));

  [[nodiscard]] const std::vector<nlohmann::json>& events() const { return events_; }
  [[nodiscard]] int fd() const { return stream_.fd(); }

 private:
  void write_all();
  bool read_more(std::chrono::steady_clock::time_point until);

  net::SealedStream stream_;
  std::vector<net::Message> received_;
  std::vector<nlohmann::json> events_;
  bool closed_ = false;
  int last_id_ = 0;
};

}  // namespace tilewall::test
