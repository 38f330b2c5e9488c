// Sequences of images as picture sources.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "player/movie/frames/draw_memory.hpp"
#include "player/picture/picture_source.hpp"

namespace tilewall::movie {

/// A sequence of JPEG, PNG or TIFF images of one size, frame n being files[n] ("" = a gap: the last
/// good picture stays). Throws InputError when the first one cannot be read.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_image_sequence(
    std::vector<std::filesystem::path> files, int threads, DrawMemoryPtr memory = {});

}  // namespace tilewall::movie
