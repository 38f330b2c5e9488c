// How a flight is known in the manifest of its movie, so that only the same rendering continues it.
//
// Threads: free functions without state.
#pragma once

#include <string>

#include "player/movie/convert/import_job.hpp"
#include "player/rendering/flight_movie.hpp"

namespace tilewall::rendering {

/// The flight as the source of an import. `drawn_by`: FramePainter::drawn_by(), as the same kernels
/// draw the same bytes, and others may round differently. Throws InputError naming the logo's file
/// if it cannot be read.
[[nodiscard]] movie::StoredSource source_of(const FlightMovie& movie, const std::string& drawn_by);

/// Throws InputError where the folder of `options` has frames of another flight than `source`,
/// unless they are to be overwritten. The line names the manifest, what has changed, and the
/// remedy.
void check_same_flight(const movie::ImportOptions& options, const movie::StoredSource& source);

}  // namespace tilewall::rendering
