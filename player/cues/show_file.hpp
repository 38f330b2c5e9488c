// The show file: a programme of cues for presentation mode, as TOML that people write, compare and
// keep under version control. SHOW_FILE.md documents its keys.
//
// A cue is a partial scene: it sets what it names, and leaves everything else as the cue before
// left it. These structures hold the file as it is written; inputs are not opened here, and no wall
// is known. Relative paths are relative to the file's folder.
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

#include "sync/base/rational.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::cues {

inline constexpr std::size_t max_cues = 10'000;
inline constexpr std::size_t max_show_bytes = 16u << 20;
/// Limit of names of cues, sections, regions and groups, in bytes.
inline constexpr std::size_t max_name_bytes = 64;
inline constexpr std::size_t max_note_bytes = 4096;
/// Limit of times of day, and of the time after which a cue follows.
inline constexpr double longest_s = 86'400;
/// Limit of transitions, fades and glides.
inline constexpr double longest_fade_s = 60;
inline constexpr double longest_bounce_s = 5;
inline constexpr double loudest = 2;  ///< limit of the sound's volume
/// Limit of rounds of a section, and of a region's range.
inline constexpr std::int64_t max_rounds = 1'000'000;

/// How the wall goes over to a cue.
struct Transition {
  /// cut: at one instant. fade: the new regions appear over the old ones. through_black: the old
  /// ones go black in the first half, and the new ones appear in the second.
  enum class Kind { cut, fade, through_black };
  Kind kind = Kind::cut;
  double seconds = 0;  ///< 0 for a cut, else over 0 up to 60

  bool operator==(const Transition&) const = default;
};

/// When the next cue follows by itself.
struct Follow {
  /// after: `seconds` after the cue began. at_end: when the movies of the cue have ended. at_clock:
  /// at the next time of day `seconds` after midnight, by the director's local time.
  enum class Kind { after, at_end, at_clock };
  Kind kind = Kind::after;
  double seconds = 0;

  bool operator==(const Follow&) const = default;
};

/// A rectangle of the wall.
struct Place {
  /// canvas_px: pixels of the canvas. mm: millimetres from the canvas's upper left. share: parts of
  /// the canvas, 0 to 1. panels: the rectangle around the named panels.
  enum class Unit { canvas_px, mm, share, panels };
  Unit unit = Unit::canvas_px;
  RectF rect;                       ///< not for `panels`
  std::vector<std::string> panels;  ///< names of panels; for `panels` alone

  bool operator==(const Place&) const = default;
};

enum class Looping { once, loop, ping_pong };

/// What happens where an input is missing when the show is opened. refuse: the show does not open.
/// placeholder: the region shows a slate with the input's name, until the show file is loaded
/// again. skip: the cue does without the region.
enum class MissingInput { refuse, placeholder, skip };

/// What a cue sets of one region of the wall. Empty fields stay as the cue before left them.
struct RegionEntry {
  int line = 0;                      ///< line in the file, from 1; 0: not from a file
  std::string name = "main";         ///< name, unique in the cue
  bool remove = false;               ///< the region is taken off the wall; then nothing else is set
  std::vector<std::string> inputs;   ///< inputs as of `play` or `view`; several are a playlist
  std::optional<Place> place;        ///< a region with a new name and no place covers the wall
  std::optional<RectF> view_px;      ///< visible part of the movie
  std::optional<std::string> fit;    ///< "contain", "cover", "stretch"
  std::optional<double> opacity;     ///< 0..1
  std::optional<std::string> blend;  ///< "over", "difference"
  std::optional<double> difference_gain;  ///< 1..255
  std::optional<std::string> group;       ///< "" takes the region out of its group
  // The timeline. A cue that sets any of these, or an input, begins the region's timeline anew.
  std::optional<std::int64_t> start;  ///< first frame shown
  std::optional<std::int64_t> in;     ///< first frame of the range that is played
  std::optional<std::int64_t> out;    ///< last frame of that range, inclusive
  std::optional<Looping> loop;
  std::optional<std::int64_t> rounds;  ///< how often the range is played, 1..1'000'000, beside a
                                       ///< `loop` that is not once; empty: for ever
  std::optional<Rational> fps;    ///< frame rate at speed 1, 0.001..1000; empty: the input's own
  std::optional<Rational> speed;  ///< factor, 1/8 to 16; negative: backwards
  std::optional<bool> hold;       ///< the region stays at its first frame
  /// Options of `view` for a volume, by their names without dashes ("tf", "mode", "camera", ...),
  /// as typed there. Flags such as "lit" have the value "true" or "false", and several values of
  /// "plane" are joined by ";". The file calls "opacity" here "tf_opacity".
  std::map<std::string, std::string> volume;
  double glide_s = 0;  ///< time in which view, opacity and camera move to what the cue sets, 0..60
  std::optional<MissingInput> missing;

  bool operator==(const RegionEntry& other) const;  ///< ignores `line`
};

/// What a region has after a cue: `before` with all that `change` sets. An input begins with the
/// defaults of what belongs to it: the visible part, the timeline, the options of a volume, and
/// what happens where it is missing. The line and the glide are those of `change`.
[[nodiscard]] RegionEntry tracked(const RegionEntry& before, const RegionEntry& change);

/// A comparison of the region "main" with a second movie.
struct CompareEntry {
  std::string mode;            ///< "side_by_side", "swipe", "difference", "off"
  std::string input;           ///< the second movie; "" = that of the comparison that is shown
  std::optional<double> line;  ///< place of a swipe's line, 0..1
  std::optional<double> gain;  ///< factor of a difference, 1..255

  bool operator==(const CompareEntry&) const = default;
};

/// A cue as the file has it.
struct CueEntry {
  int line = 0;        ///< line of its [[cue]], from 1; 0: not from a file
  int end_line = 0;    ///< one past its last line that holds a key or a table
  std::string name;    ///< name, unique in the show
  std::string number;  ///< what people call it, such as "12" or "12.5"; unique; "" = none
  std::optional<std::string> note;  ///< text for the operator
  std::string colour;               ///< for the operator's list: a name of cue_colours; "" = none
  std::string section;  ///< the section that begins with this cue; "" = that of the cue before
  std::optional<bool> black;
  std::optional<std::string> pattern;  ///< test pattern in the region "main", as in "pattern:NAME"
  std::optional<CompareEntry> compare;
  std::optional<std::string> bezels;   ///< "hide", "show"
  std::optional<std::string> content;  ///< "arc_length", "eye", "flat"
  std::optional<double> volume;        ///< Loudness, 0..2
  std::optional<bool> mute;
  std::optional<Transition> transition;  ///< empty: a fade of ShowFile::fade_s, or a cut
  std::optional<Follow> follow;
  std::optional<std::string> goto_cue;  ///< name of the cue that comes next; empty: the next one
  std::vector<RegionEntry> regions;

  bool operator==(const CueEntry& other) const;  ///< ignores lines
};

/// The regions of a cue, with its pattern as the input "pattern:NAME" of the region "main".
[[nodiscard]] std::vector<RegionEntry> regions_of(const CueEntry& cue);

inline constexpr std::string_view cue_colours[] = {"red",  "orange", "yellow", "green",
                                                   "cyan", "blue",   "purple", "grey"};

/// A section: consecutive cues that begin with one that names it.
struct SectionEntry {
  std::string name;
  /// After its last cue the section begins again (kiosk), instead of going on with the next one.
  bool loop = false;
  /// How often it is played before the show goes on; 0: for ever. For `loop` alone.
  std::int64_t rounds = 0;

  bool operator==(const SectionEntry&) const = default;
};

/// A show file.
struct ShowFile {
  std::filesystem::path file;  ///< where it was read; "" = nowhere
  std::string name;            ///< the show's name; "" = that of the file
  double fade_s = 0;           ///< seconds of the fade of cues without a transition; 0: they cut
  std::string late = "drop";   ///< "drop", "slow", "lower"
  std::optional<std::string> bezels;   ///< "hide", "show"; empty: the wall's own
  std::optional<std::string> content;  ///< "arc_length", "eye", "flat"; empty: the wall's own
  MissingInput missing = MissingInput::refuse;  ///< for regions that do not say
  double bounce_s = 0.3;  ///< a `go` so soon after another one is the same press, 0..5
  std::vector<SectionEntry> sections;
  std::vector<CueEntry> cues;  ///< at least one

  bool operator==(const ShowFile& other) const;  ///< ignores `file` and lines
};

/// Reads a show file. Throws InputError naming file, line, cue and key, and for unknown keys and
/// names the nearest known one: for a file that cannot be read, is larger than max_show_bytes, is
/// not UTF-8 or not TOML; for values of a wrong type or out of range; for names that are used
/// twice; for a `goto` or section that does not exist.
[[nodiscard]] ShowFile read_show_file(const std::filesystem::path& file);
/// The text of a show file alone. Throws InputError naming the file where it cannot be read, or is
/// larger than max_show_bytes.
[[nodiscard]] std::string read_show_text(const std::filesystem::path& file);
/// The show of such a text. Throws what read_show_file() throws. `name` stands in messages, and
/// tells where the inputs are.
[[nodiscard]] ShowFile show_from_text(const std::filesystem::path& name, std::string_view text);

/// The show in its canonical form, which reads back as the same show.
[[nodiscard]] std::string to_text(const ShowFile& show);
/// One cue in that form, with its [[cue]] line and a line end.
[[nodiscard]] std::string to_text(const CueEntry& cue);

/// The text of a show file in which the cues that differ are replaced by their canonical form.
/// Everything else stays as it is written: comments, order and blanks, and [show] and the sections.
/// Cues are matched by name; cues that `show` lacks are removed, and new ones are put behind the
/// cue before them. Where that gives other cues than `show` has (their order changed, or the text
/// has several cues in one line), the result is to_text(show). @pre `text` reads as a show
[[nodiscard]] std::string merged_text(std::string_view text, const ShowFile& show);

/// A finding about a show that reads well, but may surprise its operator.
struct Finding {
  bool is_error = false;  ///< the show cannot be played as it is
  int line = 0;
  std::string cue;   ///< name of the cue; "" = the whole show
  std::string text;  ///< for people: what is wrong, and what to do
};

/// What is wrong with a show as a whole, without opening its inputs: cues that nothing leads to,
/// follows that form a loop without an end outside of a section that loops, a first cue without any
/// region, a region that is changed or removed before a cue brings it, a `follow` at the end of
/// what never ends, options of volumes for what is no volume by its name. Takes O(cues).
[[nodiscard]] std::vector<Finding> findings_of(const ShowFile& show);

}  // namespace tilewall::cues
