// The console's one connection to the wall's control port, for all browsers together. It is made
// again when the director dies, and requests that wait are sent again then.
//
// Threads: the thread that runs the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "net/control/control_place.hpp"
#include "net/control/message_stream.hpp"

namespace tilewall::console {

class WallLink {
 public:
  using Answer = std::function<void(const nlohmann::json& answer)>;

  static constexpr std::chrono::seconds usual_limit{20};  // panels gather for ten

  struct Callbacks {
    std::function<void()> connected;                         ///< requests may be asked now
    std::function<void()> away;                              ///< the director is gone
    std::function<void(const nlohmann::json& event)> event;  ///< "type" is "event"
    std::function<void(const nlohmann::json& head, const std::vector<std::uint8_t>& jpeg)> picture;
  };

  /// Connects to the wall of the run directory, again and again. The io_context outlives this
  /// object. A subscription to events that is refused is asked for again after `subscribe_pause`.
  WallLink(boost::asio::io_context& io, std::filesystem::path run_dir, Callbacks callbacks,
           std::chrono::milliseconds subscribe_pause = std::chrono::seconds(2));
  ~WallLink();

  [[nodiscard]] bool is_connected() const noexcept { return connection_ != nullptr; }

  /// Sends a request, an object with a "type". `answer` gets the director's answer, or {"type":
  /// "away", "error"} where none comes within `limit`. Requests that wait while the director is
  /// started again are sent to the next one; those with a "once" are executed once.
  void ask(nlohmann::json request, Answer answer, std::chrono::seconds limit = usual_limit);
  /// The same for a request that means nothing to the next director: it is "away" with this one.
  /// @pre is_connected()
  void ask_this_one(nlohmann::json request, Answer answer);

 private:
  struct Connection;
  struct Waiting {
    nlohmann::json request;
    Answer answer;
    std::chrono::steady_clock::time_point until;
    bool is_for_this_one;  // not for the next director
  };

  void add(nlohmann::json request, Answer answer, std::chrono::seconds limit, bool is_for_this_one);
  void subscribe();
  void take_subscription(const nlohmann::json& answer);
  void connect_later();
  void begin_connecting();
  void finish_connecting(UniqueFd socket);
  void wait_for_data();
  void write();
  void take_data();
  void take(const net::Message& message);
  void greet();
  void send(const nlohmann::json& request);
  void lose(const std::string& why);
  void give_up_late();

  boost::asio::io_context& io_;
  const net::ControlPlace place_;
  const Callbacks callbacks_;
  const std::chrono::milliseconds subscribe_pause_;
  boost::asio::steady_timer connect_timer_;
  boost::asio::steady_timer late_timer_;
  boost::asio::steady_timer subscribe_timer_;
  std::unique_ptr<boost::asio::posix::stream_descriptor> connecting_;  // null: not connecting
  std::shared_ptr<Connection> connection_;                             // null: none
  std::map<std::uint64_t, Waiting> waiting_;
  std::uint64_t last_id_ = 0;
  bool has_told_trouble_ = false;    // in the log, since a connection has lasted
  std::chrono::milliseconds pause_;  // before the next connection
};

}  // namespace tilewall::console
