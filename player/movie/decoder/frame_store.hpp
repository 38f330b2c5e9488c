// Puts decoded frames into shared memory: their own planes, as they are; packed, palette, alpha and
// foreign byte orders are taken apart. Colour is left to whoever draws.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "player/movie/frames/orientation.hpp"
#include "player/movie/shared/shared_picture.hpp"
#include "player/movie/source/ffmpeg.hpp"

namespace tilewall::movie {

/// How the frame is to lie in shared memory. `file`: for messages. Throws InputError for a pixel
/// format that cannot be shown.
[[nodiscard]] SharedPicture shared_layout(const AVFrame& frame, const Orientation& orientation,
                                          const std::string& file);

/// @pre `picture` is the frame's layout and fits into `slot`
void store_frame(const AVFrame& frame, const SharedPicture& picture, const std::string& file,
                 std::span<std::uint8_t> slot);

}  // namespace tilewall::movie
