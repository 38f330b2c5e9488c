// Scenes for tests of scene changes.
#pragma once

#include <string>

#include "player/scene/scene.hpp"
#include "player/scene/tick_grid_plan.hpp"

namespace tilewall {

/// A movie of that many frames at 10 fps, 1000x500.
[[nodiscard]] inline scene::SourcePtr movie_source(std::int64_t frames,
                                                   std::string path = "/movie") {
  scene::SourceSpec spec;
  spec.kind = scene::SourceKind::wall_movie;
  spec.path = std::move(path);
  spec.size_px = {1000, 500};
  spec.frames = frames;
  spec.fps = {10, 1};
  return std::make_shared<const scene::SourceSpec>(std::move(spec));
}

/// A region that plays the movie once on all of a 2000x1000 canvas, with start instant `never`.
[[nodiscard]] inline scene::Region movie_region(const std::string& name, scene::SourcePtr source) {
  scene::Region region;
  region.name = name;
  region.canvas_px = {0, 0, 2000, 1000};
  region.base_fps = source->fps;
  region.timeline.start = scene::never;
  region.timeline.rate_fps = source->fps;
  region.timeline.end_frame = source->frames;
  region.owner = "operator";
  region.source = std::move(source);
  return region;
}

/// A region that shows a volume in a box of sides of 20 about the origin, of one timestep.
[[nodiscard]] inline scene::Region volume_region(const std::string& name) {
  scene::SourceSpec spec;
  spec.kind = scene::SourceKind::volume;
  spec.path = "/volume";
  spec.frames = 1;
  spec.fps = {10, 1};
  spec.box = {{0, 0, 0}, {{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}};
  return movie_region(name, std::make_shared<const scene::SourceSpec>(std::move(spec)));
}

/// A show's first scene.
[[nodiscard]] inline scene::Scene first_scene(std::vector<scene::Region> regions) {
  scene::Scene scene;
  scene.version = 1;
  scene.epoch = 1;
  scene.regions = std::move(regions);
  scene.since = scene::never;
  scene.tick_grid = scene::plan_tick_grid(scene.regions, scene::never);
  return scene;
}

}  // namespace tilewall
