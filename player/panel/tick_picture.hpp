// Which picture a panel shows at a tick under late policy drop, where its host's decoder may be
// behind: one that was not there in time is shown at the first tick that all panels can still make,
// which follows from when it was there alone. So all panels of a host show the same picture at the
// same tick, without a word between them.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "player/movie/frames/picture_source.hpp"
#include "sync/global_time.hpp"
#include "sync/timeline/timeline.hpp"

namespace tilewall {

/// From when a picture is there until a tick at which all panels show it: for scaling it.
inline constexpr std::chrono::milliseconds late_picture_margin{50};

/// When a panel may look at what a tick shows unless it is the tick's own frame: by then every
/// picture for that tick can be seen. @pre not paused
[[nodiscard]] GlobalInstant decision_instant(const Timeline& timeline, std::int64_t tick) noexcept;

/// The frame to show at `tick`: its own; or, where that is not there in time, the newest one before
/// it that came since the tick before. Empty: what is shown stays. @pre not paused
[[nodiscard]] std::optional<std::int64_t> frame_at(const Timeline& timeline, std::int64_t tick,
                                                   std::span<const ReadyPicture> pictures,
                                                   const ClockMapping& mapping);

}  // namespace tilewall
