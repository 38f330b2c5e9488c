// Messages of panels and director about late frames.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace tilewall::scene {

/// Causes of late frames, and measures against them.
enum class LateCause {
  /// The panel had not drawn the picture by its instant, or had skipped it for that reason.
  decode,
  decoder,        ///< The host's decoder of an ordinary movie was behind
  swap,           ///< The picture was ready, but was swapped late
  stalled,        ///< The panel did not report
  gone,           ///< The panel had died and was not back yet
  released_late,  ///< Late policy slow: the wall waited for this panel
  level_down,     ///< Late policy lower: all panels show less detail from now on
  level_up,       ///< Late policy lower: all panels show more detail again
  fewer_ticks,    ///< All panels skip more ticks from now on
  more_ticks,     ///< All panels skip fewer ticks again
};

/// Text for people, such as "decode" or "released late".
[[nodiscard]] std::string_view to_string(LateCause cause) noexcept;
[[nodiscard]] std::optional<LateCause> parse_late_cause(std::string_view text) noexcept;

/// A panel's late frames so far, by cause.
struct LateCounts {
  std::uint64_t decode = 0;
  std::uint64_t decoder = 0;
  std::uint64_t swap = 0;
};

/// Time that the panel takes for a picture, since the detail last changed.
struct DrawPace {
  int coarser_by = 0;  ///< Scene::coarser_by of the measured pictures
  /// Number of pictures in the mean, in which the last ones weigh most.
  std::uint64_t pictures = 0;
  std::int64_t mean_ns = 0;  ///< Mean elapsed time for reading, decoding and composing
  /// Median over the newest pictures, with the wait for a processor before each of them. Unlike the
  /// mean it ignores a single slow picture, and includes those before the show's start.
  std::int64_t median_ns = 0;
  std::uint64_t median_of = 0;  ///< Number of pictures in the median
  std::int64_t cpu_ns = 0;      ///< Least CPU time that one of them took in this process
  /// Time that the drawing thread had a processor over the newest pictures, and time that it waited
  /// for one because other work had them all.
  std::int64_t ran_ns = 0;
  std::int64_t waited_ns = 0;
};

[[nodiscard]] nlohmann::json to_json(const LateCounts& counts);
[[nodiscard]] nlohmann::json to_json(const DrawPace& pace);

// Each throws InputError naming the field that is missing or wrong.
[[nodiscard]] LateCounts late_counts_from_json(const nlohmann::json& json);
[[nodiscard]] DrawPace draw_pace_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
