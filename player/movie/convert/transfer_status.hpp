// What a running import or rendering tells about itself, in a file of its folder, for whoever asks
// by `tilewall info`, and for consoles, which find the folder by a note (BusyFolder).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/movie/convert/progress_sink.hpp"
#include "sync/base/busy_folder.hpp"

namespace tilewall::movie {

/// Name of the file. It goes when the job ends; one that a killed job has left counts for nothing.
inline constexpr std::string_view status_file_name = "status.json";

/// What one of a job's processes does.
struct WorkerStatus {
  std::string name;                   ///< for people
  std::string state;                  ///< a word or two
  std::optional<std::int64_t> frame;  ///< that it has worked on longest
  std::int64_t stored = 0;            ///< frames
};

struct TransferStatus {
  TransferProgress progress;
  double per_s = 0;                   ///< of progress.unit; since the job began
  std::optional<double> left_s;       ///< empty: unknown
  std::vector<WorkerStatus> workers;  ///< empty: the job is one process
};

/// Keeps the file up to date, and the note about its folder. Threads: one owner.
class StatusFile {
 public:
  explicit StatusFile(const std::filesystem::path& folder);
  ~StatusFile();  ///< removes the file
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;

  /// Whether a second has passed since the last update(), or there was none.
  [[nodiscard]] bool is_due() const;
  /// Writes the file. A disk that is full is no error here.
  void update(const TransferProgress& progress, std::vector<WorkerStatus> workers);

 private:
  using SteadyClock = std::chrono::steady_clock;
  const std::filesystem::path file_;
  SteadyClock::time_point began_;
  SteadyClock::time_point due_;
  std::int64_t done_at_begin_ = -1;  // -1: before the first update
  const BusyFolder note_;
};

/// A sink that keeps the file up to date, and passes all on.
class StatusSink final : public ProgressSink {
 public:
  /// `to` outlives this.
  StatusSink(const std::filesystem::path& folder, ProgressSink& to) : file_(folder), to_(to) {}
  void update(const TransferProgress& progress) override;
  void note(const std::string& line) override { to_.note(line); }

 private:
  StatusFile file_;
  ProgressSink& to_;
};

/// The status of the job that writes into the folder now; empty where none does, or it has not got
/// that far.
[[nodiscard]] std::optional<TransferStatus> running_status(const std::filesystem::path& folder);

}  // namespace tilewall::movie
