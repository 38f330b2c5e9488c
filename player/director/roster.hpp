// The panels of a show: which are connected and what they said last; and the processes of the show
// that died and came back.
//
// One owner, the director's thread.
#pragma once

#include <chrono>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "player/director/report.hpp"
#include "player/scene/messages.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

class Roster {
 public:
  /// `command_start`: where the seconds of restarts begin. `wall` outlives this.
  Roster(const wall::Wall& wall, LocalInstant command_start);

  [[nodiscard]] const std::vector<PanelState>& panels() const noexcept { return panels_; }
  [[nodiscard]] const std::string& name_of(std::size_t panel) const;
  /// "c0r0, c1r0": the panels of whom `says` holds; of many the first ones, and how many more.
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

  /// Of those that are connected, by connection.
  [[nodiscard]] const std::map<ConnectionId, std::size_t>& connected() const { return panel_of_; }
  [[nodiscard]] std::optional<std::size_t> panel_of(ConnectionId id) const;
  /// Whether all are there and have a picture to begin with.
  [[nodiscard]] bool all_primed() const;

  /// How long the panels may take to be there with a picture: ten seconds, and longer on hosts that
  /// have many panels for each of their processors.
  [[nodiscard]] std::chrono::seconds start_limit() const;
  /// The show starts without the panels that are not there or have no picture yet.
  void note_missing();

  /// Which panel it is. Throws InputError where the wall has none of that number.
  std::size_t join(ConnectionId from, const scene::PanelHello& hello);
  /// The panel that is gone with the connection; empty where it is back already on another one.
  [[nodiscard]] std::optional<std::size_t> leave(ConnectionId id);
  void set_primed(std::size_t panel) { panels_[panel].primed = true; }
  /// Which of a panel's buffers are not low only because the show begins or ends.
  struct Steady {
    bool staged = false;
    bool ready = false;
  };
  /// What it reports. Whether it is back: its first pictures after it had died.
  bool take(std::size_t panel, const scene::ShownBatch& batch, const Steady& steady);

  /// Whether there are panels that show a volume, and nothing of it is to be seen on any.
  [[nodiscard]] bool shows_only_background() const;

  /// Since it was heard of last.
  [[nodiscard]] Nanos silence_of(std::size_t panel) const;

  /// A panel has died; `hung`: it was killed.
  void note_death(std::size_t panel, bool hung);
  /// The sound's process has died on that host, or is there again.
  void note_sound_death(const std::string& host);
  void note_sound_back();
  /// What a panel of that host reports of its processes; instants as seconds since the command
  /// began are `at_s`'s.
  void take_host_restarts(const std::string& host, const std::vector<scene::HostRestart>& restarts,
                          const std::function<double(GlobalInstant)>& at_s);
  /// Panels that died and have been gone for longer than that.
  [[nodiscard]] std::string names_of_lost(double limit_s) const;
  [[nodiscard]] const std::vector<Restart>& restarts() const noexcept { return restarts_; }

  [[nodiscard]] double since_start_s() const;

 private:
  static constexpr std::size_t most_names = 12;

  /// Its index; empty where the statistics are full.
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
  std::optional<std::size_t> sound_restart_;  // index of one that is not over
};

}  // namespace tilewall::director
