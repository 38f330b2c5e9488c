// Pictures of ours in one plane of memory, as FFmpeg's decoders would give them.
#pragma once

#include "player/movie/source/ffmpeg.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall {

/// A picture of a packed format (RGB24, RGBA) whose samples are not set yet. Throws JobError when
/// memory is out.
[[nodiscard]] AvFrame new_packed_picture(AVPixelFormat format, SizePx size_px);

/// Where a row of it begins.
[[nodiscard]] std::uint8_t* packed_row(AvFrame& picture, int y) noexcept;

}  // namespace tilewall
