// What keys and the pointer at a panel's window mean, as commands about the scene.
#pragma once

#include <string>

#include "player/director/scene_change.hpp"
#include "player/director/verbs.hpp"
#include "player/present/operator_input.hpp"
#include "player/scene/operator_messages.hpp"

namespace tilewall::director {

/// Keys are about the first region, and its group; each leaves a hint on the panels unless hints
/// are off. `quit` is the caller's.
[[nodiscard]] ApplyCommand command_of_key(present::OperatorKey key);

/// The wheel zooms about the pointer, a drag moves the picture or turns the volume, a slide moves
/// either, a double click shows that place pixel for pixel, or all again: of the region that is on
/// top there.
[[nodiscard]] ApplyCommand command_of_pointer(const scene::CanvasPointer& pointer);

/// The hand at the pointer: a drag that begins at the line of a swipe moves the line, wherever it
/// goes from there. One owner.
class PointerHand {
 public:
  /// `scene`: what the wall shows, or is about to.
  [[nodiscard]] ApplyCommand command_of(const scene::CanvasPointer& pointer,
                                        const scene::Scene& scene);

 private:
  [[nodiscard]] bool holds_line(const scene::CanvasPointer& pointer, const scene::Scene& scene);

  std::optional<PointF> drag_began_px_;  // of the newest drag
  std::optional<double> line_px_;  // where that drag has the line; empty: it moves the picture
};

// What a key did, in a few words for the panels: "speed 2x", "range 100-300", "item 3 of 5".

/// Of a draft that the key has been applied to. "" for keys whose effect is plain to see (pans,
/// black, the figures). Titles may hold letters of UTF-8.
[[nodiscard]] std::string hint_of_key(present::OperatorKey key, const SceneChange& after);

}  // namespace tilewall::director
