// The parallel part of an import, from pictures to frame files.
//
//   reading thread: FrameFetcher::next() -> queue (bounded by the pictures' bytes) -> workers:
//   load, convert, write
//
// Threads: the caller's thread waits and reports. The first exception of any thread stops all of
// them, and run_pipeline() throws it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "player/movie/convert/frame_fetcher.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/source/picture_converter.hpp"

namespace tilewall::movie {

struct PipelineResult {
  std::int64_t frames = 0;  ///< frames of the whole movie, including those stored before
  std::int64_t written_frames = 0;
  std::uint64_t written_bytes = 0;
};

/// How many of the workers may have a picture at a time, which takes much memory as floats.
[[nodiscard]] int affordable_workers(FrameFiles files, SizePx size_px, int workers) noexcept;

/// How many frames have to be stored before their mean size tells whether the rest will fit on the
/// disk. Fewer are too uncertain, unless frames are made by rows: these were not measured before.
[[nodiscard]] std::int64_t least_measured_frames(bool is_by_rows) noexcept;

/// Makes files of frames, of the plan's kind. It keeps buffers for one picture.
///
/// Threads: one owner.
class FrameFileWriter {
 public:
  /// `plan` outlives this.
  explicit FrameFileWriter(const ImportPlan& plan);

  /// Converts the picture and writes the file. Returns its bytes. Throws JobError naming it.
  std::uint64_t write(const AVFrame& picture, const std::filesystem::path& file);

  /// Does the same for a picture whose rows are read one after the other. It is never in memory as
  /// a whole. @pre the plan is that of a movie
  std::uint64_t write(ImageRows& rows, const std::filesystem::path& file);

 private:
  const ImportPlan& plan_;
  PictureConverter converter_;
  FrameWriter writer_;
};

/// Mean bytes of a frame, measured by writing the samples into the folder and removing them again.
/// Throws JobError naming the file. @pre there is a sample
[[nodiscard]] double measure_frame_bytes(const ImportPlan& plan,
                                         const std::filesystem::path& folder,
                                         const std::vector<SharedFrame>& samples);

/// Stores every frame of the plan that the folder lacks. Returns when all threads have ended.
/// Throws the first exception of a thread, or JobError when options.stop was requested.
PipelineResult run_pipeline(const ImportPlan& plan, const ImportFolder& folder,
                            FrameFetcher& fetcher, const ImportOptions& options,
                            ProgressSink& progress);

}  // namespace tilewall::movie
