// The scene: what the wall shows, as a list of regions of its canvas. It is small, has a version,
// and is sent whole. New sources that it refers to are sent before it.
//
// A scene takes effect at one instant, on all panels at once. With start instant `never` panels
// only get ready: they decode ahead and wait for the next version.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "player/scene/late.hpp"
#include "player/scene/scene_paths.hpp"
#include "player/scene/source_catalogue.hpp"
#include "player/scene/source_spec.hpp"
#include "player/scene/volume_look.hpp"
#include "sync/timeline/shown_ticks.hpp"
#include "sync/timeline/timeline.hpp"
#include "wallconfigs/content_mode.hpp"
#include "wallconfigs/eye_view.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::scene {

/// A start instant that never comes.
inline constexpr GlobalInstant never{Nanos(std::int64_t{1} << 62)};

/// Panels draw no tick that is due later than this from now.
inline constexpr Nanos longest_drawn_ahead = std::chrono::seconds(4);

/// Name of the region that a show begins with.
inline constexpr std::string_view main_region = "main";

/// How a view of another shape fills its region. contain: the whole view is visible. cover: the
/// whole region is covered. stretch: the view is distorted.
enum class FitMode { contain, cover, stretch };
inline constexpr std::string_view fit_mode_names[] = {"contain", "cover", "stretch"};

/// How a region's picture is combined with what lies below it. difference: the absolute difference
/// of each channel.
enum class BlendMode { over, difference };

struct Region {
  std::string name;              ///< Name, unique in the scene
  RectF canvas_px;               ///< Place on the canvas
  std::optional<RectF> clip_px;  ///< Part of the canvas that the region may draw on; empty = any
  SourcePtr source;              ///< Source of the pictures; never null
  /// The frame that is due at each instant; its rate is base_fps * speed, or 0 when paused.
  sync::Timeline timeline;
  Rational base_fps{24, 1};        ///< Frame rate at normal speed, > 0
  Rational speed{1, 1};            ///< Speed that play resumes after a pause, > 0
  std::optional<ViewPath> view;    ///< Visible part of the movie; empty = all of it
  std::optional<VolumeLook> look;  ///< Camera and style of a volume; empty = usual_look
  /// Plane of a volume's flat picture, on a wall that is no plane, in content mode arc_length.
  /// Computed anew whenever a scene is sent.
  std::optional<wall::RegionPlane> plane;
  FitMode fit = FitMode::contain;  ///< How a view of another shape fills the region
  OpacityPath opacity;             ///< How much of what lies below the region's picture hides
  BlendMode blend = BlendMode::over;
  double difference_gain = 1;  ///< Factor of the differences in blend mode `difference`, 1..255
  /// Text that is shown in place of pictures that do not come, with \n between lines; "" = none.
  std::string slate{};
  std::string owner;  ///< Client that may change the region, beside the operator
  /// The region leaves the wall at this instant, as at the end of a fade to another one; empty = it
  /// stays.
  std::optional<GlobalInstant> leaves_at{};
  std::string group;  ///< Regions of one group are sought, paused and moved together; "" = no group
  /// The wall's stage (Scene::volume_stage) in which the region's volume is at the first of its
  /// own. `shown_whole`: no stage follows for it. See stage_of().
  int first_stage = 0;

  /// Instant when view, opacity and camera stop gliding, or the region leaves; empty where nothing
  /// changes.
  [[nodiscard]] std::optional<GlobalInstant> glides_until() const;
  /// Whether the region is on the wall at `due`.
  [[nodiscard]] bool is_there(GlobalInstant due) const noexcept {
    return !leaves_at || due < *leaves_at;
  }
  /// Whether the frame stays: a pause, a still, a volume's only timestep. Views may move over it.
  [[nodiscard]] bool stands_still() const noexcept;
};

/// Whether panels show their own figures over their pictures. The setting `shown` holds from
/// `since` on, the opposite before.
struct OverlaySwitch {
  bool shown = false;
  GlobalInstant since;

  /// Whether a picture that is due at `due` has the figures.
  [[nodiscard]] bool visible_at(GlobalInstant due) const noexcept {
    return (due >= since) == shown;
  }
};

/// The ticks of the tick grid that all panels show while one of them cannot show every tick, and
/// the reason.
struct Decimation {
  sync::ShownTicks ticks;
  LateCause cause = LateCause::decode;  ///< Why the panel missed frames
  std::string panel;  ///< Name of the panel that cannot keep up; "" where the wall shows every tick
  /// The director names single ticks, each when all panels have shown the one before. The last
  /// stride then applies only to ticks after those named.
  bool names_ticks = false;

  /// The newest stride: every n-th tick is shown.
  [[nodiscard]] std::int64_t every() const noexcept;

  bool operator==(const Decimation&) const = default;
};

/// A line of text over the pictures of all panels, which tells people the effect of a key.
struct Hint {
  std::string text;
  GlobalInstant since;
  GlobalInstant until;

  [[nodiscard]] bool visible_at(GlobalInstant at) const noexcept {
    return since <= at && at < until;
  }
  bool operator==(const Hint&) const = default;
};

/// Where a presentation stands. Panels show the scene's regions, and need none of this.
struct CuePosition {
  std::string cue;          ///< name of the cue that the scene shows
  std::int64_t rounds = 0;  ///< how often the cue's section was played to its end since it began
  GlobalInstant since;      ///< when the cue began
  std::string armed{};      ///< name of the cue to get ready for; "" = the one that comes next
  bool is_last = false;     ///< no cue comes after it

  bool operator==(const CuePosition&) const = default;
};

/// How much of its volumes a wall has read while it shows previews: a line over the picture of one
/// panel, where hints stand, while there is none.
struct Progress {
  std::string text;   ///< "" = nothing to tell
  std::string panel;  ///< its name

  bool operator==(const Progress&) const = default;
};

/// Volumes that are read in stages, previews and then all voxels, are shown in stage `number` at
/// `from` and later, and in the one before up to then.
struct VolumeStage {
  int number = 0;
  GlobalInstant from{};

  [[nodiscard]] int at(GlobalInstant due) const noexcept {
    return due >= from ? number : number - 1;
  }
  /// The stage to follow.
  [[nodiscard]] int next() const noexcept {
    return number < std::numeric_limits<int>::max() ? number + 1 : number;
  }
  bool operator==(const VolumeStage&) const = default;
};

/// The stage of walls that wait for all voxels, or have one panel. None follows it.
inline constexpr VolumeStage whole_volumes{std::numeric_limits<int>::max()};
/// Region::first_stage of a volume that has all its voxels, while another one is read in stages.
inline constexpr int shown_whole = -whole_volumes.number;

/// The stage of the region's own volume while the wall is in `stage`: 0 is the first, and
/// whole_volumes.number has all voxels. A volume that comes to the wall later than others is in an
/// earlier stage than they are.
[[nodiscard]] int stage_of(const Region& region, int stage) noexcept;

struct Scene {
  std::uint64_t version = 0;  ///< grows with every change
  std::uint64_t epoch = 0;    ///< grows when a tick comes to mean another picture: pictures decoded
                              ///< ahead stay good while it is the same (only the start moved)
  GlobalInstant since;        ///< when it takes effect: the scene before is shown up to then
  sync::TickGrid tick_grid;   ///< when panels show pictures: every region's frame at a tick is the
                              ///< one that its timeline has at the tick's instant
  Decimation decimation;      ///< the ticks of the tick grid that are shown; the last one always is
  wall::BezelMode bezels = wall::BezelMode::show;
  /// Content mode on a wall that stands on an arc.
  wall::ContentMode content = wall::ContentMode::arc_length;
  std::vector<Region> regions;  ///< Regions in drawing order, the last one on top; at least one
  bool blank = false;           ///< The wall is black, whatever the regions contain
  /// The wall is black and silent until the operator takes it back, whatever `blank` and `muted`
  /// say.
  bool panic = false;
  /// The wall keeps the picture of this instant, while all timelines go on unseen. Empty: it shows
  /// each instant's own.
  std::optional<GlobalInstant> frozen_at;
  std::optional<CuePosition> cue;  ///< Empty: no presentation
  int coarser_by = 0;  ///< Pyramid levels added to the ones that fit the views, on all panels
  OverlaySwitch overlay;
  bool hints = true;         ///< Keys leave hints on the wall
  std::optional<Hint> hint;  ///< Newest hint
  /// Volumes that stand still are drawn in detail at this instant and later, on all panels
  /// together, and from their overviews before. `never`: until all hosts have read their details.
  /// Empty on a wall with one panel, where each picture is drawn from the best voxels at hand.
  std::optional<GlobalInstant> detail_from;
  VolumeStage volume_stage;  ///< The same on all panels; without meaning where detail_from is empty
  Progress progress;
  double audio_gain = 1;  ///< factor of all samples, 0..2
  bool muted = false;

  [[nodiscard]] bool is_black() const noexcept { return blank || panic; }
  /// Whether panels may go over to details, or to another stage of volumes.
  [[nodiscard]] bool details_follow() const noexcept;
  /// The instant whose picture is on the wall at `due`.
  [[nodiscard]] GlobalInstant pictured_at(GlobalInstant due) const noexcept {
    return frozen_at ? std::min(due, *frozen_at) : due;
  }

  /// The frames that a region shows at the ticks of the tick grid.
  [[nodiscard]] sync::FrameTicks ticks_of(const Region& region) const noexcept {
    return {tick_grid, region.timeline};
  }

  /// Whether panels show the tick.
  [[nodiscard]] bool shows(std::int64_t tick) const noexcept {
    return is_last(tick) || decimation.ticks.shows(tick);
  }
  /// The first tick at `tick` or later that panels show; one past the last tick where there is
  /// none.
  [[nodiscard]] std::int64_t next_shown(std::int64_t tick) const noexcept;
  /// Time between two shown ticks around `tick`. @pre the tick grid is not paused
  [[nodiscard]] Nanos shown_period(std::int64_t tick) const noexcept {
    return tick_grid.period() * decimation.ticks.every_at(tick);
  }

 private:
  [[nodiscard]] bool is_last(std::int64_t tick) const noexcept {
    return tick_grid.paused() || (tick_grid.count && tick >= *tick_grid.count - 1);
  }
};

/// Text for people: "every tick", or "1 of 4 ticks: decode c0r1" where all panels leave some out.
[[nodiscard]] std::string to_text(const Decimation& decimation, std::int64_t tick);

/// Whether any source of the scene has sound.
[[nodiscard]] bool has_sound(const Scene& scene) noexcept;

/// The sources of the scene's regions.
[[nodiscard]] std::set<SourcePtr> sources_of(const Scene& scene);

inline constexpr double max_difference_gain = 255;  // a difference of 1 becomes white
/// Limit of a scene's regions.
inline constexpr std::size_t max_regions = 64;

/// Writes a scene as JSON. `sources` gives the ids by which regions refer to their sources.
[[nodiscard]] nlohmann::json to_json(const Scene& scene, SourceCatalogue& sources);

/// Throws InputError naming the field that is missing or wrong, or an id that is unknown to
/// `sources`.
[[nodiscard]] Scene scene_from_json(const nlohmann::json& json, const ReceivedSources& sources);

[[nodiscard]] std::optional<FitMode> parse_fit_mode(std::string_view text);
[[nodiscard]] std::optional<BlendMode> parse_blend_mode(std::string_view text);
[[nodiscard]] std::optional<sync::LoopMode> parse_loop_mode(std::string_view text);
[[nodiscard]] std::string to_string(FitMode fit);
[[nodiscard]] std::string to_string(BlendMode blend);
[[nodiscard]] std::string to_string(sync::LoopMode loop);

}  // namespace tilewall::scene
