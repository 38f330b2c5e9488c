// The cues of Sidecar, the operator's console of Blockbuster, as its .cues files have them.
//
// list_formats.hpp describes the format and the keys; a playlist and a show file are made from
// these.
//
// Threads: any; these are values and free functions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sync/base/error.hpp"
#include "sync/base/rational.hpp"

namespace tilewall::movie {

struct SidecarCue {
  InputPlace place;                            ///< file and line of its BEGINCUE
  std::string movie;                           ///< LoadMovie; "" = that of the cue before
  std::string name;                            ///< CueName as UTF-8; "" = none
  std::map<std::string_view, double> numbers;  ///< values of the known keys that it has

  [[nodiscard]] double number(std::string_view key, double otherwise) const {
    const auto found = numbers.find(key);
    return found == numbers.end() ? otherwise : found->second;
  }
  [[nodiscard]] std::int64_t whole(std::string_view key, std::int64_t otherwise) const {
    return static_cast<std::int64_t>(number(key, static_cast<double>(otherwise)));
  }
};

/// How Sidecar plays the movie of a cue. Frames are counted from 0.
struct SidecarPlay {
  std::int64_t first_frame = 0;
  std::optional<std::int64_t> end_frame;  ///< one after the last; empty: the movie's end
  std::int64_t current_frame = 0;         ///< where the first pass begins, within the range
  std::optional<Rational> fps;            ///< empty: the movie's own
  bool held = false;                      ///< the current frame is shown as a still
  bool for_ever = false;
  int times = 1;  ///< number of passes; 1 where it plays for ever
};

/// Reads the cues of a file. Throws InputError naming file and line.
[[nodiscard]] std::vector<SidecarCue> read_sidecar_cues(const std::filesystem::path& file);

/// Throws InputError naming file and line for a range that ends before it begins, and for a rate or
/// a number of passes that is too large.
[[nodiscard]] SidecarPlay play_of(const SidecarCue& cue);

/// The keys of the cue that have no effect in a playlist, and another value than their default.
[[nodiscard]] std::vector<std::string_view> ignored_keys(const SidecarCue& cue);

}  // namespace tilewall::movie
