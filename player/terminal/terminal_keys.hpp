// Turns input of a terminal into keys of the wall, the same ones as in a window.
//
// Terminals send letters as bytes and other keys as escape sequences of xterm's kind, which tmux,
// screen, the Linux console and nearly all others use too: ESC [ C is the right arrow, ESC [ 1 ; 2
// C the same with shift, ESC O P is F1. The Escape key sends a lone ESC, so an ESC counts as Escape
// when nothing follows within escape_wait. Pure. Threads: one owner.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "player/present/operator_input.hpp"

namespace tilewall::terminal {

class TerminalKeys {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  /// Longest time in which the rest of an escape sequence comes.
  static constexpr std::chrono::milliseconds escape_wait{80};

  /// The keys in the bytes that were read at `now`. Bytes without a meaning are left out.
  [[nodiscard]] std::vector<present::OperatorKey> take(std::string_view bytes, Instant now);
  /// The Escape key, when a lone ESC has waited for escape_wait at `now`; else nothing.
  [[nodiscard]] std::vector<present::OperatorKey> settle(Instant now);

 private:
  [[nodiscard]] std::vector<present::OperatorKey> parse();

  std::string waiting_;  // beginning of an escape sequence
  Instant since_;        // instant when that beginning came
};

}  // namespace tilewall::terminal
