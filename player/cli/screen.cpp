#include "player/cli/screen.hpp"

#include <X11/Xlib.h>

#include <memory>

namespace tilewall {

std::optional<SizePx> screen_px() {
  const std::unique_ptr<Display, decltype(&::XCloseDisplay)> display(::XOpenDisplay(nullptr),
                                                                     &::XCloseDisplay);
  if (!display) return std::nullopt;
  const int screen = DefaultScreen(display.get());
  return SizePx{DisplayWidth(display.get(), screen), DisplayHeight(display.get(), screen)};
}

}  // namespace tilewall
