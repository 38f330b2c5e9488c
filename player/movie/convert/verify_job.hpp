// Checks every block of every frame of a wall movie, or every picture of another source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "player/movie/convert/progress_sink.hpp"

namespace tilewall::movie {

struct VerifyResult {
  std::int64_t checked_frames = 0;
  std::int64_t missing_frames = 0;
  std::int64_t damaged_frames = 0;
  std::vector<std::string> problems;  ///< one line each, at most max_problems
  std::int64_t more_problems = 0;     ///< Their number, where there are more than have lines.
  static constexpr std::size_t max_problems = 100;
};

/// Decodes all levels on one thread per core. Throws InputError for the manifest, JobError when
/// stopped.
VerifyResult verify_movie(const std::filesystem::path& folder, const std::stop_token& stop,
                          ProgressSink& progress);

/// Decodes every picture of a movie or of images, on one thread per core: as an import would, and
/// images as panels would besides. Throws InputError where an import would refuse the source,
/// JobError when stopped.
VerifyResult verify_source(const std::vector<std::string>& inputs, const std::stop_token& stop,
                           ProgressSink& progress);

}  // namespace tilewall::movie
