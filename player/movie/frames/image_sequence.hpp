// Image sequences as picture sources.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "player/movie/frames/draw_memory.hpp"
#include "player/picture/picture_source.hpp"

namespace tilewall::movie {

/// Opens JPEG, PNG or TIFF images of one size, of which files[n] is frame n. "" is a gap, in which
/// the last good picture stays. `threads` scale and draw, the caller's included. Null `memory`: the
/// source has some of its own. A draw() that waits for the disk is abandoned when `abandon` returns
/// true; it may be empty. Throws InputError if the first image cannot be read.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_image_sequence(
    std::vector<std::filesystem::path> files, int threads, DrawMemoryPtr memory = {},
    std::function<bool()> abandon = {});

}  // namespace tilewall::movie
