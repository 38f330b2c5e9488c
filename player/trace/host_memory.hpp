// The memory of a show's processes on a host: a number in a file of the run directory. The host
// service writes it once a second; the host's panels read and report it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tilewall::trace {

/// Path of this host's file.
[[nodiscard]] std::filesystem::path host_memory_file(const std::filesystem::path& run_dir);

/// Replaces the number. One that cannot be written is lost, and the show goes on.
void write_host_memory(const std::filesystem::path& file, std::uint64_t bytes) noexcept;

/// The number; empty where there is no file, or none with a number.
[[nodiscard]] std::optional<std::uint64_t> read_host_memory(const std::filesystem::path& file);

}  // namespace tilewall::trace
