// When the display behind a GL window flipped: by GLX_OML_sync_control where the driver has it,
// else from the instants at which swaps returned.
#pragma once

#include <optional>

#include "player/present/window/gl_context.hpp"
#include "sync/pacing/refresh_tracker.hpp"

namespace tilewall::present {

/// Belongs to the thread whose context is current.
class DisplayRefresh {
 public:
  /// Requests vsync on the current context unless `wanted` is false, and swaps black a few times to
  /// see whether swaps really wait. Where they do not (software rendering, offscreen, a driver that
  /// only claims vsync) there is no refresh, and all functions return their argument.
  DisplayRefresh(SDL_Window* window, bool wanted);

  /// The instant to call for a swap so that it gets the refresh nearest `due`: half a period before
  /// that refresh.
  [[nodiscard]] LocalInstant swap_instant(LocalInstant due);

  /// Notes a swap that returned at `returned`. Returns the instant at which its picture was on the
  /// display.
  [[nodiscard]] LocalInstant swapped(LocalInstant returned);

 private:
  /// The newest flip that the driver reports; empty where it reports none, or one of another clock.
  [[nodiscard]] std::optional<LocalInstant> driver_flip(LocalInstant returned) const;

  std::optional<sync::RefreshTracker> tracker_;  // empty: no vsync
};

}  // namespace tilewall::present
