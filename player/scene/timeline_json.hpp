// Timelines, tick grids and shown ticks as JSON, in scenes and in what a director keeps of a show.
//
// Threads: these are free functions without state. Those that read throw InputError naming the
// field that is missing or wrong.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sync/base/rational.hpp"
#include "sync/timeline/shown_ticks.hpp"
#include "sync/timeline/timeline.hpp"

namespace tilewall::scene {

inline constexpr std::string_view loop_mode_names[] = {"once", "loop", "ping_pong"};

/// [num, den]
[[nodiscard]] nlohmann::json to_json(Rational value);
[[nodiscard]] Rational rational_field(const nlohmann::json& object, const char* field);

/// An instant in nanoseconds, within 2^62 ns of the epoch.
[[nodiscard]] GlobalInstant instant_field(const nlohmann::json& object, const char* field);

[[nodiscard]] nlohmann::json to_json(const sync::Timeline& timeline);
[[nodiscard]] sync::Timeline timeline_from_json(const nlohmann::json& json);

[[nodiscard]] nlohmann::json to_json(const sync::TickGrid& tick_grid);
[[nodiscard]] sync::TickGrid tick_grid_from_json(const nlohmann::json& json);

/// The strides, each as [from, first, every].
[[nodiscard]] nlohmann::json to_json(const sync::ShownTicks& ticks);
[[nodiscard]] sync::ShownTicks shown_ticks_field(const nlohmann::json& object, const char* field);

}  // namespace tilewall::scene
