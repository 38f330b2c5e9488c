// The picture that a panel shows next, from the ring into the presenter's back buffer, with what
// lies over it: the panel's figures and a hint for the operator.
//
// Threads: the presenting thread's.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "player/panel/panel_overlay.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/present/presenter.hpp"
#include "player/scene/scene.hpp"

namespace tilewall {

/// What lies over a picture.
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
  /// `clock` says how the clock is, for people. Everything referred to outlives this.
  BackBuffer(Presenter& presenter, PictureRing& ring, const std::string& panel,
             std::function<std::string()> clock);

  /// Prepares a picture of the ring, unless it is prepared already with the same marks.
  void prepare(const DecodedPicture& picture, PictureMarks marks, const Scene& scene);
  /// Prepares the picture that is shown once more, with other marks.
  void prepare_again(const HeldPicture& held, PictureMarks marks, const Scene& scene);
  /// Shows what prepare() prepared.
  [[nodiscard]] SwapTime swap();
  /// The picture of the ring goes: what is prepared is no longer it.
  void forget() noexcept { prepared_.reset(); }

  // Of what was prepared last.
  [[nodiscard]] const Inset& inset() const noexcept { return inset_; }
  [[nodiscard]] const PictureMarks& marks() const noexcept { return marks_; }
  [[nodiscard]] LocalInstant prepared_at() const noexcept { return prepared_at_; }

  /// What prepare() and swap() took so far, as time passes.
  [[nodiscard]] Nanos present_time() const noexcept { return present_time_; }

  [[nodiscard]] PanelOverlay& overlay() noexcept { return overlay_; }

 private:
  [[nodiscard]] Inset paint_inset(const DecodedPicture& picture, const Scene& scene);

  Presenter& presenter_;
  PictureRing& ring_;
  const std::function<std::string()> clock_;
  PanelOverlay overlay_;
  std::optional<DecodedPicture> prepared_;  // the ring's front picture, once it is there
  LocalInstant prepared_at_;
  Inset inset_;
  PictureMarks marks_;
  Nanos present_time_{0};
};

}  // namespace tilewall
