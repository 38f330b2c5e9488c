// Passes pointer events of one panel to the director, in canvas pixels. Events are merged, because
// scenes cannot follow each of them.
//
// Threads: one owner, the presenting thread.
#pragma once

#include <array>
#include <chrono>
#include <optional>

#include "player/scene/operator_messages.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/panel_map.hpp"

namespace tilewall::panel {

class PointerRelay {
 public:
  /// The least time between two messages.
  static constexpr std::chrono::milliseconds interval{15};

  /// Adds an event on the panel. `map` leads from the panel's pixels to the canvas. Waiting events
  /// of one kind become one: their distances and steps are added, and the newest place counts.
  void add(const present::PointerEvent& event, const wall::PanelMap& map);

  /// The next message; empty where none waits, or one was taken within the interval.
  [[nodiscard]] std::optional<scene::CanvasPointer> take(LocalInstant now);

 private:
  static constexpr std::size_t kinds = 4;
  std::array<std::optional<scene::CanvasPointer>, kinds> waiting_;  // by PointerKind
  std::size_t next_ = 0;  // the kind to take next, so that no kind starves
  std::optional<LocalInstant> taken_at_;
};

}  // namespace tilewall::panel
