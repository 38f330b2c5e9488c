// What a flight path is like: figures for people and programs, and a drawing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "player/path/path_file.hpp"
#include "player/path/unseen_volume.hpp"
#include "render/volume/orbit.hpp"

namespace tilewall::path {

/// Duration, length, speeds, turns and distances of the flight, and a row for each key. Lengths are
/// in world units. With the box of a volume also which keys and which times lie within it, and
/// those without any part of it in the picture.
[[nodiscard]] nlohmann::ordered_json path_report(
    const PathFile& path, const render::FlightPath& flight,
    const std::optional<render::WorldBox>& volume,
    const ShownPicture& picture = flat_picture(usual_aspect));

/// The report as lines for people.
[[nodiscard]] std::string path_report_text(const nlohmann::ordered_json& report);

/// An SVG document of the flight from above, from the front and from the right: the ways of eye and
/// of what it looks at, the lines of sight each second, the keys with their names, and the volume.
[[nodiscard]] std::string draw_path(const PathFile& path, const render::FlightPath& flight,
                                    const std::optional<render::WorldBox>& volume);

}  // namespace tilewall::path
