// Imports foreign files in a confined child process, which also reports the progress.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "player/movie/convert/import_job.hpp"

namespace tilewall::command {

/// Imports as movie::import_movie() does, and returns what `answer` makes of the result in the
/// child. The child calls `progress` for its sink. Throws InputError and JobError.
std::string import_confined(const movie::ImportOptions& options,
                            const std::function<std::unique_ptr<movie::ProgressSink>()>& progress,
                            const std::function<std::string(const movie::ImportResult&)>& answer);

}  // namespace tilewall::command
