// Serves clients of the control port: turns requests into commands, answers each when its outcome
// is known, and sends events to subscribers.
//
// A request is {"type": VERB, "id": anything, ...}. The answer repeats the id: {"type": "done",
// "id", "version", "at_ns", "now_ns", "frame", "shown", "not_shown"} or {"type": "refused", "id",
// "error"}. A request with a field "once" is executed once, also when another director gets it
// again. CONTROL_PORT.md and VERBS.md document all fields.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "player/director/connections/control_server.hpp"
#include "player/director/cues/cue_desk.hpp"
#include "player/director/log/show_journal.hpp"
#include "player/director/log/show_log.hpp"
#include "player/director/verbs/command_log.hpp"
#include "player/director/verbs/show_control.hpp"
#include "player/director/verbs/verbs.hpp"

namespace tilewall::director {

class ClientService {
 public:
  /// Sends the answer to a request that became the scene of `version`, now or later.
  using SendDone =
      std::function<void(ConnectionId to, std::uint64_t version, nlohmann::json answer)>;

  /// Everything referred to outlives this object. `now` returns global time. Without `send_done`
  /// requests are answered as soon as the change is made. Commands and events go to `log`; null:
  /// nowhere.
  ClientService(ControlServer& server, ShowControl& control, ShowJournal& journal, CueDesk& cues,
                const wall::Wall& wall, std::function<GlobalInstant()> now, SendDone send_done = {},
                ShowLog* log = nullptr)
      : server_(server),
        control_(control),
        journal_(journal),
        cues_(cues),
        wall_(wall),
        now_(std::move(now)),
        send_done_(std::move(send_done)),
        log_(log) {}

  /// Handles a request that changes the scene, or "subscribe". A wrong request is refused; nothing
  /// is thrown.
  void take(ConnectionId from, const nlohmann::json& request);

  /// Makes the command of a request. Throws InputError for a wrong one.
  using MakeCommand = std::function<std::optional<CueDesk::CueCommand>()>;
  /// The same for a request whose command is made by `make`, unless it was executed before.
  void take(ConnectionId from, const nlohmann::json& request, const MakeCommand& make);

  /// Executes a request that changes no scene by `act`, and answers it. One with a field "once"
  /// that was executed before is answered alone. `act` returns the answer's own fields, an object.
  /// Where it throws InputError, the request is refused.
  void execute(ConnectionId from, const nlohmann::json& request,
               const std::function<nlohmann::json()>& act);

  /// Answers {"type": "done"} to a request that changes no scene.
  void confirm(ConnectionId to, const nlohmann::json& request);
  /// The same without a line in the log, which has one already.
  void send_confirmation(ConnectionId to, const nlohmann::json& request);
  /// Answers {"type": "refused"} with `error`, cut off at 1000 bytes.
  void refuse(ConnectionId to, const nlohmann::json& request, const std::string& error);
  /// The same without a line in the log, for clients that are not admitted.
  void send_refusal(ConnectionId to, const nlohmann::json& request, const std::string& error);
  /// Puts a request that is a command without a scene into the log, and tells subscribers; others
  /// are left out.
  void log(ConnectionId from, const nlohmann::json& request, const std::string& error);

  /// Sends {"type": "event", "event": `event`, ...} to all subscribers.
  void tell(const std::string& event, nlohmann::json details);
  /// Tells subscribers of a command and its outcome, without a line in the log; `error` is "" where
  /// it was done.
  void tell_command(const LoggedRequest& what, const std::string& error);

  /// Forgets a closed connection.
  void forget(ConnectionId id) { subscribers_.erase(id); }

 private:
  void ask(ConnectionId from, const nlohmann::json& request, const MakeCommand& make = {});
  /// Refuses a request that would make a scene, which the log has in any case.
  void refuse_command(ConnectionId from, const nlohmann::json& request, const std::string& error);
  /// Sends the event without a line in the log.
  void send_event(const std::string& event, nlohmann::json details);
  /// Whether the request was executed before, by its field "once". It is answered then.
  [[nodiscard]] bool was_executed(ConnectionId from, const nlohmann::json& request);

  ControlServer& server_;
  ShowControl& control_;
  ShowJournal& journal_;
  CueDesk& cues_;
  const wall::Wall& wall_;
  const std::function<GlobalInstant()> now_;
  const SendDone send_done_;
  ShowLog* const log_;
  std::set<ConnectionId> subscribers_;
  std::set<std::string> executing_;  // fields "once" of requests that wait for their scene
};

}  // namespace tilewall::director
