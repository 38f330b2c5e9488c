// Ordinary still images (JPEG, PNG, TIFF) as BGRX pixels, for image sequences that are played as
// they are.
//
// 16-bit samples are cut to 8 bits, palettes and gray become colour, alpha is laid over black. CMYK
// JPEGs are refused. Gamma and colour profiles are left alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// FFmpeg's limit too; larger images are imported by rows.
inline constexpr std::int64_t max_image_px = std::int64_t{1} << 28;

enum class ImageKind { jpeg, png, tiff };

struct ImageInfo {
  ImageKind kind = ImageKind::jpeg;
  SizePx size_px;
  bool operator==(const ImageInfo&) const = default;
};

/// Decodes images one after the other into memory of its own. One thread at a time.
class ImageDecoder {
 public:
  ImageDecoder();
  ~ImageDecoder();
  ImageDecoder(const ImageDecoder&) = delete;
  ImageDecoder& operator=(const ImageDecoder&) = delete;

  /// Reads a file's header. Throws InputError: missing, no such image, damaged, too large.
  [[nodiscard]] ImageInfo read_info(const std::filesystem::path& file);

  /// Decodes `file`, a JPEG `level` (0..3) times halved, which is faster; others at their full
  /// size, `level` being 0. False when it is missing, damaged in any way, or not of the kind and
  /// size `expected`. Never throws for bad contents.
  [[nodiscard]] bool decode(const std::filesystem::path& file, const ImageInfo& expected,
                            int level);

  /// What decode() made; valid until the next one.
  [[nodiscard]] const ImageView& pixels() const noexcept;
  [[nodiscard]] std::uint64_t read_bytes() const noexcept;  ///< from files, ever

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
