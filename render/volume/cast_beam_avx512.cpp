// Compiled with -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma: no inline function of a header
// may be used here that others use too.

#include "render/volume/cast_plan.hpp"

#ifdef __x86_64__

#include "render/volume/packet_kernel.hpp"
#include "render/volume/simd_avx512.hpp"

namespace tilewall::render {

CastBeamFn cast_beam_avx512(const CastPlan& plan) noexcept {
  switch (plan.type) {
    case VoxelType::u8:
      return kernel_of<Avx512, FloatSampler<Avx512, QuadSource<Avx512>>>(plan);
    case VoxelType::u16:
      return kernel_of<Avx512, FloatSampler<Avx512, U16Source<Avx512>>>(plan);
    case VoxelType::f32:
      return kernel_of<Avx512, FloatSampler<Avx512, F32Source<Avx512>>>(plan);
  }
  return nullptr;
}

}  // namespace tilewall::render

#endif
