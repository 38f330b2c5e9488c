// `present --plan`: where the threads of a presentation run, and what panels need to get ready for
// the next cue.
#pragma once

#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "player/cli/present/present_options.hpp"

namespace tilewall::cli {

/// The plan of `play --plan` for the presentation's first cue, with "arming": {"pictures_bytes":
/// {HOST: bytes}}, the memory of the pictures that panels draw of the next cue beside the present
/// one; "" is this machine. Opens the inputs. Throws what present_options() throws.
[[nodiscard]] nlohmann::ordered_json present_plan(const PresentArguments& arguments,
                                                  const std::stop_token& stop);

/// The plan as text.
[[nodiscard]] std::string present_plan_text(const nlohmann::ordered_json& plan);

}  // namespace tilewall::cli
