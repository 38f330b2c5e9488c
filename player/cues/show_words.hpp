// The keys and words of show files, for their reader and their writer. Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "player/cues/show_file.hpp"

namespace tilewall::cues {

inline constexpr std::string_view missing_words[] = {"refuse", "placeholder", "skip"};
inline constexpr std::string_view blend_words[] = {"over", "difference"};
inline constexpr std::string_view bare_loop_words[] = {"once", "forever", "ping_pong"};
inline constexpr std::string_view compare_words[] = {"side_by_side", "swipe", "difference", "off"};

/// Places of a region: the key of each Place::Unit, in their order.
inline constexpr std::string_view place_keys[] = {"place_px", "place_mm", "place", "panels"};

/// An option of `view` that a region may have.
struct VolumeOption {
  enum class Kind { text, flag, list, json };  ///< list: one or more texts
  std::string_view key;                        ///< in the file
  std::string_view name;                       ///< in RegionEntry::volume
  Kind kind = Kind::text;
};
inline constexpr VolumeOption volume_options[] = {{"dataset", "dataset"},
                                                  {"component", "component"},
                                                  {"level", "level"},
                                                  {"axis", "axis", VolumeOption::Kind::list},
                                                  {"levels", "levels"},
                                                  {"time", "time"},
                                                  {"stretch", "stretch"},
                                                  {"field", "field"},
                                                  {"live_listen", "live_listen"},
                                                  {"live_policy", "live_policy"},
                                                  {"live_wait", "live_wait"},
                                                  {"quantise", "quantise"},
                                                  {"tf", "tf"},
                                                  {"range", "range"},
                                                  {"scale", "scale"},
                                                  {"low", "low"},
                                                  {"mode", "mode"},
                                                  {"iso", "iso"},
                                                  {"step", "step"},
                                                  {"tf_opacity", "opacity"},
                                                  {"lit", "lit", VolumeOption::Kind::flag},
                                                  {"clip", "clip"},
                                                  {"plane", "plane", VolumeOption::Kind::list},
                                                  {"camera", "camera"},
                                                  {"from", "from"},
                                                  {"lens", "lens"},
                                                  {"fov", "fov"},
                                                  {"up", "up"},
                                                  {"background", "background"},
                                                  {"axes", "axes", VolumeOption::Kind::flag},
                                                  {"bar", "bar", VolumeOption::Kind::flag},
                                                  {"label", "label", VolumeOption::Kind::flag},
                                                  {"annotate", "annotate"},
                                                  {"box", "box", VolumeOption::Kind::flag},
                                                  {"ruler", "ruler", VolumeOption::Kind::flag},
                                                  {"title", "title"},
                                                  {"date", "date"},
                                                  {"letters", "letters"},
                                                  {"look", "look", VolumeOption::Kind::json}};
/// Options about the part of an input that is read. The others say how it is drawn.
inline constexpr std::string_view reading_options[] = {
    "dataset", "component", "level",       "axis",        "levels",    "time",
    "stretch", "field",     "live_listen", "live_policy", "live_wait", "quantise"};
/// Between several values of an option in RegionEntry::volume.
inline constexpr char list_separator = ';';

/// "cut", "fade 1.5", "through_black 2".
[[nodiscard]] std::string to_text(const Transition& transition);
[[nodiscard]] std::optional<Transition> transition_from(std::string_view text);

/// "after 5", "at end", "at 20:15:00".
[[nodiscard]] std::string to_text(const Follow& follow);
[[nodiscard]] std::optional<Follow> follow_from(std::string_view text);

/// The shortest decimal number that reads back as the same double.
[[nodiscard]] std::string number_text(double value);

}  // namespace tilewall::cues
