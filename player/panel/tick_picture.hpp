// Which picture a panel shows at a tick under late policy drop, where its host's decoder may be
// behind: one that was not there in time is shown at the first tick that all panels can still make,
// which follows from when it was there alone. So all panels of a host show the same picture at the
// same tick, without a word between them.
//
// Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "player/picture/ready_pictures.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"
#include "sync/timeline/tick_grid.hpp"

namespace tilewall::panel {

/// From when a picture is there until a tick at which all panels show it: for scaling it.
inline constexpr std::chrono::milliseconds late_picture_margin{50};

/// The movie's frame that a tick has; negative: none of this movie.
using FrameOfTick = std::function<std::int64_t(std::int64_t tick)>;

/// When a panel may look at what a tick shows unless it is the tick's own frame: by then every
/// picture for that tick can be seen. @pre not paused
[[nodiscard]] GlobalInstant decision_instant(const sync::TickGrid& grid,
                                             std::int64_t tick) noexcept;

/// The tick whose frame is shown at `tick`: itself; or, where its frame is not there in time, the
/// newest one before it whose frame came since `before`, the tick that was shown before it. Empty:
/// what is shown stays.
/// @pre not paused
[[nodiscard]] std::optional<std::int64_t> shown_tick(
    const sync::TickGrid& grid, const FrameOfTick& frame_of, std::int64_t tick, std::int64_t before,
    std::span<const picture::ReadyPicture> pictures, const ClockMapping& mapping);

/// Where ticks are left out together: the first shown tick, `wanted` or later, that the other
/// panels still show at `done`, up to the next shown tick however far that is. A picture that is
/// ready then is late, but no panel shows another one.
/// @pre the tick grid is not paused
[[nodiscard]] std::int64_t still_shown_tick(const scene::Scene& scene, std::int64_t wanted,
                                            GlobalInstant done) noexcept;

/// Where a panel that comes later than the others goes on: at the first tick of the last run of
/// `ticks` whose frames are all there. What lies before that run the decoder has passed, and what
/// follows it is still to come. Empty where no frame of `ticks` is there.
[[nodiscard]] std::optional<std::int64_t> joining_tick(
    const FrameOfTick& frame_of, std::span<const std::int64_t> ticks,
    std::span<const picture::ReadyPicture> pictures);

}  // namespace tilewall::panel
