// The terminal of a running show: one line that follows it, and the keys of the wall's windows.
//
// It asks the director for its status a few times a second and sends it the keys by name, over the
// control port, as any program can. Threads: one owner, whose waiting it does.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "player/terminal/control_link.hpp"
#include "player/terminal/terminal_keys.hpp"
#include "player/terminal/terminal_mode.hpp"

namespace tilewall::terminal {

class ShowTerminal {
 public:
  /// Whether standard input and error are one that can be drawn on.
  [[nodiscard]] static bool is_there() noexcept;

  /// Whether standard error takes output now. After Ctrl-S, or behind a connection that is gone, a
  /// write would block the thread that supervises the show.
  [[nodiscard]] static bool takes_output() noexcept;

  /// `control`: HOST:PORT of the director. @pre is_there()
  explicit ShowTerminal(std::string control);
  ~ShowTerminal();  ///< erases the line
  ShowTerminal(const ShowTerminal&) = delete;
  ShowTerminal& operator=(const ShowTerminal&) = delete;

  /// Waits until `other_fd` is readable, the terminal or the director has something, or `limit` is
  /// over; then does what is to be done. Signals end the wait, too.
  void wait(int other_fd, std::chrono::milliseconds limit);

  /// Erases the line, before something else is printed; it comes back with the next wait.
  void erase();

 private:
  using SteadyClock = std::chrono::steady_clock;

  void step();
  void send_keys(const std::vector<present::OperatorKey>& keys);
  void take(const nlohmann::json& answer);
  void draw();

  const std::string control_;
  ControlLink link_;
  TerminalMode mode_;
  TerminalKeys keys_;
  bool takes_keys_ = false;
  nlohmann::json status_;  // the newest; null before the first
  SteadyClock::time_point asked_at_;
  bool is_asked_ = false;
  std::string refusal_;  // of a key, for a short while
  SteadyClock::time_point refused_at_;
  std::string drawn_;  // "" = no line is on the terminal
};

/// One line for those who have no terminal: how to control the show.
[[nodiscard]] std::string control_line(const std::string& run_dir, bool has_windows);

// A running show in one line of a terminal. Pure.

/// "frame 123 of 480  0:05.1 of 0:20.0  item 2 of 5 Intro  0 late  127.0.0.1:4711  q quits", of a
/// status as the director answers it. Parts are left out from the least important one on until the
/// line fits into `columns`.
[[nodiscard]] std::string show_line(const nlohmann::json& status, const std::string& control,
                                    int columns);

}  // namespace tilewall::terminal
