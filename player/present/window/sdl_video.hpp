// SDL's video part, which is up as long as one of these objects lives. It starts only what windows
// need: no audio, no joysticks, no signal handlers.
#pragma once

#include <SDL.h>

#include <string>

#include "sync/base/handle.hpp"

namespace tilewall::present {

enum class VideoDriver { display, offscreen };  ///< offscreen: GL without any display server

/// Several objects may live at once if they name the same driver.
class SdlVideo {
 public:
  /// Throws JobError where there is no display, with a line that tells the user what to do.
  explicit SdlVideo(VideoDriver driver);
  ~SdlVideo();
  SdlVideo(const SdlVideo&) = delete;
  SdlVideo& operator=(const SdlVideo&) = delete;
};

struct SdlWindowTraits {
  using Raw = SDL_Window*;
  static constexpr SDL_Window* null() noexcept { return nullptr; }
  static void close(SDL_Window* window) noexcept { SDL_DestroyWindow(window); }
};
using UniqueSdlWindow = UniqueHandle<SdlWindowTraits>;

/// Text for a JobError: "CALL: SDL's own text".
[[nodiscard]] std::string sdl_failure(const char* call);

}  // namespace tilewall::present
