// The panels' connections: their hello, their messages by a table, and what all panels are sent.
//
// One owner, the director's thread.
#pragma once

#include <string>

#include "player/director/authenticator.hpp"
#include "player/director/connection_role.hpp"
#include "player/director/operator_keys.hpp"
#include "player/director/panel_reports.hpp"
#include "player/director/scene_publisher.hpp"
#include "player/director/snapshot_service.hpp"
#include "player/director/snapshot_writers.hpp"

namespace tilewall::director {

class PanelRole final : public ConnectionRole {
 public:
  /// What panels are sent, and through what.
  struct Port {
    ControlServer& server;
    Authenticator& authenticator;
    ScenePublisher& publisher;
  };

  /// Everything referred to outlives this. `local_presenter`: what panels of this machine present
  /// with. `snapshots`: those that clients ask for.
  PanelRole(const ShowParts& parts, const Port& port, ShowLifecycle& lifecycle,
            PanelReports& reports, SnapshotService& snapshots,
            PanelReports::TellClients tell_clients, std::string local_presenter);

  [[nodiscard]] bool is_hello(std::string_view type) const override { return type == "hello"; }
  void welcome(const RoleMessage& hello) override;
  [[nodiscard]] bool takes(const RoleMessage& message) const override;
  void take(RoleMessage& message) override;
  void lose(ConnectionId id) override;

  /// To all that are connected.
  void send_scene();
  void tell(const nlohmann::json& message);

  /// Writes the snapshots that the show was started with, those that are not whole, too, where
  /// `incomplete_too`. Waits for the disk; what went wrong is noted.
  void finish_snapshots(bool incomplete_too);

 private:
  void send_scene(std::size_t panel, std::int64_t join_tick);

  // Messages, by the table in take().
  void take_primed(std::size_t panel, RoleMessage& message);
  void take_shown(std::size_t panel, RoleMessage& message);
  void take_drawn(std::size_t panel, RoleMessage& message);
  void take_ready(std::size_t panel, RoleMessage& message);
  void take_key(std::size_t panel, RoleMessage& message);
  void take_pointer(std::size_t panel, RoleMessage& message);
  void take_snapshot(std::size_t panel, RoleMessage& message);
  void take_failure(std::size_t panel, RoleMessage& message);
  void take_problem(std::size_t panel, RoleMessage& message);

  const ShowParts parts_;
  const Port port_;
  ShowLifecycle& lifecycle_;
  PanelReports& reports_;
  SnapshotService& asked_snapshots_;
  const PanelReports::TellClients tell_clients_;
  const std::string local_presenter_;
  SnapshotWriters first_snapshots_;  // that the show was started with
  PointerHand hand_;
};

}  // namespace tilewall::director
