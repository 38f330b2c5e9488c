// Decides which timestep of one live source is on the wall, and which one is wanted next.
//
// A timestep goes on the wall in two steps: panels are told to draw it ahead, once the casters of
// all hosts with panels have it whole; when all panels have, they are told the instant from which
// it is shown. Meanwhile the next one is received. Casters of all hosts are told to want the same
// timesteps, so that all ranks agree on which ones to send.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "net/live/live_messages.hpp"
#include "player/director/connections/control_server.hpp"
#include "player/director/live/live_times.hpp"
#include "player/director/log/show_journal.hpp"
#include "player/scene/live_messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// Which timesteps a wall wants of a source.
struct LiveChoice {
  net::LivePolicy policy = net::LivePolicy::newest;
  std::int64_t nth = 1;  ///< with policy nth: every so many timesteps, at least 1
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
  void follow() noexcept { held_.reset(); }
  /// Stays at the timestep that is shown, or that is just going on the wall; also where a new run
  /// begins. Throws InputError where nothing is shown yet.
  void hold();
  /// Goes so many kept timesteps of the run forward, or back where `by` is less than 0, and stays
  /// there. Throws InputError where there is no such timestep.
  void move(std::int64_t by);
  [[nodiscard]] bool is_held() const noexcept { return held_.has_value(); }

  // --- what follows

  /// The wall at a turn.
  struct Wall {
    GlobalInstant now;                ///< on a wall that is late by policy slow, less its delay
    std::vector<std::size_t> panels;  ///< connected ones that are not silent, by index
    std::set<std::string> hosts;      ///< the hosts of those panels
    Nanos lead{0};                    ///< how far ahead an instant is named
    bool may_begin = true;            ///< false: another source has its turn
  };
  /// The message for all panels, once it has changed.
  [[nodiscard]] std::optional<scene::LiveStep> turn(const Wall& wall);
  /// The instant from which a turn can order the next timestep to be drawn, also one gone by; empty
  /// where none waits, or one is being drawn.
  [[nodiscard]] std::optional<GlobalInstant> due() const;
  /// The orders that casters do not have yet.
  [[nodiscard]] std::vector<std::pair<ConnectionId, scene::LiveOrder>> orders();
  /// Whether a timestep waits that could go on the wall now.
  [[nodiscard]] bool wants_turn() const { return !is_busy() && target().has_value(); }
  /// Whether a timestep is going on the wall.
  [[nodiscard]] bool is_busy() const noexcept { return step_.next != scene::no_timestep; }
  /// Gives up a timestep that panels draw, as no region shows the source any more. Returns the
  /// message for all panels, where there was one.
  [[nodiscard]] std::optional<scene::LiveStep> give_up();
  /// The panels that were not waited for, as they did not draw a timestep within ten seconds; until
  /// they have drawn one.
  [[nodiscard]] const std::set<std::size_t>& left_out() const noexcept { return left_out_; }

  /// The newest message for panels, for one that comes to the show.
  [[nodiscard]] const scene::LiveStep& step() const noexcept { return step_; }
  /// What the next director goes on with.
  [[nodiscard]] JournalLive state() const {
    return {step_, run_, held_, statistics_.shown, times_.gone_by()};
  }
  /// Continues what another director has told panels.
  void go_on(const JournalLive& state);

  /// Grid and field of the source; empty before a rank has described it.
  [[nodiscard]] const std::optional<scene::LiveShape>& shape() const noexcept { return shape_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// What the wall waits for while nothing is shown, for people.
  [[nodiscard]] std::string waits_for() const;
  /// Timesteps that were shown.
  [[nodiscard]] std::uint64_t shown_count() const noexcept { return statistics_.shown; }
  /// Timesteps that have gone by since the first one that was shown (LiveTimes::gone_by).
  [[nodiscard]] std::uint64_t gone_by() const noexcept { return times_.gone_by(); }
  /// The status of the source, for clients and reports.
  [[nodiscard]] nlohmann::json status(GlobalInstant now) const;

 private:
  struct Caster {
    std::string host;
    std::optional<scene::LiveReport> report;
    std::optional<scene::LiveOrder> sent;
  };

  [[nodiscard]] nlohmann::json stages() const;
  void begin_run(std::uint64_t run);
  void note_skipped(const scene::LiveReport& report);
  [[nodiscard]] std::set<std::int64_t> on_all_hosts() const;
  [[nodiscard]] bool is_of_run(std::int64_t frame) const noexcept;
  [[nodiscard]] std::set<std::int64_t> still_to_show() const;
  [[nodiscard]] std::optional<std::int64_t> following() const;
  [[nodiscard]] std::optional<std::int64_t> target() const;
  [[nodiscard]] bool all_have_drawn(const Wall& wall);
  void note_drawn(const Wall& wall);
  void promote_next();
  void finish_switch(GlobalInstant now);
  void choose_wanted();
  void set_next(std::int64_t frame, GlobalInstant from, std::string note = {});

  const std::string name_;
  const LiveChoice choice_;
  scene::LiveStep step_;
  std::map<ConnectionId, Caster> casters_;
  std::set<std::string> hosts_;  // of panels, as of the last turn
  std::optional<scene::LiveShape> shape_;
  std::uint64_t run_ = 0;                // of the source; 0: unknown
  std::deque<std::uint64_t> past_runs_;  // which slower casters may still report
  std::set<std::size_t> left_out_;       // see left_out()
  /// The timestep that is going on the wall.
  struct Drawing {
    std::set<std::size_t> panels;           // panels that have drawn it
    std::optional<GlobalInstant> asked_at;  // when panels were told; empty: by another director
    std::optional<GlobalInstant> whole_at;  // since when hosts have it; of the newest one alone
  };
  Drawing drawing_;
  /// What ranks are asked for.
  struct Wanted {
    std::int64_t timestep = scene::no_timestep;
    std::int64_t lead = 0;  // so far beyond what ranks come to next
  };
  Wanted wanted_;
  std::optional<std::int64_t> held_;  // frame at which the wall stays
  LiveTimes times_;
  std::optional<GlobalInstant> shown_whole_at_;  // since when hosts have had it; empty: not known
  struct Statistics {
    std::uint64_t shown = 0;     // timesteps, those before another director's death among them
    std::uint64_t drawn = 0;     // timesteps that all panels drew
    double draw_s = 0;           // from the order to the last panel, all of them together
    double switch_s = 0;         // from there to the instant at which they were shown
    std::uint64_t followed = 0;  // timesteps that were the newest ones when they were chosen
    double picture_s = 0;        // from when all hosts had them to the last panel's picture
    std::uint64_t wanted = 0;
    std::uint64_t runs = 0;
    std::array<std::uint64_t, scene::live_skips> skipped{};
    std::uint64_t skipped_in_all = 0;
    std::string last_cause;
    std::string last_refused;  // why a host's caster refused or dropped a rank; "" = none did
  };
  Statistics statistics_;
  std::deque<std::int64_t> skipped_frames_;  // the newest ones, which other casters also tell
};

}  // namespace tilewall::director
