// What a server of movies answers to the questions beside blocks, as its client takes it: see
// MovieShelf::call.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewall {

struct OpenAnswer {
  std::string manifest;           ///< text of movie.toml
  std::uint64_t sound_bytes = 0;  ///< of its sound; 0: it has none
};

/// Throws InputError naming the movie and the field that is missing or wrong.
[[nodiscard]] OpenAnswer parse_open_answer(const nlohmann::json& answer, const std::string& name);

/// The movies of a list, each with the fields that MovieShelf::call names. Throws InputError naming
/// `server`.
[[nodiscard]] nlohmann::json parse_list_answer(const nlohmann::json& answer,
                                               const std::string& server);

}  // namespace tilewall
