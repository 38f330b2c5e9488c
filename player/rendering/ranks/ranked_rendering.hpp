// Renders a flight by several processes, its ranks, on this machine or on all hosts of a wall.
//
// Each rank opens the volume itself and writes files of frames into the movie's folder, which all
// hosts share. This process draws nothing: it plans the movie from pictures that a rank has drawn,
// gives out frames, and starts ranks again that end.
#pragma once

#include "player/movie/convert/import_job.hpp"
#include "player/rendering/flight_movie.hpp"
#include "player/rendering/ranks/rank_crew.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::rendering {

/// Renders the flight into options.output, with the bytes of render_flight(). A rank that ends is
/// started again; one that cannot draw this flight, or only with other rounding, is left out, with
/// a line. Throws as render_flight() does, and JobError where no rank is left.
///
/// Threads: the caller's, which starts no other; the calling process may have none that holds a
/// lock, as ranks are forked from it.
movie::ImportResult render_by_ranks(const FlightMovie& flight, const movie::ImportOptions& options,
                                    const wall::Wall& wall, const RankOptions& ranks,
                                    movie::ProgressSink& progress);

}  // namespace tilewall::rendering
