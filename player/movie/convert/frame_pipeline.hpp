// The parallel middle of an import: pictures in, frame files out.
//
//   reading thread: FrameFetcher::next() -> queue (bounded by the pictures' bytes) -> workers:
//   load, convert, write. The first exception of any thread stops all and is thrown by run().
#pragma once

#include <atomic>
#include <cstdint>

#include "player/movie/convert/frame_fetcher.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/import_plan.hpp"

namespace tilewall::movie {

struct PipelineResult {
  std::int64_t frames = 0;  ///< of the whole movie, those that were there already included
  std::int64_t written_frames = 0;
  std::uint64_t written_bytes = 0;
};

/// Stores every frame of the plan that the folder lacks. Returns when all threads have ended.
/// Throws what they threw, or JobError when `stop` was requested.
PipelineResult run_pipeline(const ImportPlan& plan, const ImportFolder& folder,
                            FrameFetcher& fetcher, const ImportOptions& options,
                            ProgressSink& progress);

}  // namespace tilewall::movie
