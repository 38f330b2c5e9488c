// When the display behind a GL window flipped: by GLX_OML_sync_control where the driver tells, else
// by when a swap returned.
#pragma once

#include <optional>

#include "player/present/window/gl_context.hpp"
#include "sync/pacing/refresh_tracker.hpp"

namespace tilewall::present {

/// Belongs to the thread whose context is current.
class DisplayRefresh {
 public:
  /// Asks for vsync on the current context, unless `wanted` is false, and blackens the window a few
  /// times to see whether swaps really wait for it. Where they don't (software rendering,
  /// offscreen, a driver that only says so) there is no refresh: everything happens at once.
  DisplayRefresh(SDL_Window* window, bool wanted);

  /// When to call for a swap that takes the refresh nearest `due`: half a period before it.
  [[nodiscard]] LocalInstant swap_instant(LocalInstant due);

  /// A swap was called for and returned at `returned`. When it was on the display.
  [[nodiscard]] LocalInstant swapped(LocalInstant returned);

 private:
  /// The newest flip that the driver knows of; empty where it does not tell, or on another clock.
  [[nodiscard]] std::optional<LocalInstant> driver_flip(LocalInstant returned) const;

  std::optional<sync::RefreshTracker> tracker_;  // empty: no vsync
};

}  // namespace tilewall::present
