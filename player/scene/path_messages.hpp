// What the supervisor tells the console about the flight path that a show keeps, in a file of the
// run directory. It writes the file anew with each change.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewall::scene {

/// Name of the file. A show that keeps no path has none.
inline constexpr const char* kept_path_file = "flight-path.json";

/// The path, and what became of the operators' orders about it.
struct KeptPath {
  std::string file;           ///< absolute path of the PATH.toml, which may not exist yet
  bool is_previewed = false;  ///< the wall flies the path
  std::uint64_t answers = 0;  ///< answers since the show began
  std::string answer;         ///< newest answer to an order, for people; "" = none yet
  bool has_failed = false;    ///< whether that order has failed
  bool operator==(const KeptPath&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const KeptPath& path);
/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] KeptPath kept_path_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
