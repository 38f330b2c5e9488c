// The connection of the sound process. It lets the supervisor start a process once a scene has
// sound, and sends it the scenes.
//
// Threads: one owner, the director's thread.
#pragma once

#include "player/director/connections/connection_role.hpp"
#include "player/director/scene_publisher.hpp"
#include "player/director/show_lifecycle.hpp"
#include "player/director/sound_service.hpp"

namespace tilewall::director {

class SoundRole final : public ConnectionRole {
 public:
  /// Everything referred to outlives this object.
  SoundRole(const ShowParts& parts, ControlServer& server, ScenePublisher& publisher,
            const ShowLifecycle& lifecycle);

  [[nodiscard]] bool is_hello(std::string_view type) const override {
    return type == "sound_hello";
  }
  void welcome(const RoleMessage& hello) override;
  [[nodiscard]] bool takes(const RoleMessage& message) const override;
  void take(RoleMessage& message) override;
  void lose(ConnectionId id) override;

  /// Sends the scene to a connected process. The first scene with sound starts the process.
  void send_scene();
  /// Sends a message to a connected process.
  void tell(const nlohmann::json& message);

  /// Continues with the process that another director had.
  void go_on();
  /// Restores SoundService::checkpoint().
  void restore(const nlohmann::json& checkpoint) { service_.restore(checkpoint); }

  /// The state of the process.
  [[nodiscard]] const SoundService& service() const noexcept { return service_; }

 private:
  void ask_for_process();

  const ShowParts parts_;
  ControlServer& server_;
  ScenePublisher& publisher_;
  const ShowLifecycle& lifecycle_;
  SoundService service_;
};

}  // namespace tilewall::director
