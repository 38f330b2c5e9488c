// A wall movie of a flight through a volume: what `tilewall render` writes.
//
// The frames go the way of an import's (player/movie/convert): the folder is the state, so the same
// call goes on where an interrupted one ended, and a changed path, volume or look is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/source/movie_info.hpp"
#include "player/path/path_file.hpp"
#include "player/path/style_at.hpp"
#include "player/rendering/flight_frame.hpp"
#include "player/rendering/frame_painter.hpp"

namespace tilewall::rendering {

struct FlightMovie {
  path::PathFile path;
  std::string path_file;  ///< its name, for the manifest and messages
  PictureJob pictures;
  std::string volume_identity;  ///< tells whether it is still the same volume
  path::KeyStyles styles;       ///< one for each key of the path
  std::int64_t timestep = 0;    ///< Shown where no key of the path has a timestep
  /// How long the shutter is open, as a share of the time of a frame: 0 to 1. It opens at the
  /// frame's instant.
  double shutter = 0;
  Rational fps{24, 1};
};

/// The movie as the source of an import. Throws InputError where it has too many frames.
[[nodiscard]] movie::MovieInfo info_of(const FlightMovie& movie, const render::FlightPath& flight);

/// Throws InputError naming the option or the key of a timestep that the volume does not have.
void check_timesteps(const FlightMovie& movie, std::int64_t timesteps);

/// Frame `number` of the flight, from 0, of a volume with so many timesteps.
[[nodiscard]] FlightFrame frame_at(const FlightMovie& movie, const render::FlightPath& flight,
                                   std::int64_t number, std::int64_t timesteps);

/// The frames by which chroma and space are judged before a movie of so many frames begins.
[[nodiscard]] std::vector<std::int64_t> sampled_frames(std::int64_t frames);

/// Renders the flight into options.output. Of `options` the inputs are not used, nor fps.
/// Throws what import_movie() throws, and InputError for the path or the volume.
movie::ImportResult render_flight(const FlightMovie& flight, const movie::ImportOptions& options,
                                  movie::ProgressSink& progress);

}  // namespace tilewall::rendering
