// Puts the terminal into a mode that delivers single keys, without waiting for a line and without
// echo.
//
// Ctrl-C and Ctrl-Z go on working. The terminal is restored by the destructor, on Ctrl-Z until the
// process is in the foreground again, and before signals end the process by a fault or by Ctrl-\.
// SIGKILL cannot be handled, but a shell then restores its terminal itself. A process in the
// background leaves the terminal alone.
//
// Threads: one owner. At most one object in a process.
#pragma once

#include <termios.h>

#include <string>

namespace tilewall::terminal {

class TerminalMode {
 public:
  /// `fd` is a terminal. Its mode changes at the first keep() in the foreground.
  explicit TerminalMode(int fd);
  ~TerminalMode();
  TerminalMode(const TerminalMode&) = delete;
  TerminalMode& operator=(const TerminalMode&) = delete;

  /// Changes the terminal's mode when that is due: at first, and whenever the process has come back
  /// to the foreground. Call it a few times a second. Returns whether read() may be called.
  bool keep();

  /// Whether the process was stopped and continued since the last call, so that the screen has to
  /// be drawn anew.
  [[nodiscard]] static bool has_resumed() noexcept;

  /// The bytes typed since the last call. Never blocks. @pre keep() has just returned true
  [[nodiscard]] std::string read() const;

  /// Whether this process is in the foreground of the terminal `fd`.
  [[nodiscard]] static bool in_foreground(int fd) noexcept;

 private:
  const int fd_;
  termios before_{};
};

}  // namespace tilewall::terminal
