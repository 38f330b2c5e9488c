// Flight paths of other programs.
//
// - nerfstudio's camera_path.json (camera-to-world matrices; the camera looks along -z, up is y;
//   "fov" is the angle of the picture's height). Its keyframes are read, or where it has none its
//   frames; both are written.
// - CSV: a line for each key. Columns by the names of a first line, among time_s, eye_x ... eye_z,
//   look_at_x ..., up_x ..., fov_deg; without names eye, look_at, up and fov_deg, of which the last
//   four may be missing.
// - ParaView's camera files (.pvcc), one camera each.
#pragma once

#include <string>
#include <vector>

#include "player/path/path_file.hpp"

namespace tilewall::path {

enum class PathFormat { toml, nerfstudio, csv, pvcc };

/// By the ending: .toml, .json, .csv, .pvcc. Throws InputError for another one.
[[nodiscard]] PathFormat path_format_of(const std::string& file);

/// Reads a path in any format; of several .pvcc files each is a key. Throws InputError naming the
/// file and what is wrong in it.
[[nodiscard]] PathFile read_any_path(const std::vector<std::string>& files);

/// The path's text in a format. `fps`: of the frames in nerfstudio's. Throws InputError for pvcc,
/// which has one camera alone, and for parallel rays in nerfstudio's and in CSV. There a stay is
/// two keys with one camera; timesteps, ease and stops without a stay are left out. @pre `flight`
/// is that of `path`
[[nodiscard]] std::string text_in(PathFormat format, const PathFile& path,
                                  const render::FlightPath& flight, double fps);

}  // namespace tilewall::path
