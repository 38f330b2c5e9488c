// The pictures that stay in one epoch without a clock of frames: the picture of a pause, and the
// timesteps of a live source in their turn. They have no period, so a picture is mixed where a
// panel showed it more than `still_limit` after the first panel, or left it out: the wall showed
// old and new pictures side by side.
//
// Reads no clock.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "sync/global_time.hpp"

namespace tilewall::director {

/// Time by which panels may show a picture that stays one after the other.
inline constexpr Nanos still_limit = std::chrono::milliseconds(100);

class StillPictures {
 public:
  /// What is known of the mixed pictures.
  struct Counts {
    std::int64_t mixed = 0;             ///< how many pictures were mixed
    std::vector<std::int64_t> on_time;  ///< by panel: those of them that it showed in time
    std::vector<std::int64_t> late;     ///< by panel: those that it showed late, or left out
  };

  explicit StillPictures(std::size_t panels = 0);

  /// Adds that a panel showed a picture. Its frame tells pictures apart: a panel that shows a frame
  /// again, without another one in between, shows the same picture. Each panel's reports come in
  /// order. @pre the wall has the panel
  void add(std::size_t panel, std::int64_t frame, std::int64_t stamp_ns);
  /// Tells that a panel came back, or came when the epoch had begun. It shows its next picture as
  /// soon as it can, and the others have that one already, so it does not count.
  void join(std::size_t panel) { reports_.at(panel) = {true, std::nullopt, std::nullopt}; }

  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

  /// Its state, for restored() of another director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed or of a wall of other panels.
  [[nodiscard]] static StillPictures restored(const nlohmann::json& checkpoint, std::size_t panels);

 private:
  enum class Mark : std::uint8_t { shown, left_out, excused };
  static constexpr std::int64_t marks = 3;
  struct PanelMark {
    std::size_t panel = 0;
    Mark mark = Mark::shown;
    std::int64_t stamp_ns = 0;  // swap of a picture that was shown
  };
  struct Picture {
    std::int64_t frame = 0;
    std::int64_t first_ns = 0;     // the first panel's stamp
    std::vector<PanelMark> marks;  // at most one for each panel

    [[nodiscard]] bool has(std::size_t panel) const;
    [[nodiscard]] bool is_shown() const;  // by a panel for which it counts
    [[nodiscard]] bool is_late(const PanelMark& mark) const;
    [[nodiscard]] bool is_mixed() const;
  };
  struct Reports {
    bool joins = false;                   // the next picture does not count
    std::optional<std::int64_t> from_ns;  // first stamp of its first picture; empty: none yet
    std::optional<std::int64_t> frame;    // its newest picture
  };
  using Position = std::deque<Picture>::iterator;

  /// The newest picture of that frame that has no mark of the panel; the end where there is none.
  [[nodiscard]] Position find(std::int64_t frame, std::optional<std::size_t> without);
  [[nodiscard]] Position insert(std::int64_t frame, std::int64_t stamp_ns);
  void mark(Picture& picture, const PanelMark& mark);
  /// Marks that the panel left the picture out, where it was there before and has no mark.
  void mark_left_out(Picture& picture, std::size_t panel);
  /// Adds the picture `sign` times to the counts.
  void count(const Picture& picture, std::int64_t sign);

  std::deque<Picture> pictures_;     // the newest ones, by their first stamps
  std::int64_t forgotten_until_ns_;  // the newest first stamp of those that are forgotten
  std::vector<Reports> reports_;     // by panel
  Counts counts_;
};

}  // namespace tilewall::director
