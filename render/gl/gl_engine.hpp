// The parts that all GL casters of a process share: the GPU, the programs, the memory for volumes
// and pictures.
//
// Threads: belongs to the thread that opened it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "render/gl/gl_device.hpp"
#include "render/volume/cast_style.hpp"
#include "render/volume/clip.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

class BrickAtlas;
class AtlasCache;
struct CastNumbers;

/// Properties that a program is compiled for.
struct CastVariant {
  CastMode mode = CastMode::composite;
  bool lit = false;
  bool floats = false;  ///< Voxels are floats, and may be empty
  bool keyed = false;   ///< The table has equal steps of a CurveKey
  bool refine = false;  ///< More samples where the opacity changes much (render/volume/refinement)
};

struct GlEngineOptions {
  GlPreference preference = GlPreference::gpu;
  /// Limit of the GPU's memory for volumes; 0: half of what is free, or 1 GiB where the driver does
  /// not tell.
  std::size_t budget_bytes = 0;
};

class GlEngine {
 public:
  /// Opens a device of that kind. Null where there is no OpenGL 4.3; `why_not` then has the reason.
  [[nodiscard]] static std::unique_ptr<GlEngine> open(const GlEngineOptions& options,
                                                      std::string& why_not);
  ~GlEngine();
  GlEngine(const GlEngine&) = delete;
  GlEngine& operator=(const GlEngine&) = delete;

  [[nodiscard]] const std::string& renderer() const noexcept;
  [[nodiscard]] const GlDevice& device() const noexcept;
  [[nodiscard]] AtlasCache& cache() noexcept;

  /// Casts the part of the picture that `numbers` describe, from the volume in `atlas`.
  /// `fine` is the table of refined samples, for variants that refine. `most_samples` limits the
  /// samples of a ray. Up to `threads` threads copy the pixels. Returns the number of samples
  /// taken. Throws GlLost; then `to` has new pixels only where they were cast without an error.
  std::uint64_t cast(const CastVariant& variant, const BrickAtlas& atlas,
                     const TransferTable& table, const TransferTable* fine, CastNumbers& numbers,
                     int most_samples, const ImageView& to, int threads);

  /// GPU time of the last picture, without its transfer to memory.
  [[nodiscard]] std::uint64_t gpu_ns() const noexcept;

 private:
  struct Parts;
  explicit GlEngine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// A picture as shaders/cast.comp reads it, in the layout of its block "Picture".
struct CastNumbers {
  float eye[4] = {};
  float ahead[4] = {};
  float right[4] = {};
  float down[4] = {};
  float box_min[4] = {};
  float box_max[4] = {};
  float planes[max_clip_planes][4] = {};
  float along_scale[4] = {};
  float gradient_scale[4] = {};
  float atlas_scale[4] = {};
  float table[4] = {};
  float curve[4] = {};
  float iso_colour[4] = {};
  float background[4] = {};
  std::int32_t size[4] = {};
  std::int32_t part[4] = {};
  std::int32_t cells[4] = {};
};
static_assert(sizeof(CastNumbers) == 16 * 22 && offsetof(CastNumbers, eye) == 0 &&
              offsetof(CastNumbers, ahead) == 16 * 1 && offsetof(CastNumbers, right) == 16 * 2 &&
              offsetof(CastNumbers, down) == 16 * 3 && offsetof(CastNumbers, box_min) == 16 * 4 &&
              offsetof(CastNumbers, box_max) == 16 * 5 && offsetof(CastNumbers, planes) == 16 * 6 &&
              offsetof(CastNumbers, along_scale) == 16 * 12);
static_assert(offsetof(CastNumbers, gradient_scale) == 16 * 13 &&
              offsetof(CastNumbers, atlas_scale) == 16 * 14 &&
              offsetof(CastNumbers, table) == 16 * 15 && offsetof(CastNumbers, curve) == 16 * 16 &&
              offsetof(CastNumbers, iso_colour) == 16 * 17 &&
              offsetof(CastNumbers, background) == 16 * 18 &&
              offsetof(CastNumbers, size) == 16 * 19 && offsetof(CastNumbers, part) == 16 * 20 &&
              offsetof(CastNumbers, cells) == 16 * 21);

}  // namespace tilewall::render
