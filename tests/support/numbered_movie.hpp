// Movies whose every pixel a test can compute: lossless, colourful, each picture with its number in
// it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tests/support/picture.hpp"

namespace tilewall::test {

/// Frame `number`: colours that differ from pixel to pixel and from frame to frame, and over them
/// the number, for read_count_code().
[[nodiscard]] TestPicture numbered_picture(SizePx size_px, std::int64_t number);

/// Writes a wall movie of such pictures: RGB, deflate, blocks of 64x48 pixels, 24 fps.
void write_numbered_movie(const std::filesystem::path& folder, SizePx size_px, int frames);

/// Writes more of such a movie: its frames [first, end), then its manifest with `end` frames.
void write_numbered_frames(const std::filesystem::path& folder, SizePx size_px, int first, int end,
                           bool complete);

/// The part of a picture from `at` on; black where there is no picture.
[[nodiscard]] TestPicture cropped(const TestPicture& picture, PointPx at, SizePx size_px);

/// XXH3-64 of the picture as rows of BGRX, X = 255: what `play --hashes` reports.
[[nodiscard]] std::uint64_t hash_of(const TestPicture& picture);

}  // namespace tilewall::test
