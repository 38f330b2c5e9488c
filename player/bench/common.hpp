// Helpers that all benchmarks share: the header of a report, medians, and a scratch folder.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace tilewall::bench {

// What every benchmark reports beside its figures: the machine, the commit, and the spread of its
// runs.

/// Limit of a show's --report, which has the hashes of thousands of frames.
inline constexpr std::size_t max_report_bytes = std::size_t{1} << 30;
/// Greatest argument of `play --fps`.
inline constexpr int max_play_fps = 1000;
/// Quality of JPEG tiles in movies that benchmarks make, from 1 to 100 as in libjpeg.
inline constexpr int bench_jpeg_quality = 85;

/// {`median`, `p95`} of the runs, the value that 95 % of them do not exceed. @pre not empty
[[nodiscard]] nlohmann::json median_and_p95(std::vector<double> runs);

/// @pre not empty
[[nodiscard]] double median(std::vector<double> runs);

/// CPU seconds of this process so far, all threads.
[[nodiscard]] double process_cpu_s();

/// A port of 127.0.0.1 that nobody listens at just now.
[[nodiscard]] int free_port();

/// The commit that the build was configured from, or "unknown".
[[nodiscard]] const char* source_commit() noexcept;

/// {`machine`: {`cpu`, `cores`, `memory_bytes`}, `commit`, `runs`}.
[[nodiscard]] nlohmann::json bench_header(int runs);

/// A new folder that is removed again with all it holds.
class ScratchFolder {
 public:
  /// In `parent`; "" = the system's temporary folder. Throws JobError.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewall::bench
