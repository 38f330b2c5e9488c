// The panel's connection to the director: says hello, takes config, scenes and releases, reports
// what was shown. A lost connection is made again for as long as the panel lives; the show goes on
// meanwhile.
//
// Threads: owns one, "link": waits on the socket and on what the other threads hand it; stopped by
// its destructor. The callbacks run on it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"
#include "player/panel/snapshot_orders.hpp"
#include "player/scene/messages.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::panel {

class DirectorLink {
 public:
  struct Callbacks {
    std::function<void(const scene::PanelConfig& config)> config;
    std::function<void(scene::Scene scene, std::int64_t join_tick)> scene;
    std::function<void(const scene::Release& release)> release;
    std::function<void(const SnapshotOrder& order)> snapshot;
    std::function<void()> quit;
    std::function<std::vector<scene::ShownBatch>()> report;  ///< asked for a few times a second
  };

  /// `director`: "HOST:PORT".
  DirectorLink(std::string director, scene::PanelHello hello, Callbacks callbacks);
  ~DirectorLink();

  /// Sends a message, with a blob where there is one, when there is a connection; any thread.
  /// Messages sent while there is none are kept, up to a small number.
  void send(const nlohmann::json& json, std::vector<std::uint8_t> blob = {});

  /// Reports now, ahead of the next turn; any thread.
  void hurry_report();

  /// Sends the last report and everything queued, waiting at most `limit` for the director to take
  /// it; any thread but the link's. The link ends then.
  void finish(std::chrono::milliseconds limit);

 private:
  class Farewell;

  void run(const std::stop_token& stop);
  void converse(net::MessageStream& stream, const std::stop_token& stop);
  /// False: the director has closed the stream, or sends nonsense.
  [[nodiscard]] bool take_messages(net::MessageStream& stream);
  /// Sends the message from the caller's thread. False: the link has to send what is left of it.
  [[nodiscard]] bool send_now(net::Message message);
  /// Sends what waits, as far as the socket takes it. False: the director has closed the stream.
  [[nodiscard]] bool send_waiting(net::MessageStream& stream);
  void take_outbox(net::MessageStream& stream);
  [[nodiscard]] bool wants_write(const net::MessageStream& stream);
  [[nodiscard]] bool has_greeted();
  void set_greeted(net::MessageStream* stream);
  [[nodiscard]] bool is_finishing();
  [[nodiscard]] bool take_hurry();
  void answer(net::MessageStream& stream, const scene::Challenge& challenge);
  void handle(net::MessageStream& stream, const net::Message& message);
  void queue_reports(net::MessageStream& stream);
  [[nodiscard]] std::chrono::milliseconds report_interval() const;

  const std::string director_;
  const scene::PanelHello hello_;
  const Callbacks callbacks_;
  const std::optional<net::AuthKey> key_;
  bool started_ = false;            // link thread only: the newest scene has a start
  scene::ReceivedSources sources_;  // link thread only
  UniqueFd wake_fd_;
  std::mutex mutex_;
  std::vector<net::Message> outbox_;  // guarded by mutex_
  /// Where hello was said; null before. It belongs to the link, but for what it writes, which is
  /// guarded by mutex_.
  net::MessageStream* greeted_ = nullptr;
  bool finishing_ = false;  // guarded by mutex_
  bool hurries_ = false;    // guarded by mutex_
  bool finished_ = false;   // guarded by mutex_
  std::condition_variable finished_changed_;
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::panel
