#include "net/source/value_kernels.hpp"

#include "net/source/value_loops.hpp"

namespace tilewall::net {

const ValueKernels& plain_value_kernels() noexcept { return kernels_here; }

const ValueKernels& pick_value_kernels() noexcept {
  static const ValueKernels* const picked = avx2_value_kernels();
  return picked != nullptr ? *picked : kernels_here;
}

}  // namespace tilewall::net
