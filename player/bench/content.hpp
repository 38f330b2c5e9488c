// Frames that benchmarks make for themselves, so that figures of all machines can be compared.
#pragma once

#include "player/movie/codecs/planar_picture.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::bench {

/// photographic: shaded terrain in natural colours, about 0.29 bytes per pixel as JPEG 4:2:0 at
/// bench_jpeg_quality. false_colour: a smooth field in rainbow colours, about 0.16 at 4:4:4.
enum class BenchContent { photographic, false_colour };

/// The same pixels every time. @pre chroma is yuv420 or yuv444
[[nodiscard]] movie::PlanarPicture make_bench_picture(BenchContent content, movie::Chroma chroma,
                                                      SizePx size_px);

/// `tile` side by side until it covers `size_px`. @pre the tile's sides are even
[[nodiscard]] movie::PlanarPicture repeated(const movie::PlanarPicture& tile, SizePx size_px);

}  // namespace tilewall::bench
