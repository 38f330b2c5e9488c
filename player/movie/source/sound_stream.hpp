// The sound of a movie file: which stream it is, and where it lies beside the pictures.
#pragma once

#include "player/movie/source/ffmpeg.hpp"

namespace tilewall {

/// Second of the container's time axis at which the picture of frame 0 stands; 0 where there are no
/// pictures (a cover's picture is none).
[[nodiscard]] double video_start_s(AVFormatContext* context) noexcept;

/// The best audio stream; from now on only its packets are read. Null where there is none.
[[nodiscard]] AVStream* select_sound(AVFormatContext* context) noexcept;

}  // namespace tilewall
