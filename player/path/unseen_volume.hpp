// Where a flight has no part of a volume in its picture.
//
// Threads: free functions without state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "player/path/path_file.hpp"
#include "render/path/flight_path.hpp"
#include "render/volume/orbit.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::path {

/// What is shown of a camera's picture plane: from the picture's middle to the right and down, in
/// heights of the picture.
struct ShownPicture {
  RectF whole;                ///< the picture, which parallel rays fill
  std::optional<RectF> seen;  ///< by rays from the eye; empty: they see more than a plane holds
};

/// A flat picture `aspect` times as wide as high.
[[nodiscard]] ShownPicture flat_picture(double aspect);

/// The usual picture where no wall is known.
inline constexpr double usual_aspect = 16.0 / 9;

/// Whether a part of the box is in the camera's picture, whatever is drawn of it there.
[[nodiscard]] bool is_in_picture(const render::WorldBox& box, const render::VolumeCamera& camera,
                                 const ShownPicture& picture);

/// A part of a flight, in seconds from its begin.
struct UnseenStretch {
  double from_s = 0;
  double to_s = 0;
};

/// The parts of a flight, by 60 looks a second or 20,000 in all, in which no part of the box is in
/// the picture.
[[nodiscard]] std::vector<UnseenStretch> unseen_stretches(const render::FlightPath& flight,
                                                          const render::WorldBox& box,
                                                          const ShownPicture& picture);

/// A line for people about the keys and the times without any part of the volume in the picture; ""
/// where there are none.
[[nodiscard]] std::string unseen_remark(const render::FlightPath& flight, const std::string& file,
                                        const render::WorldBox& box, const ShownPicture& picture);

}  // namespace tilewall::path
