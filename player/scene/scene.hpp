// The scene: what the wall shows, as a list of regions of its canvas. Small, versioned, sent whole;
// the sources that it refers to are sent before, where the scene before did not name them.
//
// A scene takes effect at one instant, on all panels at once. `never` only makes the panels ready:
// they decode ahead and wait for the next version.
#pragma once

#include <cstdint>
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

/// A start instant that does not come.
inline constexpr GlobalInstant never{Nanos(std::int64_t{1} << 62)};

/// Panels draw no tick that is due in more than this time.
inline constexpr Nanos longest_drawn_ahead = std::chrono::seconds(4);

/// The name of the region that a show begins with.
inline constexpr std::string_view main_region = "main";

/// How a view of another shape fills its region: all of it visible, all of the region covered, or
/// distorted.
enum class FitMode { contain, cover, stretch };
inline constexpr std::string_view fit_mode_names[] = {"contain", "cover", "stretch"};

/// How a region's picture and what lies below it make one. difference: of each channel, without
/// sign.
enum class BlendMode { over, difference };

struct Region {
  std::string name;                ///< unique in the scene
  RectF canvas_px;                 ///< where on the canvas
  std::optional<RectF> clip_px;    ///< the part of the canvas that it may draw on; empty = any
  SourcePtr source;                ///< never null
  sync::Timeline timeline;         ///< of its frames; its rate is base_fps * speed, or 0: paused
  Rational base_fps{24, 1};        ///< > 0: its rate at normal speed
  Rational speed{1, 1};            ///< > 0: what play goes back to after a pause
  std::optional<ViewPath> view;    ///< the part of the movie that is shown; empty = all of it
  std::optional<VolumeLook> look;  ///< of a volume; empty = usual_look
  /// On a wall that is no plane, in content mode arc_length: where the flat picture of a volume
  /// hangs. Found anew whenever a scene is sent.
  std::optional<wall::RegionPlane> plane;
  FitMode fit = FitMode::contain;  ///< of a view in the region
  double opacity = 1;              ///< 0..1
  BlendMode blend = BlendMode::over;
  double difference_gain = 1;  ///< of BlendMode::difference: times it is enlarged, 1..255
  std::string owner;           ///< who may change it, beside the operator
  std::string group;  ///< regions of one group are sought, paused and moved together; "" = alone

  /// When its view and camera have stopped gliding; empty where they don't.
  [[nodiscard]] std::optional<GlobalInstant> glides_until() const;
  /// Whether its frame stays: a pause, a still, a volume's only timestep. Views may move over it.
  [[nodiscard]] bool stands_still() const noexcept;
};

/// Whether panels show their own figures over their pictures: from `since` on as `shown` says,
/// before it the other way round.
struct OverlaySwitch {
  bool shown = false;
  GlobalInstant since;

  /// Of a picture that is due then.
  [[nodiscard]] bool visible_at(GlobalInstant due) const noexcept {
    return (due >= since) == shown;
  }
};

/// Which ticks of the tick grid all panels show while one of them cannot show every tick, and why.
struct Decimation {
  sync::ShownTicks ticks;
  LateCause cause = LateCause::decode;  ///< of the frames that the panel missed
  std::string panel;                    ///< "" where the wall shows every tick
  /// The director names single ticks, each when all panels have shown the one before. The last
  /// stride then only holds where it names no more.
  bool names_ticks = false;

  /// Every how manieth tick is shown, by the newest strides.
  [[nodiscard]] std::int64_t every() const noexcept;

  bool operator==(const Decimation&) const = default;
};

/// A line over the pictures of all panels, for people: what a key has just done.
struct Hint {
  std::string text;
  GlobalInstant since;
  GlobalInstant until;

  [[nodiscard]] bool visible_at(GlobalInstant at) const noexcept {
    return since <= at && at < until;
  }
  bool operator==(const Hint&) const = default;
};

struct Scene {
  std::uint64_t version = 0;  ///< grows with every change
  std::uint64_t epoch = 0;    ///< grows when a tick comes to mean another picture: pictures decoded
                              ///< ahead stay good while it is the same (only the start moved)
  GlobalInstant since;        ///< when it takes effect: the scene before is shown up to then
  sync::TickGrid tick_grid;   ///< when panels show pictures: every region's frame at a tick is the
                              ///< one that its timeline has at the tick's instant
  Decimation decimation;      ///< the ticks of the tick grid that are shown; the last one always is
  wall::BezelMode bezels = wall::BezelMode::show;
  wall::ContentMode content = wall::ContentMode::arc_length;  ///< of a wall on an arc
  std::vector<Region> regions;  ///< at least one; drawn in order, the last one on top
  bool blank = false;           ///< black, whatever the regions have
  int coarser_by = 0;           ///< pyramid levels below what the views would take, on all panels
  OverlaySwitch overlay;
  bool hints = true;         ///< keys leave hints
  std::optional<Hint> hint;  ///< the newest one
  /// Volumes that stand still are drawn from their details at this instant and later, on all panels
  /// together, and from their overviews before; `never`: until all hosts have read theirs. Empty,
  /// of a wall with one host: each picture as soon as there is a better one.
  std::optional<GlobalInstant> detail_from;
  double audio_gain = 1;  ///< factor of all samples, 0..2
  bool muted = false;

  /// The frames that a region shows at the ticks of the tick grid.
  [[nodiscard]] sync::FrameTicks ticks_of(const Region& region) const noexcept {
    return {tick_grid, region.timeline};
  }

  /// Whether panels show the tick.
  [[nodiscard]] bool shows(std::int64_t tick) const noexcept {
    return is_last(tick) || decimation.ticks.shows(tick);
  }
  /// The first tick at `tick` or later that they show; one past the last tick where there is none.
  [[nodiscard]] std::int64_t next_shown(std::int64_t tick) const noexcept;
  /// Time between two ticks that are shown, around that tick. @pre the tick grid is not paused
  [[nodiscard]] Nanos shown_period(std::int64_t tick) const noexcept {
    return tick_grid.period() * decimation.ticks.every_at(tick);
  }

 private:
  [[nodiscard]] bool is_last(std::int64_t tick) const noexcept {
    return tick_grid.paused() || (tick_grid.count && tick >= *tick_grid.count - 1);
  }
};

/// For people: "every tick", or "1 of 4 ticks: decode c0r1" where all panels leave some out.
[[nodiscard]] std::string to_text(const Decimation& decimation, std::int64_t tick);

/// Whether anything in it has sound.
[[nodiscard]] bool has_sound(const Scene& scene) noexcept;

/// Of its regions.
[[nodiscard]] std::set<SourcePtr> sources_of(const Scene& scene);

inline constexpr double max_difference_gain = 255;  // a difference of 1 becomes white
/// The most regions of a scene.
inline constexpr std::size_t max_regions = 64;

/// Regions name their sources by the ids that `sources` gives them.
[[nodiscard]] nlohmann::json to_json(const Scene& scene, SourceCatalogue& sources);

/// Throws InputError naming the field that is missing or wrong, or an id that `sources` has not.
[[nodiscard]] Scene scene_from_json(const nlohmann::json& json, const ReceivedSources& sources);

[[nodiscard]] std::optional<FitMode> parse_fit_mode(std::string_view text);
[[nodiscard]] std::optional<BlendMode> parse_blend_mode(std::string_view text);
[[nodiscard]] std::optional<sync::LoopMode> parse_loop_mode(std::string_view text);
[[nodiscard]] std::string to_string(FitMode fit);
[[nodiscard]] std::string to_string(BlendMode blend);
[[nodiscard]] std::string to_string(sync::LoopMode loop);

}  // namespace tilewall::scene
