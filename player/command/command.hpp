// How a command runs once it has been parsed, and how Ctrl-C stops it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stop_token>
#include <thread>

namespace tilewall::command {

/// Returns the exit code. Throws InputError (exit 2) or JobError (exit 1); main() prints the line.
using CommandRun = std::function<int()>;

// Ctrl-C and SIGTERM as a stop_token.

/// While this lives, the first SIGINT or SIGTERM requests a stop; a second one ends the process as
/// usual. Make it before any other thread, so that they inherit the blocked signals.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread thread_;  // waits for the signals
};

/// Throws JobError when a stop was requested. To be asked after a StopSignals, which may take a
/// signal until its very end.
void throw_if_stopped(const std::stop_token& stop);

}  // namespace tilewall::command
