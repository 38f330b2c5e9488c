#include "player/present/window/panel_window.hpp"

#include <SDL_syswm.h>

#include "player/present/keys/wall_keys.hpp"
#include "sync/base/error.hpp"

namespace tilewall::present {
namespace {

// Time that a window manager may take to move or resize a window.
constexpr Uint32 settle_ms = 40;

/// The X11 connection and window behind `window`; display null where SDL drives something else.
struct X11Window {
  Display* display = nullptr;
  ::Window window = 0;
};

X11Window x11_window(SDL_Window* window) {
  SDL_SysWMinfo info;
  SDL_VERSION(&info.version);
  if (SDL_GetWindowWMInfo(window, &info) != SDL_TRUE || info.subsystem != SDL_SYSWM_X11) return {};
  return {info.info.x11.display, info.info.x11.window};
}

bool window_manager_runs(Display* display) {
  const Atom check = XInternAtom(display, "_NET_SUPPORTING_WM_CHECK", True);
  if (check == None) return false;
  Atom type = None;
  int format = 0;
  unsigned long items = 0;
  unsigned long bytes_left = 0;
  unsigned char* value = nullptr;
  XGetWindowProperty(display, DefaultRootWindow(display), check, 0, 1, False, AnyPropertyType,
                     &type, &format, &items, &bytes_left, &value);
  if (value != nullptr) XFree(value);
  return type != None;
}

/// Asks the X server for the pointer, because SDL only knows where it was last over a window of
/// this process.
PointerPlace pointer_place(SDL_Window* window) {
  const X11Window x11 = x11_window(window);
  if (x11.display == nullptr) return {};  // without X11 a drag ends at the window's edge
  ::Window root = None, child = None;
  int root_x = 0, root_y = 0;
  unsigned buttons = 0;
  PointerPlace at;
  XQueryPointer(x11.display, x11.window, &root, &child, &root_x, &root_y, &at.x, &at.y, &buttons);
  for (Uint32 button = SDL_BUTTON_LEFT; button <= SDL_BUTTON_RIGHT; ++button)  // X counts alike
    if ((buttons & (Button1Mask << (button - 1))) != 0) at.buttons |= SDL_BUTTON(button);
  return at;
}

}  // namespace

PanelWindow::PanelWindow(const PresenterOptions& options, Uint32 sdl_flags)
    : position_px_(options.window_px),
      size_px_(options.frame_buffer_px),
      pointer_(options.frame_buffer_px, options.rotation) {
  window_ = UniqueSdlWindow(SDL_CreateWindow(options.title.c_str(), position_px_.x, position_px_.y,
                                             size_px_.width, size_px_.height,
                                             SDL_WINDOW_BORDERLESS | sdl_flags));
  if (window_.empty()) throw JobError(sdl_failure("SDL_CreateWindow"));
  SDL_DisableScreenSaver();
  SDL_StopTextInput();
  if ((sdl_flags & SDL_WINDOW_HIDDEN) == 0) settle();
}

void PanelWindow::settle() {
  const X11Window x11 = x11_window(window_.get());
  if (x11.display == nullptr || !window_manager_runs(x11.display)) return;
  for (int round = 0; round < 3; ++round) {
    SDL_Delay(settle_ms);
    SDL_PumpEvents();
    if (in_place()) return;
    put_back();
  }
}

/// Asks the X server for the position, because SDL misses a move to (0, 0) before its first look.
bool PanelWindow::in_place() const {
  PointPx at;
  SizePx size;
  SDL_GetWindowPosition(window_.get(), &at.x, &at.y);
  SDL_GetWindowSize(window_.get(), &size.width, &size.height);
  const X11Window x11 = x11_window(window_.get());
  if (x11.display != nullptr) {
    ::Window child = None;
    XTranslateCoordinates(x11.display, x11.window, DefaultRootWindow(x11.display), 0, 0, &at.x,
                          &at.y, &child);
  }
  return at == position_px_ && size == size_px_;
}

/// Moves the window back, first by the window manager, then without one. There is no third try,
/// which could go on for ever.
void PanelWindow::put_back() {
  ++times_moved_;
  if (times_moved_ == 1) {
    SDL_SetWindowSize(window_.get(), size_px_.width, size_px_.height);
    SDL_SetWindowPosition(window_.get(), position_px_.x, position_px_.y);
  } else if (times_moved_ == 2) {
    leave_window_manager();
  }
}

void PanelWindow::leave_window_manager() {
  const X11Window x11 = x11_window(window_.get());
  if (x11.display == nullptr) return;
  SDL_HideWindow(window_.get());
  XSetWindowAttributes attributes = {};
  attributes.override_redirect = True;
  XChangeWindowAttributes(x11.display, x11.window, CWOverrideRedirect, &attributes);
  SDL_SetWindowSize(window_.get(), size_px_.width, size_px_.height);
  SDL_SetWindowPosition(window_.get(), position_px_.x, position_px_.y);
  SDL_ShowWindow(window_.get());
  // Without a window manager the window gets the keyboard only from us.
  XSetInputFocus(x11.display, x11.window, RevertToPointerRoot, CurrentTime);
  XFlush(x11.display);
}

PanelWindow::Events PanelWindow::poll() {
  Events events;
  SDL_Event event;
  while (SDL_PollEvent(&event) != 0) handle(event, events);
  if (pointer_.drags_outside()) pointer_.follow(pointer_place(window_.get()), events.input);
  pointer_.hide_rested_cursor();
  return events;
}

void PanelWindow::handle(const SDL_Event& event, Events& events) {
  if (event.type == SDL_QUIT) {
    events.input.emplace_back(OperatorKey::quit);
  } else if (event.type == SDL_KEYDOWN) {
    if (const auto key = pressed_key(event.key)) events.input.emplace_back(*key);
  } else if (event.type == SDL_WINDOWEVENT) {
    events.exposed |= event.window.event == SDL_WINDOWEVENT_EXPOSED;
    const bool moved = event.window.event == SDL_WINDOWEVENT_MOVED ||
                       event.window.event == SDL_WINDOWEVENT_SIZE_CHANGED;
    if (moved && !in_place()) put_back();
  } else {
    pointer_.take(event, events.input);
  }
}

}  // namespace tilewall::present
