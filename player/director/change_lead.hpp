// How long before its instant a change of the scene is sent: as long as the slowest panel needs to
// receive it and to draw its first picture, measured with every change.
//
// A panel that needed longer than expected raises the lead for the next change at once; one that
// needed less lowers it by a share of the difference. Delivery and drawing are kept apart, because
// drawing has an upper limit: what takes longer, such as a movie that has to be opened, does not
// slow down the changes after it. Delivery has a far higher one, so a remote host gets the lead
// that its link needs.
//
// Pure; one owner, the director's thread. Panels are indexes into the wall's panels.
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
  /// For the presenter's copy and for what differs from one change to the next.
  static constexpr Nanos margin = std::chrono::milliseconds(12);
  static constexpr Nanos shortest_lead = std::chrono::milliseconds(25);
  /// Sound is rendered up to 60 ms before it is heard, so a shorter lead would be heard late.
  static constexpr Nanos shortest_lead_with_sound = std::chrono::milliseconds(50);

  explicit ChangeLead(std::size_t panels) : panels_(panels) {}

  /// The panel is there. Panels that are not do not count.
  void join(std::size_t panel);
  /// The connection's round trip, of the network alone: the least that delivery can take is half
  /// of it.
  void set_round_trip(std::size_t panel, Nanos round_trip);
  /// How long the panel takes for a picture while it plays. It counts until a change was measured.
  void set_picture_time(std::size_t panel, Nanos mean);

  /// A scene of another epoch was made at `made` and sent to `panels`. Panels that come later
  /// are not measured with it.
  void sent(std::uint64_t epoch, GlobalInstant made, const std::vector<std::size_t>& panels);
  /// The panel has its first picture of a change. Ignored unless it was sent that change.
  void take(std::size_t panel, const scene::ChangeDrawn& drawn);
  /// The panel is gone; what is known of it is forgotten.
  void leave(std::size_t panel);

  /// For the next change. `has_sound`: sound is played. `released`: with late policy slow the
  /// director lets panels show a picture after all have told it that they have it.
  struct Use {
    bool has_sound = false;
    bool released = false;
  };
  [[nodiscard]] Nanos lead(Use use) const;

  /// With late policy slow: how long before its instant a tick is released. A panel that hears of
  /// it later than its instant shows it late.
  [[nodiscard]] Nanos release_lead() const;

 private:
  struct PanelNeed {
    bool is_there = false;
    Nanos round_trip{0};
    Nanos picture_time{0};
    std::optional<Nanos> delivery;  // estimates; empty until a change was measured
    std::optional<Nanos> drawing;
    bool is_asked = false;  // it was sent the change `epoch_` and has not answered yet
  };

  [[nodiscard]] static Nanos need_of(const PanelNeed& panel, bool released);

  std::vector<PanelNeed> panels_;
  std::uint64_t epoch_ = 0;  // of the newest change that was sent
  GlobalInstant made_;
};

}  // namespace tilewall::director
