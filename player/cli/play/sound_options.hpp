// The options of a show's sound, shared by `play` and `demo`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "player/supervisor/supervisor.hpp"

namespace tilewall {

/// As typed.
struct SoundArguments {
  bool off = false;
  double volume_percent = 100;
  std::string host;  ///< "" = this machine
};

void add_sound_options(CLI::App& command, SoundArguments& arguments);

/// Puts what they ask for into `options`, whose wall is there. Returns the scene's volume. Throws
/// InputError naming the option.
[[nodiscard]] double apply_sound_options(const SoundArguments& arguments,
                                         SupervisorOptions& options);

}  // namespace tilewall
