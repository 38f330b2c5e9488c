// The folder of a rendering by ranks, which all hosts share: its lock, which frames are there, the
// space that is left, and what `tilewall info` finds there.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/movie/convert/progress_sink.hpp"
#include "player/movie/convert/transfer_status.hpp"

namespace tilewall::rendering {

class RankedFolder {
 public:
  /// Locks the folder and puts the token into it, unless the movie is complete. `options` outlives
  /// this. `least_measured_frames`: the function of frame_pipeline.hpp. Throws as ImportFolder
  /// does.
  RankedFolder(const movie::ImportOptions& options, movie::ImportPlan plan,
               std::int64_t least_measured_frames);
  ~RankedFolder();  ///< removes the token
  RankedFolder(const RankedFolder&) = delete;
  RankedFolder& operator=(const RankedFolder&) = delete;

  [[nodiscard]] const movie::ImportPlan& plan() const noexcept { return plan_; }
  /// Whether the movie was complete before.
  [[nodiscard]] bool was_complete() const noexcept { return result_.already_complete; }
  /// The file by which ranks see that their folder is this one. Its name is that of a killed
  /// writer's leftovers, and it goes with these.
  [[nodiscard]] std::string token_name() const;

  /// Throws JobError where the frames that are missing do not fit on the disk.
  void require_space(double frame_bytes) const;

  /// Saves the manifest of the movie that begins or goes on. Returns the numbers of the frames that
  /// are missing.
  [[nodiscard]] std::vector<std::int64_t> begin();

  /// Counts a frame that a rank has stored.
  void add(std::int64_t frame, std::uint64_t bytes);

  /// Frames that are there, of how many. @pre after begin()
  [[nodiscard]] movie::TransferProgress progress() const;

  /// Whether the file for `tilewall info` is to be written again. @pre after begin()
  [[nodiscard]] bool is_status_due() const { return status_->is_due(); }
  /// Writes it, and passes it to `sink`.
  void write_status(std::vector<movie::WorkerStatus> workers, movie::ProgressSink& sink);

  /// Looks now and then whether the rest will fit on the disk, by the frames that were written.
  /// Throws JobError where it does not.
  void watch_space(double now_s);

  /// Marks the movie as complete. @pre all frames are there, and no rank runs
  [[nodiscard]] movie::ImportResult finish(double duration_s);

 private:
  const movie::ImportOptions& options_;
  movie::ImportPlan plan_;
  const std::int64_t least_measured_frames_;
  movie::ImportFolder folder_;
  const std::uint64_t token_;
  std::optional<movie::StatusFile> status_;
  std::int64_t already_there_ = 0;  // frames of an earlier run
  std::int64_t newest_ = -1;        // frame that was stored last
  movie::ImportResult result_;
  double check_space_at_s_ = 0;
};

}  // namespace tilewall::rendering
