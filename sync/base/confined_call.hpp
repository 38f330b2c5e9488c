// Runs a function in a child process that is confined (sandbox.hpp): how this program itself reads
// a foreign file, where no helper program does.
//
// The child is a copy of this process without its other threads, environment and descriptors. What
// the process has in memory, the child has too: call this where no key is in use.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "sync/base/sandbox.hpp"

namespace tilewall {

/// Runs `work` and returns its result. Its token is stopped when `stop` is. What it prints goes to
/// this process's outputs, and the only thing that it can change beside them are the files that
/// the sandbox lets it write. Throws InputError, or else JobError, with the line that `work` threw;
/// JobError where the child crashes or ends without a result.
[[nodiscard]] std::string confined_call(
    const Sandbox& sandbox, const std::function<std::string(const std::stop_token&)>& work,
    const std::stop_token& stop = {});

}  // namespace tilewall
