// Reads a file from the disk in one of several ways, and measures the time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tilewall::bench {

enum class ReadEngine {
  cached,    ///< pread, the file in the page cache
  buffered,  ///< pread through the page cache, which is empty at first
  direct,    ///< pread past the page cache (O_DIRECT)
  ring       ///< io_uring past the page cache, several reads in flight
};
[[nodiscard]] const char* to_string(ReadEngine engine) noexcept;

struct ReadPattern {
  ReadEngine engine = ReadEngine::buffered;
  std::size_t size_bytes = 0;  ///< Size of one read; a multiple of 4096
  int depth = 1;               ///< Reads in flight; 1 except for `ring`
};

struct ReadTimes {
  std::uint64_t bytes = 0;
  double wall_s = 0;
  double cpu_s = 0;                ///< CPU time of the process
  std::vector<double> latency_ms;  ///< Latencies of single reads
};

/// Writes `bytes` of noise, down to the disk. Throws JobError.
void write_disk_file(const std::filesystem::path& file, std::uint64_t bytes);

/// Takes the file's pages out of the page cache, as far as they are clean.
void drop_from_page_cache(const std::filesystem::path& file);

/// Reads the whole file once, in reads at places in random order. Throws JobError (file, no
/// O_DIRECT here, no io_uring here).
[[nodiscard]] ReadTimes measure_reading(const std::filesystem::path& file,
                                        const ReadPattern& pattern);

// One panel of a wall movie drawn from the page cache, from the disk, and from the disk read ahead.

/// Frames per second, one thread, medians.
struct PanelFromDisk {
  double cached_fps = 0;
  double cold_fps = 0;  ///< Frames per second with no page of the movie in memory
  /// Frames per second when each frame is requested while the one before is decoded.
  double read_ahead_fps = 0;
};

/// Writes a wall movie of a 2x1 wall of 2560x1600 into `folder` and draws its first panel, by
/// turns. Throws JobError.
[[nodiscard]] PanelFromDisk measure_panel_from_disk(const std::filesystem::path& folder, int runs);

}  // namespace tilewall::bench
