// Cues as the director plays them: partial scenes, with opened sources and rectangles of the
// canvas; and their resolver, which gives the whole state of the wall in any cue.
//
// The resolver is a pure function of the cues up to one: a jump to a cue gives the same state as
// going there cue by cue.
//
// Threads: any; these are values and free functions.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/cues/show_file.hpp"
#include "player/scene/compare.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::cues {

/// How a region's timeline runs.
struct PlayState {
  std::int64_t start = 0;  ///< first frame shown, within [first, end)
  std::int64_t first = 0;  ///< the range that is played: [first, end)
  std::int64_t end = 1;
  sync::LoopMode loop = sync::LoopMode::once;
  std::int64_t rounds = 0;  ///< passes of the range before its last frame stays; 0: no limit
  Rational fps{24, 1};      ///< frame rate at normal speed, > 0
  Rational speed{1, 1};     ///< > 0
  bool backwards = false;
  bool hold = false;

  bool operator==(const PlayState&) const = default;
};

/// What a cue sets of one region. What is empty stays as it was, but a new source begins without
/// the view, look and slate of the one before.
struct RegionSetting {
  std::string name;
  bool removed = false;     ///< the region leaves the wall; then nothing else is set
  scene::SourcePtr source;  ///< null: the one it has
  std::optional<RectF> canvas_px;
  std::optional<RectF> view_px;
  std::optional<scene::FitMode> fit;
  std::optional<double> opacity;
  std::optional<scene::BlendMode> blend;
  std::optional<double> difference_gain;
  std::optional<std::string> group;
  /// Always set beside `source`; begins the region's timeline anew.
  std::optional<PlayState> play;
  std::optional<scene::VolumeLook> look;  ///< at rest
  double glide_s = 0;
  /// Text in place of pictures of an input that is missing; "" = none.
  std::string slate;
};

/// A comparison of the first region with a second movie.
struct CompareSetting {
  std::optional<scene::CompareMode> mode;  ///< empty: the comparison ends
  scene::SourcePtr source;                 ///< null: that of the comparison that is shown
  double line = 0.5;
  double gain = 1;
};

struct Cue {
  std::string name;
  std::string number;
  std::optional<std::string> note;  ///< text for the operator
  std::string colour;
  std::string section;  ///< the section that it belongs to; "" = none
  std::optional<bool> black;
  std::optional<CompareSetting> compare;
  std::optional<wall::BezelMode> bezels;
  std::optional<wall::ContentMode> content;
  std::optional<double> volume;
  std::optional<bool> mute;
  Transition transition;
  std::optional<Follow> follow;
  std::optional<std::string> next;  ///< name of the cue that comes next; empty: the next one
  std::vector<RegionSetting> regions;
};

struct CueList {
  std::string name;
  std::string file;  ///< the show file, for `show save`; "" = none
  double bounce_s = 0.3;
  std::vector<SectionEntry> sections;
  std::vector<Cue> cues;  ///< at least one
  /// What was changed in cues since the file was read, as the file would set it; each cue at most
  /// once.
  std::vector<CueEntry> unsaved{};
  /// The section that begins again for ever, "" for the whole show: a kiosk. Empty: no kiosk.
  std::optional<std::string> kiosk{};

  /// The index of the cue that people mean by `text`: its name or number. Throws InputError naming
  /// the nearest name where there is none.
  [[nodiscard]] std::size_t index_of(std::string_view text) const;
};

/// A region in the state of a cue.
struct RegionState {
  std::string name;
  scene::SourcePtr source;  ///< never null
  RectF canvas_px;          ///< empty(): all of the canvas
  std::optional<RectF> view_px;
  scene::FitMode fit = scene::FitMode::contain;
  double opacity = 1;
  scene::BlendMode blend = scene::BlendMode::over;
  double difference_gain = 1;
  std::string group;
  PlayState play;
  std::optional<scene::VolumeLook> look;
  std::string slate;
  double glide_s = 0;  ///< Glide of the cue that was resolved; 0 where it does not name the region
  std::size_t begun_by = 0;  ///< index of the cue that began the region's timeline
};

/// The whole state of the wall in a cue.
struct CueState {
  std::vector<RegionState> regions;  ///< in drawing order
  bool black = false;
  std::optional<CompareSetting> compare;  ///< mode and source are set
  wall::BezelMode bezels = wall::BezelMode::show;
  wall::ContentMode content = wall::ContentMode::arc_length;
  double volume = 1;
  bool muted = false;
};

/// The state of the wall in cue `index`: `start` (the state before the first cue) with all that the
/// cues up to it set. Throws InputError naming the cue that changes a region that is not there, has
/// more than scene::max_regions, or leaves none. @pre index < cues.size()
[[nodiscard]] CueState resolve(const CueList& list, std::size_t index, const CueState& start);

/// Makes the state in the cue before `index` that in cue `index`: one step of resolve(), for those
/// who walk through a whole list. Throws as resolve() does, and leaves `state` unspecified then.
/// @pre index < cues.size()
void apply_cue(const CueList& list, std::size_t index, CueState& state);

/// The cue that comes after another one, by itself or by `go`.
struct NextCue {
  std::size_t index = 0;
  bool begins_again = false;  ///< the section of the cue begins again

  bool operator==(const NextCue&) const = default;
};

/// What comes after cue `index`: the cue that its `next` names, the first one of its section where
/// that loops and ends here, or the one behind it. Empty after the last one. `rounds` is how often
/// the section was played in whole before. Throws InputError for an unknown `next`.
/// @pre index < cues.size()
[[nodiscard]] std::optional<NextCue> next_of(const CueList& list, std::size_t index,
                                             std::int64_t rounds);

/// The list as JSON, with each source and each style of volumes once; and back. Throws InputError
/// naming the field.
[[nodiscard]] nlohmann::json to_json(const CueList& list);
[[nodiscard]] CueList cue_list_from_json(const nlohmann::json& json);

}  // namespace tilewall::cues
