// What all GL casters of a process have in common: the GPU, the programs, the room for volumes and
// pictures.
//
// Threads: belongs to the one that opened it.
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

/// A program is made for one.
struct CastVariant {
  CastMode mode = CastMode::composite;
  bool lit = false;
  bool floats = false;  ///< voxels may be empty
};

struct GlEngineOptions {
  GlPreference preference = GlPreference::gpu;
  std::size_t budget_bytes = 0;  ///< of the GPU's memory for volumes; 0: half of what is free, or
                                 ///< 1 GiB where the GPU does not say
};

class GlEngine {
 public:
  /// Null where there is no OpenGL 4.3 of that kind; `why_not` says what was found.
  [[nodiscard]] static std::unique_ptr<GlEngine> open(const GlEngineOptions& options,
                                                      std::string& why_not);
  ~GlEngine();
  GlEngine(const GlEngine&) = delete;
  GlEngine& operator=(const GlEngine&) = delete;

  [[nodiscard]] const std::string& renderer() const noexcept;
  [[nodiscard]] const GlDevice& device() const noexcept;
  [[nodiscard]] AtlasCache& cache() noexcept;

  /// The part of the picture that `numbers` are of, from the volume in `atlas`; `most_samples`:
  /// that any ray of it may take. Returns how many samples were taken. Throws GlLost; `to` is
  /// changed only by what was made well.
  std::uint64_t cast(const CastVariant& variant, const BrickAtlas& atlas,
                     const TransferTable& table, CastNumbers& numbers, int most_samples,
                     const ImageView& to);

  /// What the GPU needed for the last picture, without its way to memory.
  [[nodiscard]] std::uint64_t gpu_ns() const noexcept;

 private:
  struct Parts;
  explicit GlEngine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// A picture as shaders/cast.comp reads it: its block "Picture", member by member.
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
  float iso_colour[4] = {};
  float background[4] = {};
  std::int32_t size[4] = {};
  std::int32_t part[4] = {};
  std::int32_t cells[4] = {};
};
static_assert(sizeof(CastNumbers) == 16 * 21 && offsetof(CastNumbers, along_scale) == 16 * 12);

}  // namespace tilewall::render
