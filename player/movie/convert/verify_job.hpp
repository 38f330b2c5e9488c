// Checks every block of every frame of a wall movie, or every picture of another source.
//
// Threads: one per core checks; the caller's thread waits and reports.
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
  std::int64_t lost_sounds = 0;  ///< audio files that a wall movie names, missing or unreadable
  std::vector<std::string> problems;  ///< one line each, at most max_problems
  std::int64_t more_problems = 0;     ///< number of problems without a line
  static constexpr std::size_t max_problems = 100;
};

/// Decodes all levels of a wall movie. Throws InputError for the manifest, JobError when stopped.
VerifyResult verify_movie(const std::filesystem::path& folder, const std::stop_token& stop,
                          ProgressSink& progress);

/// Decodes every picture of a movie or of images as an import does, and images also as panels do.
/// Throws InputError if an import would refuse the source, JobError when stopped.
VerifyResult verify_source(const std::vector<std::string>& inputs, const std::stop_token& stop,
                           ProgressSink& progress);

}  // namespace tilewall::movie
