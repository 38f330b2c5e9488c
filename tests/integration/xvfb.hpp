// An X server for tests: starts Xvfb on a free display and looks at its screen.
#pragma once

#include <X11/Xlib.h>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <thread>

#include "tests/support/picture.hpp"

namespace tilewall {

class Xvfb {
 public:
  /// Empty where Xvfb is not installed or does not come up within 10 s.
  [[nodiscard]] static std::optional<Xvfb> start(SizePx screen_px, int depth_bits);

  Xvfb(Xvfb&& other) noexcept;
  Xvfb& operator=(Xvfb&&) = delete;
  ~Xvfb();  ///< ends the server

  [[nodiscard]] const std::string& display_name() const noexcept { return display_name_; }
  [[nodiscard]] Display* display() const noexcept { return display_; }

  /// The screen's pixels. @pre a screen of 24 bits
  [[nodiscard]] TestPicture screenshot() const;

  /// The window that lies at `at`, None where only the root does.
  [[nodiscard]] Window window_at(PointPx at) const;

  /// A key press and release as the window gets them from the keyboard.
  void press_key(Window window, KeySym key, unsigned modifiers) const;

  /// The pointer as a hand moves it, and its buttons (1 left, 4 and 5 the wheel forth and back).
  void move_pointer(PointPx to) const;
  void hold_button(unsigned button) const;
  void release_button(unsigned button) const;
  void click(unsigned button) const;

  /// Keys held down together on the keyboard, pressed in this order; the last one repeats.
  void hold_keys(std::initializer_list<KeySym> keys, std::chrono::milliseconds time) const;
  void hold_keys(std::initializer_list<KeySym> keys, const std::function<void()>& meanwhile) const;

  /// No window has the keyboard any more.
  void take_keyboard() const;

  /// What a window manager sends when the user closes the window.
  void close_window(Window window) const;

  /// Covers the screen and uncovers it again, so that every window has to repaint.
  void expose_all() const;

 private:
  Xvfb() = default;
  pid_t pid_ = -1;
  std::string display_name_;
  Display* display_ = nullptr;
};

/// A window manager with a will of its own: every window goes to the upper left corner, whatever it
/// asks.
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
