// Scenes for benchmarks of volumes, the directions that they are viewed from, and the difference
// between pictures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "render/volume/volume_caster.hpp"

namespace tilewall::bench {

struct RenderCase {
  const char* scene;
  render::VoxelType type;
  render::CastMode mode;
  render::Shading shading;
  const char* suffix;  ///< End of the case's name
};

/// Transfer function and style of a case.
struct RenderScene {
  render::TransferFunction function;
  render::CastStyle style;
};
[[nodiscard]] RenderScene scene_of_case(const RenderCase& one, int side);

/// "256_u8_web_1280x1024"
[[nodiscard]] std::string scene_name(const RenderCase& one, int side, SizePx picture_px);

/// Milliseconds of a steady clock.
[[nodiscard]] double render_now_ms() noexcept;

/// A view from 20 degrees above and `turn_degrees` around, at twice the volume's side, with the
/// volume's middle in the picture's.
[[nodiscard]] render::CastView turned_view(int side, SizePx picture_px, double turn_degrees);

[[nodiscard]] RectPx whole_picture(const render::CastView& view) noexcept;

/// A picture's memory; rows of BGRX.
class RenderPixels {
 public:
  explicit RenderPixels(SizePx size_px);
  [[nodiscard]] ImageView view() noexcept;
  [[nodiscard]] SizePx size_px() const noexcept { return size_px_; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
  /// Converts rows of RGB. @pre of size_px()
  void set_rgb(std::span<const std::uint8_t> rgb) noexcept;

 private:
  SizePx size_px_;
  std::vector<std::uint8_t> bytes_;
};

/// Peak signal to noise ratio of red, green and blue, in dB; 99 where they are the same. @pre of
/// one size
[[nodiscard]] double psnr_db(const RenderPixels& one, const RenderPixels& other) noexcept;

}  // namespace tilewall::bench
