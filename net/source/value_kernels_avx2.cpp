// Compiled with -mavx2 where the compiler makes code for x86. It must not use inline functions of
// headers that other files use.
#include "net/source/value_loops.hpp"

namespace tilewall::net {

#ifdef __AVX2__
const ValueKernels* avx2_value_kernels() noexcept {
  return __builtin_cpu_supports("avx2") != 0 ? &kernels_here : nullptr;
}
#else
const ValueKernels* avx2_value_kernels() noexcept { return nullptr; }
#endif

}  // namespace tilewall::net
