// Finds out a movie's size, rate and length, and how fast it is decoded. It runs in a process of
// its own, because files may be hostile.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tilewall::movie {

/// Prints one JSON object on standard output: "width_px", "height_px", "fps" [num, den], "frames",
/// "picture_bytes" (of one picture in shared memory) and "sound", or {"error": LINE}. Limits memory
/// and CPU time of the whole process. Returns the exit code.
int print_probe(const std::string& file);

/// Decodes the movie's pictures from frame `first_frame` on for the given time, from its beginning
/// again at its end. Prints one JSON object on standard output: "frames", "pixels" and "seconds"
/// that decoding took, or {"error": LINE}. Limits memory as print_probe() does. Returns the exit
/// code.
int print_decode_rate(const std::string& file, std::int64_t first_frame,
                      std::chrono::milliseconds time);

}  // namespace tilewall::movie
