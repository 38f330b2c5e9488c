// What a movie is, found out in a process of its own, because files may be hostile.
#pragma once

#include <string>

namespace tilewall::movie {

/// Prints one JSON object on standard output: the movie's size, rate, frames and what a picture
/// takes in memory, or {"error": LINE}. Limits its own memory and time. Returns the exit code.
int print_probe(const std::string& file);

}  // namespace tilewall::movie
