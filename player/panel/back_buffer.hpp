// Prepares the next picture in the presenter's back buffer, and swaps it. The panel's figures and a
// hint for the operator lie over the picture.
//
// Threads: one owner, the presenting thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "player/panel/panel_overlay.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/present/presenter.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::panel {

/// The figures and the hint that lie over a picture.
struct PictureMarks {
  bool figures = false;
  std::string hint;  ///< "" = none
  [[nodiscard]] bool operator==(const PictureMarks&) const = default;
};

/// From the call of a swap to its return.
struct SwapTime {
  LocalInstant began;
  LocalInstant swapped;
};

class BackBuffer {
 public:
  /// `clock` returns the clock's state and bound for the figures, as in "locked 1.2 us".
  /// `presenter` and `ring` outlive this object.
  BackBuffer(present::Presenter& presenter, PictureRing& ring, const std::string& panel,
             std::function<std::string()> clock);

  /// Prepares a picture of the ring, unless it is prepared already with the same marks.
  void prepare(const DecodedPicture& picture, PictureMarks marks, const scene::Scene& scene);
  /// Prepares the picture that stays on the panel again, with other marks.
  void prepare_again(const HeldPicture& held, PictureMarks marks, const scene::Scene& scene);
  /// Shows the prepared picture. Blocks until the presenter has swapped.
  [[nodiscard]] SwapTime swap();
  /// Tells that the picture's buffer goes back to the ring, so the next prepare() copies again.
  void forget() noexcept { prepared_.reset(); }

  // The picture that was prepared last.
  [[nodiscard]] const present::Inset& inset() const noexcept { return inset_; }
  [[nodiscard]] const PictureMarks& marks() const noexcept { return marks_; }
  [[nodiscard]] LocalInstant prepared_at() const noexcept { return prepared_at_; }

  /// Wall-clock time spent in prepare() and swap() since the start of the panel.
  [[nodiscard]] Nanos present_time() const noexcept { return present_time_; }

  [[nodiscard]] PanelOverlay& overlay() noexcept { return overlay_; }

 private:
  [[nodiscard]] present::Inset paint_inset(const DecodedPicture& picture,
                                           const scene::Scene& scene);

  present::Presenter& presenter_;
  PictureRing& ring_;
  const std::function<std::string()> clock_;
  PanelOverlay overlay_;
  std::optional<DecodedPicture> prepared_;  // the ring's front picture, once it is there
  LocalInstant prepared_at_;
  present::Inset inset_;
  PictureMarks marks_;
  Nanos present_time_{0};
};

}  // namespace tilewall::panel
