// The movie of `tilewall demo`: a flight around a galaxy, painted by the program and encoded as an
// ordinary video, so that it takes the same way as a user's movie.
#pragma once

#include <filesystem>
#include <stop_token>

namespace tilewall::command {

/// Paints and encodes the movie with a progress bar, unless `file` exists already. Throws JobError
/// (not writable, stopped), and then leaves no half-made file.
void make_demo_movie(const std::filesystem::path& file, const std::stop_token& stop);

}  // namespace tilewall::command
