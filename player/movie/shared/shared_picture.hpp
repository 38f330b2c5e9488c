// A decoded picture in shared memory: its planes and their format, as plain numbers that the reader
// checks before use. Matrix, transfer and primaries are codes of ITU-T H.273.
//
// Pure. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "player/movie/frames/orientation.hpp"
#include "player/movie/frames/plane_format.hpp"

namespace tilewall::movie {

struct SharedPlane {
  std::uint64_t offset_bytes = 0;  ///< distance from the slot's first byte
  std::uint64_t stride_bytes = 0;
};

/// The decoder writes it; readers copy it out and check it. Enums are stored as their numbers.
struct SharedPicture {
  std::int32_t width_px = 0;  ///< size as decoded; planes are padded to whole chroma samples
  std::int32_t height_px = 0;
  std::int32_t family = 0;
  std::int32_t depth_bits = 0;
  std::int32_t subsample_w_log2 = 0;
  std::int32_t subsample_h_log2 = 0;
  std::int32_t full_range = 0;
  std::int32_t matrix = 0;
  std::int32_t transfer = 0;
  std::int32_t primaries = 0;
  std::int32_t chroma_location = 0;
  std::int32_t orientation = 0;  ///< bits: 1 transpose, 2 mirror x, 4 mirror y
  SharedPlane planes[3];
  std::int32_t damaged = 0;       ///< 1: the picture shows damage that the decoder has concealed
  std::int32_t repeats_lost = 0;  ///< 1: after its first frame it stands in for lost pictures
};
static_assert(std::is_trivially_copyable_v<SharedPicture> && sizeof(SharedPicture) == 104 &&
              offsetof(SharedPicture, width_px) == 0 && offsetof(SharedPicture, height_px) == 4 &&
              offsetof(SharedPicture, family) == 8 && offsetof(SharedPicture, depth_bits) == 12 &&
              offsetof(SharedPicture, subsample_w_log2) == 16 &&
              offsetof(SharedPicture, subsample_h_log2) == 20 &&
              offsetof(SharedPicture, full_range) == 24 && offsetof(SharedPicture, matrix) == 28 &&
              offsetof(SharedPicture, transfer) == 32 && offsetof(SharedPicture, primaries) == 36 &&
              offsetof(SharedPicture, chroma_location) == 40);
static_assert(offsetof(SharedPicture, orientation) == 44 && offsetof(SharedPicture, planes) == 48 &&
              offsetof(SharedPicture, damaged) == 96 &&
              offsetof(SharedPicture, repeats_lost) == 100 && sizeof(SharedPlane) == 16 &&
              offsetof(SharedPlane, offset_bytes) == 0 &&
              offsetof(SharedPlane, stride_bytes) == 8 &&
              std::has_unique_object_representations_v<SharedPicture>);

/// Lays out a picture in a slot: planes one after the other, rows aligned to plane_alignment_bytes.
[[nodiscard]] SharedPicture lay_out_picture(SizePx size_px, const PlaneFormat& format,
                                            const Orientation& orientation) noexcept;

/// Size in bytes of a picture laid out by lay_out_picture().
[[nodiscard]] std::size_t picture_bytes(const SharedPicture& picture) noexcept;

/// A shared picture that has passed checked_picture(); it refers to the slot's bytes.
struct PictureView {
  SizePx size_px;
  PlaneFormat format;
  Orientation orientation;
  PlanesView planes;
  bool damaged = false;       ///< the picture shows damage that the decoder has concealed
  bool repeats_lost = false;  ///< After its first frame the picture stands in for lost ones
};

/// Checks a picture's numbers; empty if one is out of range or a plane reaches beyond the slot.
[[nodiscard]] std::optional<PictureView> checked_picture(const SharedPicture& picture,
                                                         std::span<const std::uint8_t> slot);

}  // namespace tilewall::movie
