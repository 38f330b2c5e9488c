// Makes the picture source that a scene names, for one panel.
#pragma once

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

/// What movies need besides whose pictures or blocks others bring.
struct MovieAccess {
  std::filesystem::path socket;                ///< of the host service
  std::shared_ptr<movie::StageBudget> budget;  ///< of the panel
  std::function<bool()> abandon;  ///< whether nobody wants the frame that is waited for any more
  std::function<bool()> ended;    ///< whether nobody wants what is made for the scene any more
  ThreadPlace receiver;           ///< of threads that take pictures from servers
  /// Takes a line for people when frames of an open source cannot be had.
  std::function<void(const std::string& line)> problem;
};

/// Throws InputError naming what cannot be opened. `memory`: of this panel.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_source(
    const scene::SourceSpec& spec, const scene::PanelConfig& config, const FlatView& view,
    const MovieAccess& movies, const movie::DrawMemoryPtr& memory);

// Test patterns as a picture source.

/// The pattern `name` as this panel draws it. Throws InputError naming the nearest pattern.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_pattern(const std::string& name,
                                                                   const scene::PanelConfig& config,
                                                                   const FlatView& view);

}  // namespace tilewall::panel
