#include "player/host/pid_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "sync/base/file.hpp"

namespace tilewall {

void note_pid(const std::filesystem::path& file, pid_t pid) noexcept try {
  write_file_atomically(file, fmt::format("{}\n", pid));
} catch (const std::exception& error) {
  std::fprintf(stderr, "tilewall: %s\n", error.what());
}

}  // namespace tilewall
