// Serves the verb `watch`: clients that watch the wall get pictures of what its panels swapped.
// Panels make each picture once, and the director forwards it without reading it. Where nobody
// watches, panels make none.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/director/connections/control_server.hpp"
#include "player/director/snapshots/newest_pictures.hpp"
#include "player/scene/watch_messages.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

class PictureService {
 public:
  /// Sends a message to a panel, where it is connected.
  using TellPanel = std::function<void(std::size_t panel, const nlohmann::json& message)>;

  /// Everything referred to outlives this object.
  PictureService(ControlServer& server, const wall::Wall& wall, TellPanel tell_panel);

  /// Takes a request {"type": "watch", "pictures", "bytes_per_s"}. Where several clients watch, the
  /// greatest of their budgets holds. Throws InputError for a wrong request, or a 65th watcher.
  void take(ConnectionId from, const nlohmann::json& request);

  /// Tells a panel that has connected which pictures are watched.
  void greet(std::size_t panel);

  /// Sends a panel's picture to all watchers. A watcher that has much unread gets the panel's
  /// newest picture later. Throws InputError where the message is malformed.
  void forward(std::size_t panel, const nlohmann::json& json, std::vector<std::uint8_t> jpeg);

  /// Sends pictures that wait to watchers that have read on. To be called in every turn.
  void step();

  /// Forgets a closed connection.
  void forget(ConnectionId id);

 private:
  struct Watcher {
    std::int64_t bytes_per_s = 0;
    NewestPictures waiting;
  };
  [[nodiscard]] scene::WatchOrder order_for(std::size_t panel) const;
  void tell_panels();
  void send_waiting(ConnectionId to, Watcher& watcher);

  ControlServer& server_;
  const wall::Wall& wall_;
  const TellPanel tell_panel_;
  std::map<ConnectionId, Watcher> watchers_;
};

}  // namespace tilewall::director
