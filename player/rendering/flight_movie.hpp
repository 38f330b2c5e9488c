// A wall movie of a flight through a volume: what `tilewall render` writes.
//
// The frames go the way of an import's (player/movie/convert): the folder is the state, so the same
// call goes on where an interrupted one ended, and a changed path, volume or look is refused.
#pragma once

#include <stop_token>
#include <string>

#include "player/movie/convert/import_job.hpp"
#include "player/path/path_file.hpp"
#include "player/path/style_at.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/volume_job.hpp"

namespace tilewall::rendering {

struct FlightMovie {
  path::PathFile path;
  std::string path_file;  ///< its name, for the manifest and messages
  volume::VolumeJob volume;
  std::string volume_identity;  ///< tells whether it is still the same volume
  path::KeyStyles styles;       ///< one for each key of the path
  std::int64_t timestep = 0;    ///< Shown where no key of the path has a timestep
  SizePx size_px;               ///< Size of the whole picture
  int rays_across = 1;  ///< Number of rays along each side of a pixel, 1 to most_rays_across
  Rational fps{24, 1};
  int threads = 1;
};

inline constexpr int most_rays_across = 4;
inline constexpr int most_rays_a_side = volume::max_picture_side_px;  ///< Limit for a picture
inline constexpr double most_rays = 1 << 29;  ///< Limit for a picture, so that it fits 2 GiB

/// What a whole rendering is expected to take.
struct FlightEstimate {
  std::int64_t frames = 0;
  std::int64_t sampled_frames = 0;  ///< that were rendered for it, spread over the flight
  double seconds = 0;
  double error_s = 0;  ///< standard error of the seconds
  double bytes = 0;
};

/// Renders frames for a few seconds, into a folder beside options.output that is removed again.
/// Throws as render_flight() does.
[[nodiscard]] FlightEstimate estimate_flight(const FlightMovie& flight,
                                             const movie::ImportOptions& options,
                                             movie::ProgressSink& progress);

/// Renders the flight into options.output. Of `options` the inputs are not used, nor fps.
/// Throws what import_movie() throws, and InputError for the path or the volume.
movie::ImportResult render_flight(const FlightMovie& flight, const movie::ImportOptions& options,
                                  movie::ProgressSink& progress);

}  // namespace tilewall::rendering
