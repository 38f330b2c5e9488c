// Decodes still images (JPEG, PNG, TIFF) to BGRX pixels, for image sequences that are played
// without import.
//
// 16-bit samples are reduced to 8 bits, palettes and gray become colour, and alpha is laid over
// black. CMYK JPEGs are refused. Gamma and colour profiles are ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

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

/// Decodes one image at a time into memory of its own. Threads: one at a time.
class ImageDecoder {
 public:
  ImageDecoder();
  ~ImageDecoder();
  ImageDecoder(const ImageDecoder&) = delete;
  ImageDecoder& operator=(const ImageDecoder&) = delete;

  /// Reads a file's header. Throws InputError naming the file if it is missing, damaged, too large,
  /// or no JPEG, PNG or TIFF.
  [[nodiscard]] ImageInfo read_info(const std::filesystem::path& file);

  /// Decodes `file`. A JPEG is halved `level` times (0..3), which is faster; for other images
  /// `level` is 0. False if the file is missing, damaged, or not of the kind and size `expected`.
  /// Does not throw for bad contents.
  [[nodiscard]] bool decode(const std::filesystem::path& file, const ImageInfo& expected,
                            int level);

  /// The image that decode() made; valid until the next call.
  [[nodiscard]] const ImageView& pixels() const noexcept;
  [[nodiscard]] std::uint64_t read_bytes() const noexcept;  ///< bytes read from all files so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
