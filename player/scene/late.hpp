// What panels and the director tell each other of frames that came late.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace tilewall::scene {

/// Why frames were late, or what was done about it.
enum class LateCause {
  decode,         ///< the panel had not drawn the picture by its instant, or left it out for that
  decoder,        ///< the host's decoder of an ordinary movie was behind
  swap,           ///< the picture was there, and swapped late all the same
  stalled,        ///< the panel gave no sign of life
  gone,           ///< the panel had died, and was not back yet
  released_late,  ///< late policy slow: the wall waited for this panel
  level_down,     ///< late policy lower: all panels show less detail from now on
  level_up,       ///< and more again
  fewer_ticks,    ///< all panels leave out more ticks from now on
  more_ticks,     ///< and fewer again
};

/// "decode", "released late", ...
[[nodiscard]] std::string_view to_string(LateCause cause) noexcept;
[[nodiscard]] std::optional<LateCause> parse_late_cause(std::string_view text) noexcept;

/// A panel's late frames so far, by cause.
struct LateCounts {
  std::uint64_t decode = 0;
  std::uint64_t decoder = 0;
  std::uint64_t swap = 0;
};

/// How long the panel takes for a picture, since the detail last changed.
struct DrawPace {
  int coarser_by = 0;          ///< Scene::coarser_by of these pictures
  std::uint64_t pictures = 0;  ///< so many went into the mean, the last ones most
  std::int64_t mean_ns = 0;    ///< reading, decoding and composing, as time passes
  /// Of the newest pictures, those before the show's start included, with the wait for a processor
  /// before each of them; unlike the mean it ignores a single slow one.
  std::int64_t median_ns = 0;
  std::uint64_t median_of = 0;  ///< so many pictures went into the median
  std::int64_t cpu_ns = 0;      ///< the least computing time that one of them took in this process
  /// Of the drawing thread, over the newest pictures: how long it had a processor, and how long it
  /// could run but waited for one, as other work had them all.
  std::int64_t ran_ns = 0;
  std::int64_t waited_ns = 0;
};

[[nodiscard]] nlohmann::json to_json(const LateCounts& counts);
[[nodiscard]] nlohmann::json to_json(const DrawPace& pace);

// Each throws InputError naming the field that is missing or wrong.
[[nodiscard]] LateCounts late_counts_from_json(const nlohmann::json& json);
[[nodiscard]] DrawPace draw_pace_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
