#include "player/trace/host_memory.hpp"

#include <fstream>

#include "sync/base/process.hpp"

namespace tilewall::trace {

std::filesystem::path host_memory_file(const std::filesystem::path& run_dir) {
  return run_dir / ("memory-" + host_name());
}

void write_host_memory(const std::filesystem::path& file, std::uint64_t bytes) noexcept try {
  const std::filesystem::path written = file.string() + ".new";
  {
    std::ofstream stream(written, std::ios::trunc);
    stream << bytes << '\n';
    if (!stream.flush()) return;
  }
  // Readers see the old number or the new one.
  std::error_code ignored;
  std::filesystem::rename(written, file, ignored);
} catch (const std::exception&) {
}

std::optional<std::uint64_t> read_host_memory(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::uint64_t bytes = 0;
  return stream >> bytes ? std::optional(bytes) : std::nullopt;
}

}  // namespace tilewall::trace
