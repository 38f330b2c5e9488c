// Finds out a movie's size, rate and length. It runs in a process of its own, because files may be
// hostile.
#pragma once

#include <string>

namespace tilewall::movie {

/// Prints one JSON object on standard output: "width_px", "height_px", "fps" [num, den], "frames",
/// "picture_bytes" (of one picture in shared memory) and "sound", or {"error": LINE}. Limits memory
/// and CPU time of the whole process. Returns the exit code.
int print_probe(const std::string& file);

}  // namespace tilewall::movie
