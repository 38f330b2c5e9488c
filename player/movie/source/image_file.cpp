#include "player/movie/source/image_file.hpp"

#include "player/movie/codecs/image_codecs.hpp"
#include "player/movie/source/ffmpeg.hpp"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "player/movie/source/movie_file.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {

namespace {

std::string text_or_unknown(const char* text) { return text == nullptr ? "unknown" : text; }

SharedFrame decode_with_ffmpeg(const std::filesystem::path& file) {
  MovieFile movie(file, 1);
  auto picture = movie.next();
  if (!picture) {
    const std::string reason = last_ffmpeg_message();
    throw InputError({file.string()}, "", "an image that FFmpeg can decode",
                     reason.empty() ? "only damage" : "only damage (" + reason + ")");
  }
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
  // The pixel aspect of an image is more often a wrong print resolution than meant, so it is
  // ignored.
  info.size_px = displayed_size_px(info.stored_px, {1, 1}, info.orientation);
  info.frames = 1;
  return info;
}

namespace {

constexpr std::uint64_t max_rgba_px = 64'000'000;

// Colour that was multiplied by alpha, taken as opaque, is the picture over black.
void unpack_row(const std::uint32_t* pixels, int width, std::uint8_t* row) {
  for (int x = 0; x < width; ++x)
    for (int i = 0; i < 4; ++i)
      row[4 * x + i] = i == 3 ? 255 : static_cast<std::uint8_t>(pixels[x] >> (8 * i));
}

}  // namespace

SharedFrame try_read_tiff(const std::filesystem::path& file) {
  const auto picture = read_tiff(file, max_rgba_px);
  if (!picture) return nullptr;
  const SizePx size = picture->size_px;
  AvFrame frame = new_packed_picture(AV_PIX_FMT_RGBA, size);
  for (int y = 0; y < size.height; ++y)
    unpack_row(
        picture->pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width),
        size.width, packed_row(frame, y));
  return share(std::move(frame));
}

}  // namespace tilewall::movie
