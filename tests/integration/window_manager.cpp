#include "tests/integration/window_manager.hpp"

#include <X11/Xatom.h>

#include <chrono>
#include <stdexcept>

namespace tilewall {

StubbornWindowManager::StubbornWindowManager(const std::string& display_name)
    : display_(XOpenDisplay(display_name.c_str())) {
  if (display_ == nullptr) throw std::runtime_error("cannot open " + display_name);
  const Window root = DefaultRootWindow(display_);
  const Window self = XCreateSimpleWindow(display_, root, -10, -10, 1, 1, 0, 0, 0);
  const Atom check = XInternAtom(display_, "_NET_SUPPORTING_WM_CHECK", False);
  XChangeProperty(display_, root, check, XA_WINDOW, 32, PropModeReplace,
                  reinterpret_cast<const unsigned char*>(&self), 1);
  XSelectInput(display_, root, SubstructureRedirectMask);
  XSync(display_, False);
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      while (XPending(display_) > 0) {
        XEvent event;
        XNextEvent(display_, &event);
        handle(event);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
}

StubbornWindowManager::~StubbornWindowManager() {
  thread_.request_stop();
  thread_.join();
  XCloseDisplay(display_);
}

void StubbornWindowManager::handle(const XEvent& event) {
  if (event.type == MapRequest) {
    XMoveWindow(display_, event.xmaprequest.window, 0, 0);
    XMapWindow(display_, event.xmaprequest.window);
  } else if (event.type == ConfigureRequest) {
    const XConfigureRequestEvent& request = event.xconfigurerequest;
    if (request.width > 0 && request.height > 0)
      XMoveResizeWindow(display_, request.window, 0, 0, static_cast<unsigned>(request.width),
                        static_cast<unsigned>(request.height));
  }
  XFlush(display_);
}

}  // namespace tilewall
