// The scene: what the wall shows, as a list of regions of its canvas. Small, versioned, sent whole.
//
// A scene takes effect at its timelines' start instant, on all panels at once. A start at `never`
// only makes the panels ready: they decode ahead and wait for the next version.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sync/timeline/timeline.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

/// movie: an ordinary one, decoded once per host.
enum class SourceKind { wall_movie, images, movie, pattern };

/// A start instant that does not come.
inline constexpr GlobalInstant never{Nanos(std::int64_t{1} << 62)};

/// Where a region's pictures come from.
struct SourceSpec {
  SourceKind kind = SourceKind::pattern;
  std::string path;                ///< folder of a wall movie or of images; file; name of a pattern
  std::vector<std::string> files;  ///< images: file names below `path`, frame by frame; "" = a gap
  SizePx size_px;  ///< of the movie; {0,0} for patterns: they have the canvas's size
  bool operator==(const SourceSpec&) const = default;
};

/// How a view of another shape fills its region: all of it visible, all of the region covered, or
/// distorted.
enum class FitMode { contain, cover, stretch };

struct Region {
  RectF canvas_px;  ///< where on the canvas
  SourceSpec source;
  Timeline timeline;
  std::optional<RectF> view_px;  ///< the part of the movie that is shown; empty = all of it
  FitMode fit = FitMode::contain;
  std::string owner;  ///< who may change it
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

struct Scene {
  std::uint64_t version = 0;  ///< grows with every change
  std::uint64_t schedule =
      0;  ///< grows when a tick comes to mean another picture: pictures decoded
          ///< ahead stay good while it is the same (only the start moved)
  BezelMode bezels = BezelMode::show;
  std::vector<Region> regions;  ///< drawn in order
  OverlaySwitch overlay;
};

[[nodiscard]] nlohmann::json to_json(const Scene& scene);

/// Throws InputError naming the field that is missing or wrong.
[[nodiscard]] Scene scene_from_json(const nlohmann::json& json);

[[nodiscard]] std::optional<FitMode> parse_fit_mode(std::string_view text);

}  // namespace tilewall
