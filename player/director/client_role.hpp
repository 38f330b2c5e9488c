// The connections of clients: `tilewall ctl` and other programs that query and control the show. A
// client sends no hello.
//
// Threads: one owner, the director's thread.
#pragma once

#include <functional>

#include "player/director/change_answers.hpp"
#include "player/director/client_service.hpp"
#include "player/director/connections/connection_role.hpp"
#include "player/director/cue_service.hpp"
#include "player/director/log/log_service.hpp"
#include "player/director/show_lifecycle.hpp"
#include "player/director/show_status.hpp"
#include "player/director/snapshots/picture_service.hpp"
#include "player/director/snapshots/snapshot_service.hpp"

namespace tilewall::director {

class ClientRole final : public ConnectionRole {
 public:
  struct Callbacks {
    std::function<nlohmann::json()> audio;  ///< returns the status of the sound
    std::function<void(const nlohmann::json& message)> tell_panels;  ///< sends to all panels
    /// Panels need not keep pictures of a snapshot's order.
    std::function<void(std::uint64_t order)> drop_snapshot;
    PictureService::TellPanel tell_panel;  ///< sends to a panel, where it is connected
    std::function<nlohmann::json()> live;  ///< returns the status of the live sources
    /// Handles a request "live" and returns the source's status. Throws InputError.
    std::function<nlohmann::json(const nlohmann::json& request)> change_live;
    /// Returns what panels have ready of a presentation's next cue.
    std::function<nlohmann::json()> arming;
    /// Orders another launcher for the host of a panel. Returns whether the order was given.
    std::function<bool(std::size_t panel)> restart_launcher;
  };

  /// Everything referred to outlives this object.
  ClientRole(const ShowParts& parts, ControlServer& server, ShowLifecycle& lifecycle,
             const PanelReports& reports, Callbacks callbacks);

  /// To be called in every turn.
  void step();

  [[nodiscard]] bool is_hello(std::string_view /*type*/) const override { return false; }
  void welcome(const RoleMessage& /*hello*/) override {}
  /// A connection without another role is a client's.
  [[nodiscard]] bool takes(const RoleMessage& /*message*/) const override { return true; }
  void take(RoleMessage& message) override;
  void lose(ConnectionId id) override {
    service_.forget(id);
    pictures_.forget(id);
    changes_.forget(id);
  }

  /// Sends an event to all subscribers.
  void tell(const std::string& event, const nlohmann::json& details) {
    service_.tell(event, details);
  }

  /// Tells clients of a command that came from a panel's window, and its outcome; `error` is ""
  /// where it was done.
  void tell_command(const LoggedRequest& what, const std::string& error) {
    service_.tell_command(what, error);
  }

  [[nodiscard]] SnapshotService& snapshots() noexcept { return snapshots_; }
  [[nodiscard]] PictureService& pictures() noexcept { return pictures_; }
  [[nodiscard]] LogService& logs() noexcept { return logs_; }
  /// The answers that wait until panels show a change.
  [[nodiscard]] ChangeAnswers& changes() noexcept { return changes_; }

 private:
  void admit(const RoleMessage& request);
  void answer_status(const RoleMessage& request);
  void answer_wall(const RoleMessage& request);
  void quit(const RoleMessage& request);
  void take_snapshot(const RoleMessage& request);
  void watch(const RoleMessage& request);
  void take_logs(const RoleMessage& request);
  void change_live(const RoleMessage& request);
  void restart(const RoleMessage& request);
  [[nodiscard]] std::vector<LogService::HostPanel> log_hosts() const;
  [[nodiscard]] SnapshotWait snapshot_wait() const;

  const ShowParts parts_;
  ControlServer& server_;
  ShowLifecycle& lifecycle_;
  const Callbacks callbacks_;
  ChangeAnswers changes_;
  ClientService service_;
  CueService cues_;
  SnapshotService snapshots_;
  PictureService pictures_;
  LogService logs_;
  ShowStatus status_;
};

}  // namespace tilewall::director
