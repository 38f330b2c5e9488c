// What OpenGL can do on this host's display, found out once by a process of its own: asking costs
// as much as a panel's whole start, and a driver that crashes hits nothing else.
#pragma once

#include <filesystem>

#include "player/present/presenter.hpp"

namespace tilewall {

/// Probes and writes the answer to `file`. Returns the exit code.
int write_gl_probe(const std::filesystem::path& file);

/// Runs `tilewall-panel --probe-gl` and reads its answer from `file`. Not usable where the process
/// fails or takes longer than a few seconds.
[[nodiscard]] GlProbe run_gl_probe(const std::filesystem::path& file);

}  // namespace tilewall
