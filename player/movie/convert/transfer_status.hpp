// A running import or rendering writes its status into a file of its folder, where `tilewall info`
// finds it, and consoles, which find the folder by the command's note (BusyFolder).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/progress_sink.hpp"
#include "player/movie/frames/manifest.hpp"

namespace tilewall::movie {

/// The file has this name. The job removes it at its end; one that a killed job has left is
/// ignored.
inline constexpr std::string_view status_file_name = "status.json";
/// The same holds for the file of the newest frame, in some hundred pixels. Images of more than
/// huge_from_px have none.
inline constexpr std::string_view status_picture_name = "status.png";

/// The status of one of a job's processes.
struct WorkerStatus {
  std::string name;                   ///< A name for people
  std::string state;                  ///< It is a word or two, such as "draws".
  std::optional<std::int64_t> frame;  ///< It has worked on this one longest; empty: on none.
  std::int64_t stored = 0;            ///< Number of frames that it has stored
};

struct TransferStatus {
  TransferProgress progress;
  double per_s = 0;                   ///< The mean rate since the job began, in progress.unit.
  std::optional<double> left_s;       ///< It is empty where the time left is unknown.
  std::vector<WorkerStatus> workers;  ///< It is empty where the job is one process.
};

/// Tells once a second how fast a job is, and how long it will take. It belongs to one thread.
class TransferPace {
 public:
  /// Returns whether a second has passed since the last next(), or there was none.
  [[nodiscard]] bool is_due() const { return SteadyClock::now() >= due_; }
  [[nodiscard]] TransferStatus next(const TransferProgress& progress,
                                    std::vector<WorkerStatus> workers);

 private:
  using SteadyClock = std::chrono::steady_clock;
  SteadyClock::time_point began_ = SteadyClock::now();
  SteadyClock::time_point due_ = began_;
  std::int64_t done_at_begin_ = -1;  // It is -1 before the first next().
};

/// How the frames of a folder are stored.
struct PicturedFrames {
  MovieManifest movie;
  FrameFiles files = FrameFiles::movie;
};

/// Keeps the file up to date. It belongs to one thread.
class StatusFile {
 public:
  /// `frames`: those of which the newest one is shown; empty: none.
  StatusFile(std::filesystem::path folder, std::optional<PicturedFrames> frames);
  ~StatusFile();  ///< Removes the files.
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;

  /// Returns whether a second has passed since the last update(), or there was none.
  [[nodiscard]] bool is_due() const { return pace_.is_due(); }
  /// Writes the files, and passes the status to `sink`. A disk that is full is no error here.
  void update(const TransferProgress& progress, std::vector<WorkerStatus> workers,
              ProgressSink& sink);

 private:
  void write_picture(std::int64_t frame) const;

  const std::filesystem::path folder_;
  const std::optional<PicturedFrames> frames_;
  TransferPace pace_;
  std::int64_t pictured_ = -1;                           // It is the frame of the picture, or -1.
  std::chrono::steady_clock::time_point picture_due_{};  // No picture is made before it.
};

/// Keeps the file up to date, and passes all reports on.
class StatusSink final : public ProgressSink {
 public:
  /// The sink `to` outlives this one.
  StatusSink(const std::filesystem::path& folder, std::optional<PicturedFrames> frames,
             ProgressSink& to)
      : file_(folder, std::move(frames)), to_(to) {}
  void update(const TransferProgress& progress) override;
  void status(const TransferStatus& status) override { to_.status(status); }
  void note(const std::string& line) override { to_.note(line); }

 private:
  StatusFile file_;
  ProgressSink& to_;
};

/// Passes all reports on, with a status once a second, for a job whose output has no room for the
/// file.
class PacedSink final : public ProgressSink {
 public:
  /// The sink `to` outlives this one.
  explicit PacedSink(ProgressSink& to) : to_(to) {}
  void update(const TransferProgress& progress) override;
  void note(const std::string& line) override { to_.note(line); }

 private:
  TransferPace pace_;
  ProgressSink& to_;
};

/// Returns the status of the job that writes into the folder now. It is empty where none does, or
/// where the job has not got that far.
[[nodiscard]] std::optional<TransferStatus> running_status(const std::filesystem::path& folder);

}  // namespace tilewall::movie
