// Imports foreign files in a confined child process, with progress on stderr.
#pragma once

#include <functional>
#include <string>

#include "player/movie/convert/import_job.hpp"

namespace tilewall::command {

/// Imports as movie::import_movie() does, and returns what `answer` makes of the result in the
/// child. `title` names the job in its progress. Throws InputError and JobError.
std::string import_confined(const movie::ImportOptions& options, const std::string& title,
                            const std::function<std::string(const movie::ImportResult&)>& answer);

}  // namespace tilewall::command
