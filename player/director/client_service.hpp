// Those who ask at the control port: their requests become commands, each is answered when it is
// known what became of it, and who subscribed hears of every event.
//
// A request is {"type": VERB, ...}, with "tag" under the show's key until one has been right, and
// an "id" of any kind that comes back with the answer: {"type": "done", "id", "version", "at_ns",
// "now_ns", "frame"} or {"type": "refused", "id", "error"}. Documented in
// player/director/README.md. One owner.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>

#include "player/director/control_server.hpp"
#include "player/director/show_control.hpp"
#include "player/director/verbs.hpp"

namespace tilewall::director {

class ClientService {
 public:
  /// Everything referred to outlives this. `now`: global time.
  ClientService(ControlServer& server, ShowControl& control, const wall::Wall& wall,
                std::function<GlobalInstant()> now)
      : server_(server), control_(control), wall_(wall), now_(std::move(now)) {}

  /// A request that changes the scene, or "subscribe". Never throws for what it says.
  void take(ConnectionId from, const nlohmann::json& request);

  /// {"type": "done"} for a request that changes no scene.
  void confirm(ConnectionId to, const nlohmann::json& request);
  void refuse(ConnectionId to, const nlohmann::json& request, const std::string& error);

  /// {"type": "event", "event": `event`, ...} to all who subscribed.
  void tell(const std::string& event, nlohmann::json details);

  /// The connection is gone.
  void forget(ConnectionId id) { subscribers_.erase(id); }

 private:
  void ask(ConnectionId from, const nlohmann::json& request);

  ControlServer& server_;
  ShowControl& control_;
  const wall::Wall& wall_;
  const std::function<GlobalInstant()> now_;
  std::set<ConnectionId> subscribers_;
};

}  // namespace tilewall::director
