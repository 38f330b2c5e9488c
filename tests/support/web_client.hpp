// A client of the console, written from its protocol alone: HTTP/1.1 and WebSockets on plain
// sockets, so that tests can also send what no browser would.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::test {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct WebAnswer {
  int status = 0;                              ///< 0: the connection was closed without an answer
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;

  /// The body as JSON; discarded where it is none.
  [[nodiscard]] nlohmann::json json() const;
  /// The body's field "error"; "" where there is none.
  [[nodiscard]] std::string error() const;
};

/// A connection to a port of 127.0.0.1.
class WebConnection {
 public:
  /// The system keeps `kept_bytes` of what was not read yet; 0 = as it likes. Throws
  /// std::runtime_error where nobody listens.
  explicit WebConnection(int port, int kept_bytes = 0);

  /// Sends as many of the bytes as the server takes; false where it has closed the connection, or
  /// takes none for `limit`.
  bool send(const std::string& bytes, std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// Takes what has come and more; false where the connection was closed, or nothing came for
  /// `limit`.
  bool read_more(std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// The next answer.
  [[nodiscard]] WebAnswer answer();
  /// Whether the server closes the connection within `limit`. What comes before is ignored.
  [[nodiscard]] bool is_closed(std::chrono::milliseconds limit = std::chrono::seconds(10));

  [[nodiscard]] std::string& received() { return received_; }

 private:
  UniqueFd socket_;
  std::string received_;
  bool closed_ = false;
};

/// The text of a request with that body.
[[nodiscard]] std::string request_text(const std::string& method, const std::string& path,
                                       const Headers& headers, const std::string& body = "");

/// The console of a show: its address and tokens, from its run directory.
class ConsoleClient {
 public:
  /// Waits for the file of the tokens. Throws std::runtime_error.
  explicit ConsoleClient(const std::filesystem::path& run_dir,
                         const std::string& role = "operator");

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] const std::string& token() const { return token_; }

  /// One request on a connection of its own, with the role's token.
  [[nodiscard]] WebAnswer get(const std::string& path) const;
  [[nodiscard]] WebAnswer post(const std::string& verb,
                               const nlohmann::json& fields = nlohmann::json::object()) const;
  /// One request with these headers alone, and a Host unless they have one.
  [[nodiscard]] WebAnswer ask(const std::string& method, const std::string& path, Headers headers,
                              const std::string& body = "") const;
  /// Logs a person in; returns the header Cookie of their session.
  [[nodiscard]] std::string log_in(const std::string& name) const;
  /// The headers of a request of the console's own page.
  [[nodiscard]] Headers page_headers(const std::string& cookie) const;

 private:
  int port_ = 0;
  std::string token_;
};

/// A page's WebSocket.
class PageSocket {
 public:
  struct Frame {
    int opcode = 0;
    std::string data;
  };

  /// Logs in and opens the socket; throws std::runtime_error where the console refuses.
  PageSocket(const ConsoleClient& console, const std::string& name)
      : PageSocket(console, console.page_headers(console.log_in(name))) {}
  PageSocket(const ConsoleClient& console, const Headers& headers, int kept_bytes = 0);

  void send(const nlohmann::json& message) { send_frame(1, message.dump()); }
  /// `first` is the frame's first byte: 0x80 (last fragment), reserved bits and the opcode.
  bool send_frame(int opcode, const std::string& data, int first_bits = 0x80,
                  bool is_masked = true);
  void request(int id, const std::string& verb,
               const nlohmann::json& fields = nlohmann::json::object());

  /// The next message or control frame; empty where the connection was closed, or nothing came for
  /// `limit`.
  std::optional<Frame> receive(std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// Takes messages until the condition holds; false where the connection was closed, or none came.
  bool until(const std::function<bool()>& condition,
             std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// The answer to the request of that id; null where none comes.
  nlohmann::json answer(int id);
  [[nodiscard]] bool is_closed() { return connection_.is_closed(); }

  /// The state as a page has it: the whole one and all patches since.
  [[nodiscard]] const nlohmann::json& state() const { return state_; }
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  [[nodiscard]] const nlohmann::json& hello() const { return hello_; }
  /// Ids of requests that were received by the director.
  [[nodiscard]] const std::vector<nlohmann::json>& received() const { return received_; }
  [[nodiscard]] int whole_states() const { return whole_states_; }
  [[nodiscard]] int patches() const { return patches_; }
  /// A patch did not begin at the revision that this page had.
  [[nodiscard]] bool has_gap() const { return has_gap_; }
  [[nodiscard]] const std::vector<nlohmann::json>& answers() const { return answers_; }

  WebConnection& connection() { return connection_; }

 private:
  void take(const nlohmann::json& message);

  WebConnection connection_;
  Frame parts_;  // of a message whose last frame has not come
  nlohmann::json hello_;
  nlohmann::json state_ = nlohmann::json::object();
  std::uint64_t revision_ = 0;
  std::vector<nlohmann::json> received_;
  std::vector<nlohmann::json> answers_;
  int whole_states_ = 0;
  int patches_ = 0;
  bool has_gap_ = false;
};

}  // namespace tilewall::test
