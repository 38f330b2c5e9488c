// Gets all panels ready for the scene that may be shown next. Arming decides how far the wall is;
// ArmingDesk sends the scene to the panels and takes their reports.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/connections/control_server.hpp"
#include "player/director/roster.hpp"
#include "player/director/scene_publisher.hpp"
#include "player/scene/arming_messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// idle: no scene is to be shown next. arming: a panel has not answered yet. armed: all panels have
/// its first pictures. amber: all have answered, and some lack something that they go on trying.
enum class ArmingState { idle, arming, armed, amber };
inline constexpr std::string_view arming_state_names[] = {"idle", "arming", "armed", "amber"};
[[nodiscard]] std::string_view to_string(ArmingState state) noexcept;

/// How far the wall is with the scene that may be shown next.
struct ArmingStatus {
  /// A panel that is not armed.
  struct Panel {
    std::size_t panel = 0;             ///< index into Wall::panels
    std::vector<std::string> missing;  ///< in lines for people; empty: it has not answered
  };
  ArmingState state = ArmingState::idle;
  std::uint64_t token = 0;    ///< Token of the scene; 0: none
  GlobalInstant since;        ///< when the state began
  std::vector<Panel> panels;  ///< connected panels that are not armed
};

/// Whether panels draw the same of both scenes.
[[nodiscard]] bool are_equal(const scene::Scene& one, const scene::Scene& other);

/// Decides from the panels' reports. Reads no clock.
class Arming {
 public:
  /// `first_token`: above all tokens of other directors that panels may know.
  explicit Arming(std::uint64_t first_token) noexcept : token_(first_token) {}

  /// Sets the scene that may be shown next. An equal one keeps its token and state. Returns whether
  /// panels have to be told.
  bool arm(scene::Scene next, GlobalInstant now);
  /// No scene is to be shown next. Returns whether panels have to be told.
  bool disarm(GlobalInstant now);

  void join(std::size_t panel, GlobalInstant now);
  void leave(std::size_t panel, GlobalInstant now);
  /// Takes a panel's report. One with another token is ignored.
  void take(std::size_t panel, scene::ArmedReport report, GlobalInstant now);

  /// The scene; empty: none.
  [[nodiscard]] const std::optional<scene::PreparedScene>& next() const noexcept { return next_; }
  [[nodiscard]] ArmingStatus status() const;

 private:
  [[nodiscard]] ArmingState state() const;
  void note_state(GlobalInstant now);

  std::uint64_t token_;
  std::optional<scene::PreparedScene> next_;
  // The connected panels, with what each has reported of the scene.
  std::map<std::size_t, std::optional<scene::ArmedReport>> panels_;
  ArmingState state_ = ArmingState::idle;
  GlobalInstant since_;
};

class ArmingDesk {
 public:
  /// Everything referred to outlives this object. `now` returns the global time.
  ArmingDesk(const Roster& roster, ScenePublisher& publisher, std::function<GlobalInstant()> now);

  /// Gets all panels ready for the scene, which replaces another one. Its `since` is `never`, and
  /// so are the starts of its timelines that begin anew; version and epoch do not matter. A change
  /// to the scene has to be made from the same sources (SourcePtr), and sent before the next arm()
  /// or disarm(): panels then show what they have drawn.
  void arm(scene::Scene next);
  /// Lets the panels release sources and pictures.
  void disarm();
  [[nodiscard]] ArmingStatus status() const { return arming_.status(); }

  /// A panel has joined, and has its scene.
  void greet(ConnectionId connection, std::size_t panel);
  /// A panel has left.
  void leave(std::size_t panel) { arming_.leave(panel, now_()); }
  /// A panel's report. Throws InputError for a malformed one.
  void take(std::size_t panel, const nlohmann::json& report);

 private:
  const Roster& roster_;
  ScenePublisher& publisher_;
  const std::function<GlobalInstant()> now_;
  Arming arming_;
};

}  // namespace tilewall::director
