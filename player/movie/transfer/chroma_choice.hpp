// How much chroma a movie is stored with.
#pragma once

#include <vector>

#include "player/movie/frames/planar_picture.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall {

/// YUV and gray sources keep what they have. RGB sources get 4:4:4 where 4:2:0 at this JPEG quality
/// would cost more than 1 dB on the worst of `samples` (at least one), or where nothing in them has
/// colour edges to measure. `name`: the source, for messages.
[[nodiscard]] Chroma choose_chroma(const std::vector<SharedFrame>& samples, const MovieInfo& info,
                                   int quality, const std::string& name);

/// The same for one RGB picture given both ways.
[[nodiscard]] Chroma choose_chroma_of_rgb(const PlanarPicture& yuv444, const PlanarPicture& yuv420,
                                          int quality);

/// PSNR in dB over RGB of `original` (yuv444) after JPEG at `quality` of `stored`, the same picture
/// as yuv420 or yuv444.
[[nodiscard]] double jpeg_psnr_db(const PlanarPicture& original, const PlanarPicture& stored,
                                  int quality);

}  // namespace tilewall
