// A wall's status as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tilewall {

struct StatusStyle {
  bool verbose = false;   ///< all engineering figures, and every item of a list
  bool coloured = false;  ///< the light, by the escape sequences of terminals
};

/// The answer to a "status" request: the light with its reasons first, what is shown, the counts of
/// the show, and the panels with trouble. Verbose: regions, skew, volumes and every panel, the
/// worst first.
[[nodiscard]] std::string status_text(const nlohmann::json& status, const StatusStyle& style);

/// "2 of 5: Big Buck Bunny (bbb.mp4)": the item of a playlist, counted from 1. `playlist` is that
/// of a region's status.
[[nodiscard]] std::string item_text(const nlohmann::json& playlist);

/// Whether standard output is a terminal that may show colours (NO_COLOR is not set).
[[nodiscard]] bool colours_wanted();

}  // namespace tilewall
