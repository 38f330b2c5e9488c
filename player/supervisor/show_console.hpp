// The terminal that a show was started from: the director's lines for the operator, and the show's
// status line where there is one.
//
// Threads: one owner, whose waiting it does.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "player/director/changes/scene_change.hpp"
#include "player/supervisor/director_output.hpp"
#include "player/supervisor/supervisor.hpp"
#include "player/terminal/show_terminal.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::supervisor {

/// Made before the director is forked.
class ShowConsole {
 public:
  /// `control_line` tells how to control the show, where there is no terminal.
  ShowConsole(TerminalUse use, std::string control_line)
      : use_(use), control_line_(std::move(control_line)) {}

  /// The director's end of the pipe for its lines; this object owns it.
  [[nodiscard]] int writing_end() const noexcept { return news_.writing_end(); }

  /// Opens the terminal, if the show uses one and there is one. `control`: HOST:PORT of the
  /// director.
  void open_terminal(const std::string& control);
  /// Erases the status line, for good.
  void close_terminal() { terminal_.reset(); }

  /// The terminal is gone: nothing is printed on it or read from it any more.
  void lose_terminal();

  /// Waits until something happens to a child, the director has a line, or `limit` is over, and
  /// does what the terminal has to do meanwhile.
  [[nodiscard]] WatchEvent wait(const ChildWatch& watch, std::chrono::milliseconds limit);

  /// Adds a line for the operator, to be printed. Lines beyond 1000 that wait are dropped.
  void tell(std::string line);

  /// Takes the director's new lines. Orders among them hold at once; the others wait until they are
  /// printed.
  void take_news();

  /// A panel of each host that needs another launcher by order of the director, in the order of
  /// the orders since the last call.
  [[nodiscard]] std::vector<int> take_launcher_orders() {
    return std::exchange(launcher_orders_, {});
  }

  /// Orders about the flight path, in the order of the operator's keys since the last call.
  [[nodiscard]] std::vector<director::KeyframeOrder> take_keyframe_orders() {
    return std::exchange(keyframe_orders_, {});
  }

  /// Whether the director has said that the show is ending.
  [[nodiscard]] bool show_ends() const noexcept { return show_ends_; }

  /// Prints new lines on standard error.
  void print_news();
  /// The same, unless the terminal takes no output now: one that is stopped by Ctrl-S would block
  /// this process. The lines wait meanwhile.
  void print_news_if_taken();

 private:
  void print_news(const std::string& line);
  void print_control_line();

  const TerminalUse use_;
  const std::string control_line_;
  bool control_line_printed_ = false;
  NewsPipe news_;
  std::vector<std::string> lines_;                        // to be printed
  std::vector<int> launcher_orders_;                      // see take_launcher_orders()
  std::vector<director::KeyframeOrder> keyframe_orders_;  // see take_keyframe_orders()
  bool show_ends_ = false;
  std::optional<terminal::ShowTerminal> terminal_;  // empty: no terminal, or not to be used
};

}  // namespace tilewall::supervisor
