#include "player/present/window/display_refresh.hpp"

#include <GL/glx.h>

#include <chrono>

namespace tilewall::present {
namespace {

constexpr int usual_hz = 60;  // used where the mode has no rate

using GetSyncValues = Bool(Display*, GLXDrawable, std::int64_t* ust, std::int64_t* msc,
                           std::int64_t* sbc);

/// Null where the window's context is not GLX's or the driver does not have it.
GetSyncValues* find_get_sync_values() {
  if (glXGetCurrentDisplay() == nullptr) return nullptr;
  if (SDL_GL_ExtensionSupported("GLX_OML_sync_control") != SDL_TRUE) return nullptr;
  return reinterpret_cast<GetSyncValues*>(SDL_GL_GetProcAddress("glXGetSyncValuesOML"));
}

Nanos mode_period(SDL_Window* window) {
  SDL_DisplayMode mode = {};
  const bool known = SDL_GetWindowDisplayMode(window, &mode) == 0 && mode.refresh_rate > 0;
  return Nanos(std::chrono::seconds(1)) / (known ? mode.refresh_rate : usual_hz);
}

/// Whether swaps wait for the display: some drivers grant vsync, and do not.
bool swaps_wait(SDL_Window* window, Nanos period) {
  constexpr int swaps = 4;
  LocalInstant first;
  for (int i = 0; i <= swaps; ++i) {
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    SDL_GL_SwapWindow(window);
    glFinish();
    if (i == 0) first = local_now();
  }
  return local_now() - first > (swaps - 1) * period;
}

bool on_hardware() {
  return describe_renderer(reinterpret_cast<const char*>(glGetString(GL_RENDERER))).hardware;
}

}  // namespace

DisplayRefresh::DisplayRefresh(SDL_Window* window, bool wanted) {
  const bool granted = SDL_GL_SetSwapInterval(wanted ? 1 : 0) == 0;
  if (!wanted || !granted || !on_hardware()) return;
  const Nanos period = mode_period(window);
  if (swaps_wait(window, period)) tracker_.emplace(period);
}

LocalInstant DisplayRefresh::swap_instant(LocalInstant due) {
  return tracker_ ? tracker_->swap_instant(due) : due;
}

std::optional<LocalInstant> DisplayRefresh::driver_flip(LocalInstant returned) const {
  static GetSyncValues* const get_sync_values = find_get_sync_values();
  if (get_sync_values == nullptr) return std::nullopt;
  std::int64_t ust_us = 0;
  std::int64_t msc = 0;
  std::int64_t sbc = 0;
  if (get_sync_values(glXGetCurrentDisplay(), glXGetCurrentDrawable(), &ust_us, &msc, &sbc) == 0)
    return std::nullopt;
  // The extension does not say which clock UST is; Mesa's is CLOCK_MONOTONIC.
  const LocalInstant flip{std::chrono::microseconds(ust_us)};
  return tracker_->can_be_flip(flip, returned) ? std::optional(flip) : std::nullopt;
}

LocalInstant DisplayRefresh::swapped(LocalInstant returned) {
  if (!tracker_) return returned;
  const LocalInstant flip = driver_flip(returned).value_or(returned);
  tracker_->flipped(flip);
  return flip;
}

}  // namespace tilewall::present
