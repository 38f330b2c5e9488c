// Chooses the picture that a panel shows at a tick while its host's decoder may be behind (late
// policies drop and lower). A late picture is shown at the first tick that all panels of the host
// can still make. That tick follows from the picture's stamp alone, so all panels of a host show
// the same picture at the same tick without a message.
//
// Pure functions; any thread.
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

/// The least time from a picture's stamp to a tick at which it is shown; panels scale it meanwhile.
inline constexpr std::chrono::milliseconds late_picture_margin{50};

/// The movie's frame at a tick; negative: the tick shows another source.
using FrameOfTick = std::function<std::int64_t(std::int64_t tick)>;

/// The instant at which a panel may decide to show another frame than the tick's own. By then it
/// sees every picture whose stamp is early enough for the tick.
/// @pre the tick grid is not paused
[[nodiscard]] GlobalInstant decision_instant(const sync::TickGrid& grid,
                                             std::int64_t tick) noexcept;

/// What a panel has shown last.
struct LastShown {
  std::int64_t tick = -1;     ///< the last tick at which it could show a picture
  std::int64_t of_tick = -1;  ///< the tick whose frame is on the panel; -1: none
};

/// The tick whose frame is shown at `tick`: `tick` itself where its frame is ready in time, else
/// the newest earlier tick whose frame became ready after `last.tick`. Empty: the picture on the
/// panel stays, also where only older ones became ready. A decoder that was started again may begin
/// with those.
/// @pre the tick grid is not paused
[[nodiscard]] std::optional<std::int64_t> shown_tick(
    const sync::TickGrid& grid, const FrameOfTick& frame_of, std::int64_t tick, LastShown last,
    std::span<const picture::ReadyPicture> pictures, const ClockMapping& mapping);

/// The first shown tick, `wanted` or later, that is still on the wall at `done`; for walls that
/// leave out ticks together. Its picture is late, but no panel shows a newer one.
/// @pre the tick grid is not paused
[[nodiscard]] std::int64_t still_shown_tick(const scene::Scene& scene, std::int64_t wanted,
                                            GlobalInstant done) noexcept;

/// The tick at which a panel joins the others: the first of the last run of `ticks` whose frames
/// are all ready. The decoder has passed the frames before that run, and has yet to decode those
/// after it. Empty where no frame of `ticks` is ready.
[[nodiscard]] std::optional<std::int64_t> joining_tick(
    const FrameOfTick& frame_of, std::span<const std::int64_t> ticks,
    std::span<const picture::ReadyPicture> pictures);

}  // namespace tilewall::panel
