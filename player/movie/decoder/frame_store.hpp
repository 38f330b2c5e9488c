// Stores decoded frames in shared memory, plane by plane. Packed, palette and alpha formats and
// foreign byte orders become planes first. Colours are not converted: panels do that as they draw.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "player/movie/frames/orientation.hpp"
#include "player/movie/shared/shared_picture.hpp"
#include "player/movie/source/ffmpeg.hpp"

namespace tilewall::movie {

/// The frame's layout in a slot. `file` is named in errors. Throws InputError for a pixel format
/// that cannot be shown.
[[nodiscard]] SharedPicture shared_layout(const AVFrame& frame, const Orientation& orientation,
                                          const std::string& file);

/// Writes the frame's planes into `slot`. @pre `picture` is the frame's layout and fits into `slot`
void store_frame(const AVFrame& frame, const SharedPicture& picture, const std::string& file,
                 std::span<std::uint8_t> slot);

}  // namespace tilewall::movie
