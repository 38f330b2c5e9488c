#include "player/present/window/sdl_video.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "sync/base/error.hpp"

namespace tilewall::present {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// Names the driver. Otherwise SDL would go on to KMS where the X server cannot be reached, and
/// take the whole console. The user's own SDL_VIDEODRIVER has precedence.
void choose_display_driver() {
  if (!environment("SDL_VIDEODRIVER").empty()) return;
  if (!environment("DISPLAY").empty()) {
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11");
  } else if (!environment("WAYLAND_DISPLAY").empty()) {
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "wayland");
  } else {
    throw JobError("no display: DISPLAY is not set; set it, or use --headless");
  }
}

[[noreturn]] void throw_no_video(VideoDriver driver) {
  if (driver == VideoDriver::offscreen)
    throw JobError(sdl_failure("no offscreen OpenGL: SDL_InitSubSystem"));
  throw JobError(fmt::format("no display: DISPLAY \"{}\" cannot be opened ({}); use --headless",
                             environment("DISPLAY"), SDL_GetError()));
}

}  // namespace

SdlVideo::SdlVideo(VideoDriver driver) {
  SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
  SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");  // a surface by way of GL costs 6 times more
  SDL_SetHint(SDL_HINT_APP_NAME, "tilewall");
  if (driver == VideoDriver::offscreen)
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "offscreen");
  else
    choose_display_driver();
  if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) throw_no_video(driver);
}

SdlVideo::~SdlVideo() { SDL_QuitSubSystem(SDL_INIT_VIDEO); }

std::string sdl_failure(const char* call) { return fmt::format("{}: {}", call, SDL_GetError()); }

}  // namespace tilewall::present
