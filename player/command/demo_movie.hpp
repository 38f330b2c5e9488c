// The demo's own movie: a flight around a galaxy, painted by the project and encoded as an ordinary
// video, so that the demo takes the whole way a user's movie takes.
#pragma once

#include <filesystem>
#include <stop_token>

namespace tilewall::command {

/// Paints and encodes the movie unless `file` is there already, with a progress bar. Throws
/// JobError (not writable, stopped); no half-made file stays.
void make_demo_movie(const std::filesystem::path& file, const std::stop_token& stop);

}  // namespace tilewall::command
