// A window manager with a will of its own: every window goes to the upper left corner, whatever it
// asks.
#pragma once

#include <X11/Xlib.h>

#include <string>
#include <thread>

namespace tilewall {

class StubbornWindowManager {
 public:
  /// Manages when this returns. Throws std::runtime_error.
  explicit StubbornWindowManager(const std::string& display_name);
  StubbornWindowManager(const StubbornWindowManager&) = delete;
  StubbornWindowManager& operator=(const StubbornWindowManager&) = delete;
  ~StubbornWindowManager();

 private:
  void handle(const XEvent& event);

  Display* display_;
  std::jthread thread_;  // uses display_ alone after the constructor
};

}  // namespace tilewall
