// What the pointer does on one panel, on its way to the director: in pixels of the canvas, and not
// more often than scenes could follow.
//
// Threads: the presenting thread's.
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
  /// Between two messages.
  static constexpr std::chrono::milliseconds interval{15};

  /// An event on the panel; `map` is from its pixels to the canvas. It is made one with those of
  /// its kind that wait: their ways and steps are added up, the place is the newest.
  void add(const present::PointerEvent& event, const wall::PanelMap& map);

  /// The next message, unless one was taken within the interval.
  [[nodiscard]] std::optional<scene::CanvasPointer> take(LocalInstant now);

 private:
  static constexpr std::size_t kinds = 4;
  std::array<std::optional<scene::CanvasPointer>, kinds> waiting_;  // by PointerKind
  std::size_t next_ = 0;                                            // whose turn it is
  std::optional<LocalInstant> taken_at_;
};

}  // namespace tilewall::panel
