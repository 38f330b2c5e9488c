#include <algorithm>
#include <cmath>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/movie/source/picture_converter.hpp"

namespace tilewall::movie {
namespace {

constexpr double worthwhile_db = 1.0;     // a smaller loss by halving chroma counts as invisible
constexpr int max_sample_side_px = 2048;  // from the middle; keeps the choice at tens of ms

RectF middle_of(SizePx size) {
  const double width = std::min(size.width, max_sample_side_px);
  const double height = std::min(size.height, max_sample_side_px);
  return {std::floor((size.width - width) / 2), std::floor((size.height - height) / 2), width,
          height};
}

PlanarPicture middle_as(Chroma chroma, const AVFrame& frame, const MovieInfo& info,
                        const std::string& name, bool is_portable) {
  const RectF middle = middle_of(info.size_px);
  PictureConverter converter({info.size_px,
                              middle,
                              info.orientation,
                              {static_cast<int>(middle.width), static_cast<int>(middle.height)},
                              chroma,
                              HdrMode::map,
                              is_portable},
                             name);
  return converter.convert(frame);
}

bool has_colour(const PlanarPicture& yuv444) {
  for (const std::size_t plane : {std::size_t{1}, std::size_t{2}}) {
    const Plane& chroma = yuv444.planes[plane];
    for (int y = 0; y < chroma.size_px.height; ++y) {
      const std::uint8_t* row = chroma.row(y);
      if (std::any_of(row, row + chroma.size_px.width,
                      [&](std::uint8_t sample) { return std::abs(sample - row[0]) > 2; }))
        return true;
    }
  }
  return false;
}

bool halving_shows(const PlanarPicture& full, const PlanarPicture& halved, int quality) {
  return jpeg_psnr_db(full, full, quality) - jpeg_psnr_db(full, halved, quality) > worthwhile_db;
}

}  // namespace

double jpeg_psnr_db(const PlanarPicture& original, const PlanarPicture& stored, int quality) {
  const RgbPixels expected = rgb_of(original);
  const RgbPixels found = decode_jpeg(encode_jpeg(stored, quality), stored.size_px);
  double squares = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = static_cast<double>(expected[i]) - found[i];
    squares += difference * difference;
  }
  const double mean = std::max(1e-6, squares / static_cast<double>(expected.size()));
  return 10 * std::log10(255.0 * 255.0 / mean);
}

Chroma choose_chroma(const std::vector<SharedFrame>& samples, const MovieInfo& info, int quality,
                     const std::string& name, bool is_portable) {
  bool all_gray = true;
  bool any_rgb = false;
  Chroma native = Chroma::gray;
  for (const SharedFrame& frame : samples) {
    const auto format = static_cast<AVPixelFormat>(frame->format);
    const Chroma own = native_chroma(format, name.c_str());
    all_gray = all_gray && own == Chroma::gray;
    any_rgb = any_rgb || is_rgb(format, name.c_str());
    native = std::max(native, own);  // the enum's order is that of the chroma's resolution
  }
  if (all_gray) return Chroma::gray;
  if (!any_rgb) return native;
  bool measured = false;
  for (const SharedFrame& frame : samples) {
    const PlanarPicture full = middle_as(Chroma::yuv444, *frame, info, name, is_portable);
    if (!has_colour(full)) continue;
    measured = true;
    if (halving_shows(full, middle_as(Chroma::yuv420, *frame, info, name, is_portable), quality))
      return Chroma::yuv444;
  }
  return measured ? Chroma::yuv420 : Chroma::yuv444;
}

Chroma choose_chroma_of_rgb(const PlanarPicture& yuv444, const PlanarPicture& yuv420, int quality) {
  return has_colour(yuv444) && !halving_shows(yuv444, yuv420, quality) ? Chroma::yuv420
                                                                       : Chroma::yuv444;
}

}  // namespace tilewall::movie
