// How a command runs once it has been parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace tilewall {

/// Returns the exit code. Throws InputError (exit 2) or JobError (exit 1); main() prints the line.
using CommandRun = std::function<int()>;

}  // namespace tilewall
