// Compiled with -mavx2 -mfma: no inline function of a header may be used here that others use too.

#include "render/volume/cast_plan.hpp"

#ifdef __x86_64__

#include "render/volume/packet_kernel.hpp"
#include "render/volume/simd_avx2.hpp"

namespace tilewall::render {

CastBeamFn cast_beam_avx2(const CastPlan& plan) noexcept {
  switch (plan.type) {
    case VoxelType::u8:
      return kernel_of<Avx2, FloatSampler<Avx2, QuadSource<Avx2>>>(plan);
    case VoxelType::u16:
      return kernel_of<Avx2, FloatSampler<Avx2, U16Source<Avx2>>>(plan);
    case VoxelType::f32:
      return kernel_of<Avx2, FloatSampler<Avx2, F32Source<Avx2>>>(plan);
  }
  return nullptr;
}

}  // namespace tilewall::render

#endif
