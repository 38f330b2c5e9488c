// Asks a running wall something over its control port.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace tilewall {

/// Which wall, and what lets us in.
struct WallAddress {
  std::filesystem::path run_dir;   ///< "" = the one wall of this user that runs here
  std::filesystem::path key_file;  ///< "" = the show's own key, from its run directory, or none
};

/// Sends the verb and returns the director's answer. Throws InputError (no such run directory,
/// several walls run, a key file that is none) or JobError (no wall runs, nobody answers, the key
/// is wrong).
[[nodiscard]] nlohmann::json ask_wall(const WallAddress& address, const std::string& verb);

}  // namespace tilewall
