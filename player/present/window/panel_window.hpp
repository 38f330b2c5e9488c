// A panel's window, and the operators' input in it. It is borderless, stands at its position to the
// pixel, and keeps the screen saver off.
#pragma once

#include <vector>

#include "player/present/presenter.hpp"
#include "player/present/window/sdl_video.hpp"
#include "player/present/window/window_pointer.hpp"

namespace tilewall::present {

class PanelWindow {
 public:
  /// `sdl_flags`: SDL_WINDOW_OPENGL, SDL_WINDOW_HIDDEN or 0. Throws JobError.
  PanelWindow(const PresenterOptions& options, Uint32 sdl_flags);

  [[nodiscard]] SDL_Window* get() const noexcept { return window_.get(); }

  /// The events since the last call. Never blocks.
  struct Events {
    std::vector<OperatorInput> input;
    bool exposed = false;  ///< The picture has to be painted again
  };
  [[nodiscard]] Events poll();

 private:
  void handle(const SDL_Event& event, Events& events);
  void settle();
  [[nodiscard]] bool in_place() const;
  void put_back();
  void leave_window_manager();

  const PointPx position_px_;
  const SizePx size_px_;
  int times_moved_ = 0;  ///< how often others have moved the window
  UniqueSdlWindow window_;
  WindowPointer pointer_;
};

}  // namespace tilewall::present
