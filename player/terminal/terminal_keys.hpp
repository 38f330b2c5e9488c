// What is typed at a terminal, as keys of the wall: the same ones as in a window.
//
// Terminals send letters as bytes and other keys as escape sequences, of xterm's kind (which tmux,
// screen, the Linux console and nearly all others send too): ESC [ C is the right arrow, ESC [ 1 ;
// 2 C the same with shift, ESC O P is F1. Escape itself is a lone ESC: one that nothing follows at
// once. Pure; one owner.
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

  /// How long the rest of an escape sequence may take to come.
  static constexpr std::chrono::milliseconds escape_wait{80};

  /// The keys in what was read at `now`. Bytes that mean nothing are left out.
  [[nodiscard]] std::vector<present::OperatorKey> take(std::string_view bytes, Instant now);
  /// The Escape key, where a lone ESC has waited for long enough.
  [[nodiscard]] std::vector<present::OperatorKey> settle(Instant now);

 private:
  [[nodiscard]] std::vector<present::OperatorKey> parse();

  std::string waiting_;  // the beginning of an escape sequence
  Instant since_;        // when that came
};

}  // namespace tilewall::terminal
