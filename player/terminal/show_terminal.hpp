// The terminal of a running show: one status line, the operator's list of a presentation above it,
// and the same keys as in the wall's windows.
//
// It requests the director's status a few times a second and sends it the keys by name, over the
// control port, as any program can. Threads: one owner, whose main loop waits in wait().
#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "player/terminal/control_link.hpp"
#include "player/terminal/cue_list_text.hpp"
#include "player/terminal/status_pace.hpp"
#include "player/terminal/terminal_keys.hpp"
#include "player/terminal/terminal_mode.hpp"

namespace tilewall::terminal {

class ShowTerminal {
 public:
  /// Whether standard input and error are a terminal that can be drawn on.
  [[nodiscard]] static bool is_there() noexcept;

  /// Whether standard error accepts output now. After Ctrl-S, or behind a lost connection, a write
  /// would block the thread that supervises the show.
  [[nodiscard]] static bool takes_output() noexcept;

  /// `control`: HOST:PORT of the director. @pre is_there()
  explicit ShowTerminal(std::string control);
  ~ShowTerminal();  ///< erases the lines
  ShowTerminal(const ShowTerminal&) = delete;
  ShowTerminal& operator=(const ShowTerminal&) = delete;

  /// Waits until something happens to one of `others`, the terminal or the director has input, or
  /// `limit` is over; then handles the input. Signals end the wait, too.
  void wait(std::span<const pollfd> others, std::chrono::milliseconds limit);

  /// Erases the lines, so that something else can be printed. The next wait() draws it again.
  void erase();

 private:
  using SteadyClock = std::chrono::steady_clock;

  void step();
  void ask_status(SteadyClock::time_point now);
  void send_keys(const std::vector<present::OperatorKey>& keys);
  void take(const nlohmann::json& answer);
  void draw();
  [[nodiscard]] std::vector<CueLine> lines_to_draw(int columns, int rows) const;

  const std::string control_;
  ControlLink link_;
  TerminalMode mode_;
  TerminalKeys keys_;
  bool takes_keys_ = false;
  nlohmann::json status_;  // newest status; null before the first
  StatusPace pace_;
  std::string refusal_;  // why the director refused a key, shown for a short while
  SteadyClock::time_point refused_at_;
  nlohmann::json cues_;         // newest answer to "cues"; null before the first
  std::vector<CueLine> drawn_;  // the lines on the terminal
};

/// One line that tells users without a terminal how to control the show.
[[nodiscard]] std::string control_line(const std::string& run_dir, bool has_windows);

// Draws a show's status as one line of a terminal. Pure.

/// The line for a status as the director answers it, such as "frame 123 of 480  0:05.1 of 0:20.0
/// item 2 of 5 Intro  0 late  127.0.0.1:4711  q quits". The least important parts are left out
/// until the line fits into `columns`.
[[nodiscard]] std::string show_line(const nlohmann::json& status, const std::string& control,
                                    int columns);

}  // namespace tilewall::terminal
