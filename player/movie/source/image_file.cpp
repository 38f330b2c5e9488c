#include "player/movie/source/image_file.hpp"

#include <vector>

#include "player/movie/codecs/tiff_handle.hpp"
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
  // The pixel aspect of an image is more often a wrong print resolution than meant, so it is
  // ignored.
  info.size_px = displayed_size_px(info.stored_px, {1, 1}, info.orientation);
  info.frames = 1;
  return info;
}

namespace {

constexpr std::uint64_t max_rgba_px = 64'000'000;

// libtiff packs R, G, B, A from the low byte up, with colour multiplied by alpha. Taken as opaque,
// that is the picture over black.
void unpack_row(const std::uint32_t* pixels, int width, std::uint8_t* row) {
  for (int x = 0; x < width; ++x) {
    row[4 * x + 0] = static_cast<std::uint8_t>(TIFFGetR(pixels[x]));
    row[4 * x + 1] = static_cast<std::uint8_t>(TIFFGetG(pixels[x]));
    row[4 * x + 2] = static_cast<std::uint8_t>(TIFFGetB(pixels[x]));
    row[4 * x + 3] = 255;
  }
}

}  // namespace

SharedFrame try_read_tiff(const std::filesystem::path& file) {
  const Tiff tiff = open_tiff_quietly(file);
  if (tiff.empty()) return nullptr;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  if (TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) != 1 ||
      TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height) != 1 || width == 0 || height == 0 ||
      std::uint64_t{width} * height > max_rgba_px)
    return nullptr;
  std::vector<std::uint32_t> pixels(std::size_t{width} * height);
  if (TIFFReadRGBAImageOriented(tiff.get(), width, height, pixels.data(), ORIENTATION_TOPLEFT, 1) !=
      1)
    return nullptr;
  AvFrame frame =
      new_packed_picture(AV_PIX_FMT_RGBA, {static_cast<int>(width), static_cast<int>(height)});
  for (std::uint32_t y = 0; y < height; ++y)
    unpack_row(pixels.data() + std::size_t{y} * width, static_cast<int>(width),
               packed_row(frame, static_cast<int>(y)));
  return share(std::move(frame));
}

}  // namespace tilewall::movie
