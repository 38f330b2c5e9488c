// Opens the picture source that a scene names, for one panel. Test patterns are sources too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "player/movie/frames/draw_memory.hpp"
#include "player/movie/staging/stage_budget.hpp"
#include "player/panel/panel_warp.hpp"
#include "player/picture/picture_source.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/base/thread_place.hpp"

namespace tilewall::panel {

/// Connections and limits for sources that get pictures or blocks from other processes.
struct MovieAccess {
  std::filesystem::path socket;                ///< the host service's socket
  std::shared_ptr<movie::StageBudget> budget;  ///< the panel's memory for staged blocks
  // The following are called by a source that waits.
  std::function<bool()> abandon;   ///< whether the current frame is no longer needed
  std::function<bool()> unwanted;  ///< the same, without the limit for frames that are ready
  std::function<bool()> ended;     ///< whether the scene's pictures are no longer needed
  std::function<std::uint64_t()> version;  ///< Scene::version of the scene that is drawn
  std::function<bool()> abandon_open;      ///< whether the source need not be opened any more
  ThreadPlace receiver;                    ///< CPUs and memory of threads that receive from servers
  /// Called with a line for people when frames of an open source cannot be read.
  std::function<void(const std::string& line)> problem;
};

/// Opens the source. `memory` is shared by all sources of the panel. Throws InputError naming what
/// cannot be opened.
/// @pre no playlist; their items are opened one by one
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_source(
    const scene::SourceSpec& spec, const scene::PanelConfig& config, const FlatView& view,
    const MovieAccess& movies, const movie::DrawMemoryPtr& memory);

/// Opens the test pattern `name`. Throws InputError naming the nearest pattern.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_pattern(const std::string& name,
                                                                   const scene::PanelConfig& config,
                                                                   const FlatView& view);

}  // namespace tilewall::panel
