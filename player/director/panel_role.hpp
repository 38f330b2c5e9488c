// The connections of panels: their hello, a table of their messages, and messages to all panels.
//
// Threads: one owner, the director's thread.
#pragma once

#include <string>

#include "player/director/arming.hpp"
#include "player/director/client_role.hpp"
#include "player/director/connections/connection_role.hpp"
#include "player/director/live_role.hpp"
#include "player/director/panel_reports.hpp"
#include "player/director/scene_publisher.hpp"
#include "player/director/snapshots/panel_snapshots.hpp"
#include "player/director/verbs/command_log.hpp"
#include "player/director/verbs/operator_keys.hpp"

namespace tilewall::director {

/// The longest blob that a panel sends: its picture, whole. Crash reports and pictures for clients,
/// which panels of a few pixels send too, are shorter than 1 MiB.
[[nodiscard]] std::uint32_t longest_panel_blob(const wall::Panel& panel);

class PanelRole final : public ConnectionRole {
 public:
  /// The parts of the control port that this role uses.
  struct Port {
    ControlServer& server;
    ScenePublisher& publisher;
    LiveRole& live;
    ArmingDesk& arming;
  };

  /// Everything referred to outlives this object. `local_presenter` is the kind of presenter for
  /// panels of this host. Panels' pictures and logs for clients go to `clients`.
  PanelRole(const ShowParts& parts, const Port& port, ShowLifecycle& lifecycle,
            PanelReports& reports, ClientRole& clients, PanelReports::TellClients tell_clients,
            std::string local_presenter);

  [[nodiscard]] bool is_hello(std::string_view type) const override { return type == "hello"; }
  void welcome(const RoleMessage& hello) override;
  [[nodiscard]] bool takes(const RoleMessage& message) const override;
  void take(RoleMessage& message) override;
  void lose(ConnectionId id) override;

  // To all connected panels.
  void send_scene();
  void tell(const nlohmann::json& message);
  /// To one panel; does nothing while it is not connected.
  void tell(std::size_t panel, const nlohmann::json& message);

  [[nodiscard]] PanelSnapshots& snapshots() noexcept { return snapshots_; }
  /// Writes the remaining snapshots of the command line, with `incomplete_too` also those without
  /// all panels. Blocks until they are on the disk. Failures become the show's error.
  void finish_snapshots(bool incomplete_too, const std::function<void()>& turn);

 private:
  void send_scene(std::size_t panel, std::int64_t join_tick);
  void lose_older_process(const scene::PanelHello& hello);
  /// A key or pointer event of a panel's window, for the log.
  [[nodiscard]] LoggedRequest logged_request(std::size_t panel, const nlohmann::json& input) const;
  /// Asks for the command of such an event.
  void ask(std::size_t panel, const nlohmann::json& input, Command command);

  // Handlers of messages, in the table of take().
  void take_primed(std::size_t panel, RoleMessage& message);
  void take_shown(std::size_t panel, RoleMessage& message);
  void take_drawn(std::size_t panel, RoleMessage& message);
  void take_armed(std::size_t panel, RoleMessage& message);
  void take_live(std::size_t panel, RoleMessage& message);
  void take_swapped(std::size_t panel, RoleMessage& message);
  void take_ready(std::size_t panel, RoleMessage& message);
  void take_key(std::size_t panel, RoleMessage& message);
  void take_pointer(std::size_t panel, RoleMessage& message);
  void take_snapshot(std::size_t panel, RoleMessage& message);
  void take_snapshot_band(std::size_t panel, RoleMessage& message);
  void take_picture(std::size_t panel, RoleMessage& message);
  void take_failure(std::size_t panel, RoleMessage& message);
  void take_problem(std::size_t panel, RoleMessage& message);
  void take_logs(std::size_t panel, RoleMessage& message);
  void take_crash(std::size_t panel, RoleMessage& message);

  const ShowParts parts_;
  const Port port_;
  ShowLifecycle& lifecycle_;
  PanelReports& reports_;
  ClientRole& clients_;
  const PanelReports::TellClients tell_clients_;
  const std::string local_presenter_;
  PanelSnapshots snapshots_;
  PointerHand hand_;
};

}  // namespace tilewall::director
