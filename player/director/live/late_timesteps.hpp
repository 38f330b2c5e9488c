// Which panels showed timesteps of a live source late, or left them out, while others showed them.
//
// A timestep has no due instant of its own: it is shown from an instant that the director names,
// until the next one. It is late on a panel that showed it more than `late_limit` after the first
// panel, and on one that showed a later timestep without it. Then the wall showed two of them side
// by side.
//
// Reads no clock.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sync/global_time.hpp"

namespace tilewall::director {

class LateTimesteps {
 public:
  static constexpr Nanos late_limit = std::chrono::milliseconds(100);

  explicit LateTimesteps(std::size_t panels) : panels_(panels), by_panel_(panels) {}

  /// Adds that a panel showed a frame of the source, at an instant of global time. A panel that
  /// shows a frame again, without another one in between, shows the same timestep. Each panel's
  /// reports come in order. The first timestep of a panel that came or came back is not judged: it
  /// shows that one as soon as it can, and the others have it already. @pre the wall has the panel
  void add(std::size_t panel, std::int64_t frame, std::int64_t stamp_ns);
  /// Tells that a panel came, or came back.
  void join(std::size_t panel) { panels_.at(panel) = {}; }

  /// How many timesteps were late on a panel or more.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// How many timesteps were late on each panel.
  [[nodiscard]] const std::vector<std::int64_t>& by_panel() const noexcept { return by_panel_; }

 private:
  enum class Mark : std::uint8_t { shown, left_out, not_judged };
  struct PanelMark {
    std::size_t panel = 0;
    Mark mark = Mark::shown;
    std::int64_t stamp_ns = 0;  // swap of a timestep that was shown
  };
  struct Timestep {
    std::int64_t frame = 0;
    std::int64_t first_ns = 0;     // the first panel's swap
    std::vector<PanelMark> marks;  // at most one for each panel

    [[nodiscard]] bool has(std::size_t panel) const;
    [[nodiscard]] bool was_shown_by(std::size_t panel) const;
    [[nodiscard]] bool is_shown() const;  // by a panel that is judged
    [[nodiscard]] bool is_late(const PanelMark& mark) const;
  };
  struct Panel {
    std::optional<std::int64_t> from_ns;  // first swap of its first timestep; empty: none yet
    std::optional<std::int64_t> frame;    // its newest timestep
  };
  using Position = std::deque<Timestep>::iterator;

  /// The timestep of that frame that comes after those which the panel showed; else the newest one
  /// that it has not shown, as others may have shown a later one sooner. `is_first`: the newest one
  /// of all. The end where there is none.
  [[nodiscard]] Position find(std::size_t panel, std::int64_t frame, bool is_first);
  [[nodiscard]] Position insert(std::int64_t frame, std::int64_t stamp_ns);
  /// Marks the timestep, also where the panel was thought to have left it out.
  void mark(Timestep& timestep, const PanelMark& mark);
  /// Marks that the panel left the timestep out, where it was there before and has no mark.
  void mark_left_out(Timestep& timestep, std::size_t panel);
  /// Adds the timestep `sign` times to the counts.
  void count(const Timestep& timestep, std::int64_t sign);

  std::deque<Timestep> timesteps_;  // the newest ones, by their first swaps
  std::optional<std::int64_t>
      forgotten_until_ns_;  // first swap of the newest one that is forgotten
  std::vector<Panel> panels_;
  std::int64_t count_ = 0;
  std::vector<std::int64_t> by_panel_;
};

}  // namespace tilewall::director
