// Decides which timestep of one live source is on the wall, and which one is wanted next.
//
// A timestep goes on the wall in two steps: panels are told to draw it ahead, once the casters of
// all hosts have it whole; when all of them have, they are told the instant from which it is shown.
// Meanwhile the next one is received. Casters of all hosts are told to want the same timesteps, so
// that all ranks agree on which ones to send.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "player/director/control_server.hpp"
#include "player/scene/live_messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// Which timesteps a wall wants of a source.
struct LiveChoice {
  enum class Policy : std::uint8_t { newest, every, nth };
  Policy policy = Policy::newest;
  std::int64_t nth = 1;  ///< with Policy::nth: every so many timesteps, at least 1
};

class LiveDesk {
 public:
  /// `source`: SourceSpec::path. `name`: the source's, for people. `first_number`: above all
  /// numbers of steps that panels may know.
  LiveDesk(std::string source, std::string name, LiveChoice choice, std::uint64_t first_number)
      : name_(std::move(name)), choice_(choice) {
    step_.source = std::move(source);
    step_.number = first_number;
  }

  // --- what casters and panels say

  /// A caster of the source is connected.
  void join(ConnectionId caster, const std::string& host) { casters_[caster].host = host; }
  void take(ConnectionId caster, scene::LiveReport report);
  /// Forgets a caster; false: it is none of this source.
  bool leave(ConnectionId caster) { return casters_.erase(caster) > 0; }
  /// A panel has drawn the timestep that comes next.
  void take_drawn(std::size_t panel, std::uint64_t number);

  // --- what operators say

  /// Follows the newest timestep.
  void follow();
  /// Stays at the timestep that is shown.
  void hold() noexcept { held_at_ = step_.shown_last(); }
  /// Goes so many kept timesteps forward, or back where `by` is less than 0, and stays there.
  /// Throws InputError where there is no such timestep.
  void move(std::int64_t by);
  [[nodiscard]] bool is_held() const noexcept { return held_at_.has_value(); }

  // --- what follows

  /// The wall at a turn.
  struct Wall {
    GlobalInstant now;
    std::vector<std::size_t> panels;  ///< connected ones, by index
    Nanos lead{0};                    ///< how far ahead an instant is named
    bool may_begin = true;            ///< false: another source is just going on the wall
  };
  /// The message for all panels, once it has changed.
  [[nodiscard]] std::optional<scene::LiveStep> turn(const Wall& wall);
  /// The orders that casters do not have yet.
  [[nodiscard]] std::vector<std::pair<ConnectionId, scene::LiveOrder>> orders();
  /// Whether a timestep is going on the wall.
  [[nodiscard]] bool is_busy() const noexcept { return step_.next != scene::no_timestep; }

  /// The newest message for panels, for one that comes to the show.
  [[nodiscard]] const scene::LiveStep& step() const noexcept { return step_; }
  /// Continues what another director has told panels, of a run of the source.
  void go_on(const scene::LiveStep& step, std::uint64_t run);
  /// The run of the source; 0: unknown.
  [[nodiscard]] std::uint64_t run() const noexcept { return run_; }

  /// Grid and field of the source; empty before a rank has described it.
  [[nodiscard]] const std::optional<scene::LiveShape>& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// What the wall waits for while nothing is shown, for people.
  [[nodiscard]] std::string waits_for() const;
  /// Timesteps that were shown.
  [[nodiscard]] std::uint64_t shown_count() const noexcept { return shown_count_; }
  /// The status of the source, for clients and reports.
  [[nodiscard]] nlohmann::json status(GlobalInstant now) const;

 private:
  struct Caster {
    std::string host;
    std::optional<scene::LiveReport> report;
    std::optional<scene::LiveOrder> sent;
  };
  /// The step, with names for its states.
  struct Step : scene::LiveStep {
    /// The timestep that is shown last: the next one once it has an instant.
    [[nodiscard]] std::int64_t shown_last() const noexcept {
      return next != scene::no_timestep && from < scene::never ? next : shown;
    }
  };

  void begin_run(std::uint64_t run);
  void note_skipped(const std::vector<scene::LiveSkipped>& skipped);
  [[nodiscard]] std::set<std::int64_t> on_all_hosts() const;
  [[nodiscard]] std::optional<std::int64_t> target() const;
  [[nodiscard]] bool all_have_drawn(const Wall& wall) const;
  void finish_switch(GlobalInstant now);
  void choose_wanted();
  void set_next(std::int64_t next, GlobalInstant from);

  const std::string name_;
  const LiveChoice choice_;
  Step step_;
  std::map<ConnectionId, Caster> casters_;
  std::optional<scene::LiveShape> shape_;
  std::uint64_t run_ = 0;         // of the source; 0: unknown
  bool shown_is_of_run_ = false;  // the timestep on the wall is of that run
  std::set<std::size_t> drawn_;   // panels that have drawn the next timestep
  GlobalInstant asked_at_;        // when panels were told to draw it
  std::int64_t wanted_ = scene::no_timestep;
  std::int64_t lead_timesteps_ = 0;  // wanted so far beyond what ranks come to next
  std::optional<std::int64_t> held_at_;
  std::uint64_t shown_count_ = 0;
  GlobalInstant shown_at_;
  struct Statistics {
    std::uint64_t wanted = 0;
    std::uint64_t runs = 0;
    std::array<std::uint64_t, scene::live_skips> skipped{};
    std::string last_cause;
  };
  Statistics statistics_;
};

}  // namespace tilewall::director
