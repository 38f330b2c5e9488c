// The demo's own volume: a small universe of filaments and halos, written as an ordinary file, so
// that the demo takes the whole way a user's volume takes.
#pragma once

#include <filesystem>

namespace tilewall {

/// Computes the volume unless `file` is there already; a second of work. Throws JobError where it
/// cannot be written; no half-made file stays.
void make_demo_volume(const std::filesystem::path& file);

}  // namespace tilewall
