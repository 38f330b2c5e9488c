// The panel's connection to the director. It sends hello and reports, and receives the config,
// scenes, releases and snapshot orders. A lost connection is made again for as long as the panel
// lives; the show goes on meanwhile.
//
// Threads: owns "link", which waits on the socket and on messages of other threads; the destructor
// stops it. The callbacks run on it, except for `logs`: each request for logs has a thread that
// ends with its answer, one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/sealed_stream.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/panel/snapshot_orders.hpp"
#include "player/scene/live_messages.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/snapshot_messages.hpp"
#include "player/scene/watch_messages.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::panel {

class DirectorLink {
 public:
  struct Callbacks {
    std::function<void(const scene::PanelConfig& config)> config;
    std::function<void(scene::Scene scene, std::int64_t join_tick)> scene;
    std::function<void(const scene::Release& release)> release;
    std::function<void(const scene::LiveStep& step)> live;
    /// The scene that may be shown next; null: none.
    std::function<void(PreparedPtr prepared)> prepared;
    std::function<void(const SnapshotOrder& order)> snapshot;
    std::function<void()> quit;
    /// Called for each report to the director. `again`: it is the first on a new connection.
    std::function<std::vector<scene::ShownBatch>(bool again)> report;
    /// What the panel has of the show, for its hello; empty before the first scene.
    std::function<std::optional<scene::PanelStanding>()> standing;
    /// Returns the answer to a request for the logs of this host. Called on a thread of its own, as
    /// it reads files.
    std::function<nlohmann::json(std::uint64_t number, const std::string& role)> logs = {};
    /// Returns the message with rows of a picture for a snapshot.
    std::function<net::Message(const scene::SnapshotBand& band)> snapshot_band = {};
    /// The director does not need this picture for a snapshot any longer.
    std::function<void(const scene::SnapshotName& name)> snapshot_done = {};
    /// Which pictures clients watch; none at the beginning of each connection.
    std::function<void(const scene::WatchOrder& order)> watch = {};
    /// Obeys an order to start processes again (restart_order.hpp).
    std::function<void(const std::string& role)> restart = {};
  };

  /// `director` is "HOST:PORT", `key` the show's. Returns at once; the thread connects.
  DirectorLink(std::string director, const net::AuthKey& key, scene::PanelHello hello,
               Callbacks callbacks);
  ~DirectorLink();

  /// Sends a message and its blob. Never blocks; any thread. Without a connection up to 256
  /// messages are kept, and later ones are dropped.
  void send(const nlohmann::json& json, std::vector<std::uint8_t> blob = {});

  /// The same for a message that is there as text.
  void send_message(net::Message message);

  /// Sends a message and its blob behind the next report, unless that finds older messages waiting;
  /// so neither this process nor the director wakes for it alone. A newer one replaces one that
  /// waits, and one that waits when the connection ends is dropped. Never blocks; any thread.
  void send_newest(const nlohmann::json& json, std::vector<std::uint8_t> blob);

  /// Sends a report now instead of at the next interval; any thread.
  void hurry_report();

  /// Sends the last report and all queued messages, and ends the link. Waits up to `limit` until
  /// the socket has taken them. Any thread but the link's.
  void finish(std::chrono::milliseconds limit);

 private:
  class Farewell;

  void run(const std::stop_token& stop);
  void begin_connection();
  void wake();
  void converse(net::SealedStream& stream, const std::stop_token& stop);
  /// Handles all received messages. False: the stream is closed or malformed.
  [[nodiscard]] bool take_messages(net::SealedStream& stream);
  /// Sends the message from the caller's thread. False: the link's thread has to send the rest.
  [[nodiscard]] bool send_now(net::Message message);
  /// Sends queued messages until the socket is full. False: the director has closed the stream.
  [[nodiscard]] bool send_waiting(net::SealedStream& stream);
  void take_outbox(net::SealedStream& stream);
  [[nodiscard]] bool wants_write(const net::SealedStream& stream);
  [[nodiscard]] bool has_greeted();
  void set_greeted(net::SealedStream* stream);
  [[nodiscard]] bool is_finishing();
  [[nodiscard]] bool take_hurry();
  void say_hello(net::SealedStream& stream);
  void handle(const net::Message& message);
  void queue_reports(net::SealedStream& stream);
  void take_scene(const nlohmann::json& json);
  void take_prepared(const nlohmann::json& json);
  void keep_named_sources();
  void answer_with_logs(std::uint64_t number, const std::string& role);
  [[nodiscard]] std::chrono::milliseconds report_interval() const;

  const std::string director_;
  const net::AuthKey key_;
  const scene::PanelHello hello_;
  const Callbacks callbacks_;
  /// What came of the director, for the link's thread alone.
  struct Received {
    bool started = false;                    ///< the newest scene has a start instant
    scene::ReceivedSources sources;          ///< the sources that this connection brought
    std::set<scene::SourcePtr> of_scene;     ///< the sources of the newest scene
    std::set<scene::SourcePtr> of_prepared;  ///< and of the one that may be shown next
  };
  Received received_;
  bool reported_ = false;  // a report was sent on this connection; the link's thread alone
  UniqueFd wake_fd_;
  std::mutex mutex_;
  /// What callers and the link's thread share, guarded by mutex_.
  struct Shared {
    std::vector<net::Message> outbox;
    std::optional<net::Message> newest;  ///< Message of the last send_newest()
    /// The stream on which hello was sent; null before. The link's thread reads from it; only its
    /// queue for sending is shared.
    net::SealedStream* greeted = nullptr;
    bool finishing = false;
    bool hurries = false;
    bool finished = false;
  };
  Shared shared_;
  std::condition_variable finished_changed_;
  std::atomic<bool> reads_logs_{false};
  std::jthread log_reader_;  // uses what stands above; started by the link's thread
  std::jthread thread_;      // last: stopped and joined before anything it uses
};

}  // namespace tilewall::panel
