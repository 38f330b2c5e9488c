// Takes single keys from the terminal: without waiting for a line, and without showing them.
//
// Ctrl-C and Ctrl-Z go on working. Whatever ends or stops the process gives the terminal back as it
// was: the destructor; Ctrl-Z, until the process goes on in the foreground; signals that end a
// process by a fault or Ctrl-\. Only SIGKILL cannot be answered: a shell then restores its terminal
// itself. A process in the background leaves the terminal alone.
//
// Threads: one owner. At most one object in a process.
#pragma once

#include <termios.h>

#include <string>

namespace tilewall::terminal {

class TerminalMode {
 public:
  /// `fd`: a terminal. Takes it once keep() is called in the foreground.
  explicit TerminalMode(int fd);
  ~TerminalMode();
  TerminalMode(const TerminalMode&) = delete;
  TerminalMode& operator=(const TerminalMode&) = delete;

  /// Takes the terminal where that is due: at first, and whenever the process has come back to the
  /// foreground. To be called a few times a second. Returns whether keys come now.
  bool keep();

  /// Whether the process was stopped and goes on since the last call: the screen is another one.
  [[nodiscard]] static bool has_resumed() noexcept;

  /// What was typed since the last call; never blocks. @pre keep() has just returned true
  [[nodiscard]] std::string read() const;

  /// Whether this process is in the foreground of the terminal `fd`.
  [[nodiscard]] static bool in_foreground(int fd) noexcept;

 private:
  const int fd_;
  termios before_{};
};

}  // namespace tilewall::terminal
