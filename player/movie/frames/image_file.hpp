// Decodes still images (JPEG, PNG, TIFF) to BGRX pixels in this process. Panels do so through
// image_reader.hpp, in a process that is confined.
//
// 16-bit samples are reduced to 8 bits, palettes and gray become colour, and alpha is laid over
// black. CMYK JPEGs are refused. Gamma and colour profiles are ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "player/movie/codecs/image_codecs.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// Larger images have to be imported, which reads them by rows. FFmpeg has the same limit.
inline constexpr std::int64_t max_image_px = std::int64_t{1} << 28;

struct ImageInfo {
  ImageKind kind = ImageKind::jpeg;
  SizePx size_px;
  bool operator==(const ImageInfo&) const = default;
};

/// What a file's first bytes and its header say.
struct ImageHeader {
  std::optional<ImageKind> kind;  ///< empty: no JPEG, PNG or TIFF
  std::optional<SizePx> size_px;  ///< empty: the header is damaged
};

/// The header of an image that can be decoded. Throws InputError naming the file if it is of
/// another kind, damaged or too large.
[[nodiscard]] ImageInfo checked_info(const ImageHeader& header, const std::filesystem::path& file);

/// Decodes one image at a time. Threads: one at a time.
class ImageDecoder {
 public:
  ImageDecoder();
  ~ImageDecoder();
  ImageDecoder(const ImageDecoder&) = delete;
  ImageDecoder& operator=(const ImageDecoder&) = delete;

  /// Reads the header of an open file.
  [[nodiscard]] ImageHeader read_header(int fd);

  /// Decodes an open file to `pixels`, which have the image's size. A JPEG may be halved up to
  /// three times, which is faster; `pixels` then have the size of that level. Returns false if the
  /// file is damaged, or not of the kind and size `expected`. Does not throw for bad contents.
  /// @pre the rows of `pixels` are contiguous and aligned to 4 bytes
  [[nodiscard]] bool decode(int fd, const ImageInfo& expected, const ImageView& pixels);

  [[nodiscard]] std::uint64_t read_bytes() const noexcept;  ///< bytes read from all files so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Decodes an open file and drops the pixels. A JPEG is halved `level` times (0..3), other images
/// are not. Returns what ImageDecoder::decode() does.
[[nodiscard]] bool decodes_whole(ImageDecoder& decoder, int fd, const ImageInfo& expected,
                                 int level);

}  // namespace tilewall::movie
