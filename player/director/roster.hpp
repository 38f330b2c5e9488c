// Keeps the panels of a show with their connections and newest reports, and the list of processes
// that died and came back.
//
// Threads: one owner, the director's thread.
#pragma once

#include <chrono>
#include <compare>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/statistics/report.hpp"
#include "player/scene/messages.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

class Roster {
 public:
  /// The times of restarts are seconds since `command_start`. `wall` outlives this object.
  Roster(const wall::Wall& wall, LocalInstant command_start);

  [[nodiscard]] const std::vector<PanelState>& panels() const noexcept { return panels_; }
  [[nodiscard]] const std::string& name_of(std::size_t panel) const;
  /// The names of the panels for which `says` is true: "c0r0, c1r0". After twelve names follows the
  /// number of the others.
  template <typename Predicate>
  [[nodiscard]] std::string names_where(Predicate&& says) const {
    std::string names;
    std::size_t count = 0;
    for (std::size_t i = 0; i < panels_.size(); ++i)
      if (says(panels_[i]) && ++count <= most_names)
        names += (names.empty() ? "" : ", ") + name_of(i);
    if (count > most_names) names += " and " + std::to_string(count - most_names) + " more";
    return names;
  }

  /// The panels for which `says` is true, those of a whole host by its name:
  /// "host h2 (c1r0, c1r1), panel c0r0".
  [[nodiscard]] std::string hosts_and_panels_where(
      const std::function<bool(const PanelState& panel)>& says) const;

  /// The connected panels, by connection.
  [[nodiscard]] const std::map<ConnectionId, std::size_t>& connected() const { return panel_of_; }
  /// The connections of all panels that are connected.
  [[nodiscard]] std::vector<ConnectionId> connections() const;
  [[nodiscard]] std::optional<std::size_t> panel_of(ConnectionId id) const;
  /// Whether all panels are connected and have their first picture.
  [[nodiscard]] bool all_primed() const;

  /// The limit for all panels to be primed: 10 s, and longer on hosts with many panels per CPU.
  [[nodiscard]] std::chrono::seconds start_limit() const;
  /// Notes that the show starts without the panels that are not primed.
  void note_missing();

  /// Adds a panel's connection, in place of an older one, and returns the panel. Throws InputError
  /// where the wall has no panel of that index, or the connection has a panel already.
  std::size_t join(ConnectionId from, const scene::PanelHello& hello);
  /// Removes a connection and returns its panel; empty where the panel has a newer connection.
  [[nodiscard]] std::optional<std::size_t> leave(ConnectionId id);
  void set_primed(std::size_t panel) {
    panels_[panel].primed = true;
    panels_[panel].failed = false;
  }
  /// Notes that a panel told of a failure. Its process ends, and its keeper starts another one.
  void set_failed(std::size_t panel) { panels_[panel].failed = true; }
  /// Whether every panel failed.
  [[nodiscard]] bool all_failed() const;
  /// Whether every panel failed or is not connected.
  [[nodiscard]] bool none_can_show() const;
  /// The buffers that are not low for the mere reason that the show begins or ends.
  struct Steady {
    bool staged = false;
    bool ready = false;
  };
  /// Takes a panel's report. Returns whether it has the first pictures after a restart.
  bool take(std::size_t panel, const scene::ShownBatch& batch, const Steady& steady);

  /// Whether panels show a volume, and none of them shows anything but its background.
  [[nodiscard]] bool shows_only_background() const;

  /// The time since the panel's newest report or hello; 0 before the first.
  [[nodiscard]] Nanos silence_of(std::size_t panel) const;

  /// Adds a panel's death. `hung`: it was killed by its keeper.
  void note_death(std::size_t panel, bool hung);
  /// Adds the death of the sound process on that host.
  void note_sound_death(const std::string& host);
  /// Ends the sound process's open restart, if there is one.
  void note_sound_back();
  /// Adds the deaths of earlier directors, in seconds since the command began, that are not known
  /// yet.
  void note_director_deaths(const std::vector<double>& deaths_s);
  /// Ends the open restarts of directors. Returns whether there were any.
  bool note_director_back();
  /// Adds restarts of a host's processes, which its panels report again and again. `at_s` turns
  /// instants into seconds since the command began.
  void take_host_restarts(const std::string& host, const std::vector<scene::HostRestart>& restarts,
                          const std::function<double(GlobalInstant)>& at_s);
  /// The names of critical panels that are gone for more than `limit`: they died and have shown
  /// nothing since, gave no sign of life, or were missing at the start.
  [[nodiscard]] std::string names_of_critical_lost(Nanos limit) const;
  /// The names of panels that died more than `limit_s` ago and have shown nothing since.
  [[nodiscard]] std::string names_of_lost(double limit_s) const;
  [[nodiscard]] const std::vector<Restart>& restarts() const noexcept { return restarts_; }

  /// Seconds since the command began.
  [[nodiscard]] double since_start_s() const;

  /// The panels without their connections, and the restarts, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);

 private:
  static constexpr std::size_t most_names = 12;

  /// Returns the index in restarts_; empty where that is full.
  std::optional<std::size_t> add_restart(Restart restart);

  const wall::Wall& wall_;
  const LocalInstant command_start_;
  std::vector<PanelState> panels_;
  std::map<ConnectionId, std::size_t> panel_of_;
  std::vector<Restart> restarts_;
  struct HostRestartKey {
    std::string host;
    std::string role;
    std::int64_t key_ns = 0;
    auto operator<=>(const HostRestartKey&) const = default;
  };
  std::map<HostRestartKey, std::optional<std::size_t>> host_restarts_;  // indices in restarts_
  bool director_is_back_ = true;              // no restart of a director is open
  std::optional<std::size_t> sound_restart_;  // index of the sound process's open restart
};

}  // namespace tilewall::director
