#include "player/movie/source/image_file.hpp"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "player/movie/source/movie_file.hpp"
#include "player/movie/source/tiff_picture.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

std::string text_or_unknown(const char* text) { return text == nullptr ? "unknown" : text; }

SharedFrame decode_with_ffmpeg(const std::filesystem::path& file) {
  MovieFile movie(file, 1);
  auto picture = movie.next();
  if (!picture)
    throw InputError({file.string()}, "", "an image that FFmpeg can decode",
                     "only damage (" + last_ffmpeg_message() + ")");
  return picture->frame;
}

}  // namespace

SharedFrame decode_image_file(const std::filesystem::path& file) {
  try {
    return decode_with_ffmpeg(file);
  } catch (const InputError&) {
    if (SharedFrame frame = try_read_tiff(file)) return frame;
    throw;
  }
}

MovieInfo image_info(const std::filesystem::path& file) {
  return image_info(*decode_image_file(file), file);
}

MovieInfo image_info(const AVFrame& frame, const std::filesystem::path& file) {
  MovieInfo info;
  info.container = "image";
  info.codec = file.extension().string();
  if (!info.codec.empty()) info.codec.erase(0, 1);
  info.pixel_format =
      text_or_unknown(av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format)));
  info.matrix = text_or_unknown(av_color_space_name(frame.colorspace));
  info.range = text_or_unknown(av_color_range_name(frame.color_range));
  info.primaries = text_or_unknown(av_color_primaries_name(frame.color_primaries));
  info.transfer = text_or_unknown(av_color_transfer_name(frame.color_trc));
  info.stored_px = {frame.width, frame.height};
  info.orientation = frame_orientation(frame);
  // Pixel aspects of images are print resolutions gone wrong more often than not: pixels are
  // square.
  info.size_px = displayed_size_px(info.stored_px, {1, 1}, info.orientation);
  info.frames = 1;
  return info;
}

}  // namespace tilewall
