// How a command runs once it has been parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stop_token>

namespace tilewall::command {

/// Returns the exit code. Throws InputError (exit 2) or JobError (exit 1); main() prints the line.
using CommandRun = std::function<int()>;

/// Throws JobError when a stop was requested. Call it after the destructor of StopSignals, which
/// may receive a signal until its very end.
void throw_if_stopped(const std::stop_token& stop);

}  // namespace tilewall::command
