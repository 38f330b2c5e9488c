// Commands for keys and pointer events at a panel's window, and the hints that keys leave.
#pragma once

#include <string>

#include "player/director/changes/scene_change.hpp"
#include "player/director/verbs/verbs.hpp"
#include "player/present/operator_input.hpp"
#include "player/scene/operator_messages.hpp"

namespace tilewall::director {

/// The command of a key. It changes the first region and its group, and leaves a hint on the panels
/// unless hints are off. @pre not `quit`
[[nodiscard]] ApplyCommand command_of_key(present::OperatorKey key);

/// The command of a pointer event, for the topmost region at that place. The wheel zooms about the
/// pointer. A drag moves a picture or turns a volume, a slide moves both. A double click shows the
/// place pixel for pixel, or the whole picture again.
[[nodiscard]] ApplyCommand command_of_pointer(const scene::CanvasPointer& pointer);

/// Follows drags: one that begins at the line of a swipe moves the line until it ends. One owner.
class PointerHand {
 public:
  /// The command of a pointer event. `scene` is the newest one.
  [[nodiscard]] ApplyCommand command_of(const scene::CanvasPointer& pointer,
                                        const scene::Scene& scene);

 private:
  [[nodiscard]] bool holds_line(const scene::CanvasPointer& pointer, const scene::Scene& scene);

  std::optional<PointF> drag_began_px_;  // begin of the newest drag
  std::optional<double> line_px_;        // the line's place in that drag; empty: it moves no line
};

/// The hint that a key leaves on the panels, in UTF-8: "speed 2x", "range 100-300", "item 3 of 5:
/// The card". `after` is the draft that the key was applied to. "" for keys with a visible effect
/// (pans, black, the figures).
[[nodiscard]] std::string hint_of_key(present::OperatorKey key, const SceneChange& after);

}  // namespace tilewall::director
