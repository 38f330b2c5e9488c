// `tilewall ctl keyframe`: keys of a flight path, taken from a running wall and shown on it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "player/cli/ctl/verbs.hpp"
#include "player/command/command.hpp"

namespace tilewall::cli {

/// Adds the subcommand to `ctl`, with subcommands of its own. All must outlive the parsing.
void add_key_commands(CLI::App& ctl, command::CommandRun& run,
                      const std::shared_ptr<CtlArguments>& arguments);

}  // namespace tilewall::cli
