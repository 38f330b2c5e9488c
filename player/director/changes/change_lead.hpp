// Computes the lead of a scene change: how long before its instant it is sent. The slowest panel
// has to receive it and to draw its first picture; every change measures both.
//
// A panel that needed longer than expected raises the lead of the next change at once. One that
// needed less lowers it by a share of the difference. Delivery and drawing have limits of their
// own: drawing a low one, so that a movie that is slow to open does not delay later changes, and
// delivery a far higher one, so that a remote host gets the lead that its link needs.
//
// Reads no clock. Threads: one owner, the director's thread. Panels are indexes into the wall's
// panels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "player/scene/messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

class ChangeLead {
 public:
  static constexpr Nanos longest_drawing = std::chrono::milliseconds(80);
  static constexpr Nanos longest_delivery = std::chrono::milliseconds(800);
  /// Margin for the presenter's copy and for variation between changes.
  static constexpr Nanos margin = std::chrono::milliseconds(12);
  static constexpr Nanos shortest_lead = std::chrono::milliseconds(25);
  /// Sound is rendered up to 60 ms before it is heard, so a shorter lead would be heard late.
  static constexpr Nanos shortest_lead_with_sound = std::chrono::milliseconds(50);

  explicit ChangeLead(std::size_t panels) : panels_(panels) {}

  /// Adds a panel that has connected. Only connected panels count.
  void join(std::size_t panel);
  /// Sets the network's round trip to the panel. Delivery takes at least half of it.
  void set_round_trip(std::size_t panel, Nanos round_trip);
  /// Sets the panel's mean time per picture while it plays; an estimate until a change is measured.
  void set_picture_time(std::size_t panel, Nanos mean);

  /// Notes that a scene of a new epoch was made at `made` and sent to `panels`. Only these panels
  /// are measured with it.
  void sent(std::uint64_t epoch, GlobalInstant made, const std::vector<std::size_t>& panels);
  /// Measures a panel by its first picture of a change; ignored unless it was sent that change.
  void take(std::size_t panel, const scene::ChangeDrawn& drawn);
  /// Forgets a panel that has disconnected.
  void leave(std::size_t panel);

  /// The circumstances of the next change.
  struct Use {
    bool has_sound = false;  ///< sound is played
    bool released = false;   ///< late policy slow: the director releases each tick
  };
  [[nodiscard]] Nanos lead(Use use) const;

  /// Late policy slow: how long before its instant a tick is released. A panel that receives the
  /// release after the instant shows the tick late.
  [[nodiscard]] Nanos release_lead() const;

 private:
  struct PanelNeed {
    bool is_there = false;
    Nanos round_trip{0};
    Nanos picture_time{0};
    std::optional<Nanos> delivery;  // estimates; empty until a change was measured
    std::optional<Nanos> drawing;
    bool is_asked = false;  // the panel was sent epoch_, and has not reported its first picture yet
  };

  [[nodiscard]] static Nanos need_of(const PanelNeed& panel, bool released);

  std::vector<PanelNeed> panels_;
  std::uint64_t epoch_ = 0;  // the newest change that was sent
  GlobalInstant made_;
};

}  // namespace tilewall::director
