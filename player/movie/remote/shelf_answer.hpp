// What a server answers to the questions beside blocks, as its client takes it: see
// MovieShelf::call, and VolumeShelf::call.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewall {

struct OpenAnswer {
  std::string manifest;           ///< text of movie.toml
  std::uint64_t sound_bytes = 0;  ///< of its sound; 0: it has none
};

/// Whether what was opened is a volume, not a movie.
[[nodiscard]] bool holds_volume(const nlohmann::json& answer);

/// Throws InputError naming the movie and the field that is missing or wrong.
[[nodiscard]] OpenAnswer parse_open_answer(const nlohmann::json& answer, const std::string& name);

/// The movies and volumes of a list: {"movies", "volumes"}, each with the fields that the shelves
/// name. Throws InputError naming `server`.
[[nodiscard]] nlohmann::json parse_list_answer(const nlohmann::json& answer,
                                               const std::string& server);

}  // namespace tilewall
