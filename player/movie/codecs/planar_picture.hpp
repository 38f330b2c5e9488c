// Pictures in separate 8-bit planes, with the colours of wall movies: Y, Cb and Cr as JPEG stores
// them, or red, green and blue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

/// yuv420 and yuv444: BT.601 matrix, full range, chroma centred (JFIF). gray: one plane.
/// rgb: planes R, G, B; only lossless blocks hold it.
enum class Chroma { gray, yuv420, yuv444, rgb };

[[nodiscard]] int plane_count(Chroma chroma) noexcept;

/// Size of plane `plane` of a picture. The chroma planes of yuv420 have half the size, rounded up.
[[nodiscard]] SizePx plane_size_px(SizePx picture_px, Chroma chroma, int plane) noexcept;

/// Alignment of rows: a cache line, and the widest vector. zimg requires 32 bytes.
inline constexpr std::size_t plane_alignment_bytes = 64;

/// Allocates samples on plane_alignment_bytes, and leaves them undefined where std::vector would
/// set them to zero.
template <typename T>
struct SampleAllocator {
  using value_type = T;
  SampleAllocator() = default;
  template <typename U>
  SampleAllocator(const SampleAllocator<U>&) noexcept {}
  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(
        ::operator new (count * sizeof(T), std::align_val_t{plane_alignment_bytes}));
  }
  void deallocate(T* samples, std::size_t) noexcept {
    ::operator delete (samples, std::align_val_t{plane_alignment_bytes});
  }
  template <typename U, typename... Args>
  void construct(U* sample, Args&&... args) {
    if constexpr (sizeof...(Args) == 0)
      ::new (static_cast<void*>(sample)) U;
    else
      ::new (static_cast<void*>(sample)) U(std::forward<Args>(args)...);
  }
  bool operator==(const SampleAllocator&) const = default;
};
using SampleVector = std::vector<std::uint8_t, SampleAllocator<std::uint8_t>>;

/// Bytes of memory of a plane of this size, padding included.
[[nodiscard]] std::size_t plane_bytes(SizePx size) noexcept;

/// One 8-bit plane that owns its samples, which are undefined at first. Every row is aligned to
/// plane_alignment_bytes.
struct Plane {
  SizePx size_px;
  std::size_t stride_bytes = 0;
  SampleVector samples;

  Plane() = default;
  explicit Plane(SizePx size) { reshape(size); }
  /// Changes the size, in the same memory if that is enough. The samples become undefined.
  void reshape(SizePx size);
  [[nodiscard]] std::uint8_t* row(int y) noexcept {
    return samples.data() + static_cast<std::size_t>(y) * stride_bytes;
  }
  [[nodiscard]] const std::uint8_t* row(int y) const noexcept {
    return samples.data() + static_cast<std::size_t>(y) * stride_bytes;
  }
};

struct PlanarPicture {
  SizePx size_px;
  Chroma chroma = Chroma::yuv420;
  std::vector<Plane> planes;  ///< plane_count(chroma) planes

  PlanarPicture() = default;
  PlanarPicture(SizePx size, Chroma chroma_) { reshape(size, chroma_); }
  /// Changes size and chroma, as Plane::reshape() does.
  void reshape(SizePx size, Chroma chroma_);
};

/// Copies all of `from` into `to`, with its upper left corner at `at`.
/// @pre there is room; the same chroma; `at` is even with Chroma::yuv420
void copy_planes(const PlanarPicture& from, PlanarPicture& to, PointPx at) noexcept;

}  // namespace tilewall::movie
