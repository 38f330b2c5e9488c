// Serves requests about the cues of a presentation that change no scene: the list, its changes, and
// other lists. Requests that go to cues are commands (ClientService).
//
// Threads: one owner, the director's thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "player/director/client_service.hpp"
#include "player/director/connections/control_server.hpp"
#include "player/director/cues/cue_desk.hpp"
#include "player/director/log/show_journal.hpp"
#include "player/director/verbs/show_control.hpp"

namespace tilewall::director {

class RequestFields;

class CueService {
 public:
  /// Everything referred to outlives this object. `now` returns global time.
  CueService(ControlServer& server, ClientService& clients, const ShowControl& control,
             ShowJournal& journal, CueDesk& desk, std::function<GlobalInstant()> now)
      : server_(server),
        clients_(clients),
        control_(control),
        journal_(journal),
        desk_(desk),
        now_(std::move(now)) {}

  /// Handles a request "cues", "show", or "cue" with the verbs note and update. Returns false for
  /// all others. A wrong request is refused; nothing is thrown.
  bool take(ConnectionId from, const nlohmann::json& request);

 private:
  void list(ConnectionId from, const nlohmann::json& request);
  void change_cue(ConnectionId from, const nlohmann::json& request);
  void change_list(ConnectionId from, const nlohmann::json& request);
  void load(ConnectionId from, const nlohmann::json& request, RequestFields& fields);
  [[nodiscard]] RequestFields fields_of_operator(const nlohmann::json& request) const;
  /// Keeps the list for the next director, and tells clients of it.
  void publish();

  ControlServer& server_;
  ClientService& clients_;
  const ShowControl& control_;
  ShowJournal& journal_;
  CueDesk& desk_;
  const std::function<GlobalInstant()> now_;
};

}  // namespace tilewall::director
