// Process numbers in files, for people and tests that look for a process.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace tilewall {

/// Best effort: without room for the file (a full run directory) there is none, and a line in the
/// log says so.
void note_pid(const std::filesystem::path& file, pid_t pid) noexcept;

}  // namespace tilewall
