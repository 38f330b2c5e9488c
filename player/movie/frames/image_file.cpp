#include "player/movie/frames/image_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <span>

#include "player/movie/codecs/image_codecs.hpp"
#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/codecs/jpeg_header.hpp"
#include "player/movie/frames/manifest.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr std::size_t max_jpeg_bytes = std::size_t{512} << 20;

std::size_t read_at_start(int fd, std::uint8_t* bytes, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = retry_eintr(
        [&] { return ::pread(fd, bytes + done, size - done, static_cast<off_t>(done)); });
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

ImageInfo checked_info(const ImageHeader& header, const std::filesystem::path& file) {
  if (!header.kind)
    throw InputError({file.string()}, "", "a JPEG, PNG or TIFF image", "something else");
  const auto& size = header.size_px;
  if (!size || size->width < 1 || size->height < 1)
    throw InputError({file.string()}, "", "a whole image in gray or colour",
                     "a header that is damaged or of another kind");
  if (std::int64_t{size->width} * size->height > max_image_px)
    throw InputError({file.string()}, "size",
                     fmt::format("at most {} pixels (larger ones can be imported)", max_image_px),
                     fmt::format("{}x{}", size->width, size->height));
  return {*header.kind, *size};
}

struct ImageDecoder::State {
  JpegDecoder jpeg;
  SampleVector file_bytes;  // a whole JPEG file
  std::uint64_t read_bytes = 0;

  std::span<const std::uint8_t> read_whole(int fd) {
    struct stat status = {};
    if (::fstat(fd, &status) != 0 || status.st_size <= 0) return {};
    const std::size_t size = std::min(static_cast<std::size_t>(status.st_size), max_jpeg_bytes);
    if (file_bytes.size() < size) file_bytes = SampleVector(size);
    const std::size_t got = read_at_start(fd, file_bytes.data(), size);
    read_bytes += got;
    return {file_bytes.data(), got};
  }

  std::optional<SizePx> size_px(int fd, ImageKind kind) {
    if (kind == ImageKind::jpeg) return jpeg_size_px(read_whole(fd));
    ImageFile file{fd};
    const auto size = kind == ImageKind::png ? png_size_px(file) : tiff_size_px(file);
    read_bytes += file.read_bytes;
    return size;
  }

  bool decode(int fd, const ImageInfo& expected, const ImageView& pixels) {
    if (kind_of_image(fd) != expected.kind) return false;
    if (expected.kind == ImageKind::jpeg) {
      const auto bytes = read_whole(fd);
      if (jpeg_size_px(bytes) != expected.size_px) return false;
      return jpeg.to_bgrx(bytes, pixels, JpegScans::limited);
    }
    ImageFile file{fd};
    const bool whole =
        expected.kind == ImageKind::png ? decode_png(file, pixels) : decode_tiff(file, pixels);
    read_bytes += file.read_bytes;
    return whole;
  }
};

ImageDecoder::ImageDecoder() : state_(std::make_unique<State>()) {}

ImageDecoder::~ImageDecoder() = default;

ImageHeader ImageDecoder::read_header(int fd) {
  ImageHeader header;
  header.kind = kind_of_image(fd);
  if (header.kind) header.size_px = state_->size_px(fd, *header.kind);
  return header;
}

bool ImageDecoder::decode(int fd, const ImageInfo& expected, const ImageView& pixels) {
  try {
    return state_->decode(fd, expected, pixels);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::uint64_t ImageDecoder::read_bytes() const noexcept { return state_->read_bytes; }

bool decodes_whole(ImageDecoder& decoder, int fd, const ImageInfo& expected, int level) {
  const bool is_jpeg = expected.kind == ImageKind::jpeg;
  const SizePx size = is_jpeg ? level_size_px(expected.size_px, level) : expected.size_px;
  const std::size_t row_bytes = static_cast<std::size_t>(size.width) * 4;
  SampleVector pixels(row_bytes * static_cast<std::size_t>(size.height));
  return decoder.decode(fd, expected, {pixels.data(), size, row_bytes});
}

}  // namespace tilewall::movie
