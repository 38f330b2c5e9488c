#include "player/volume/caster/host_gpu.hpp"

#include <fmt/format.h>

#include <utility>

#include "sync/base/error.hpp"

namespace tilewall {

HostGpu::HostGpu(CasterChoice choice) {
  if (choice == CasterChoice::cpu) return;
  std::string why_not;
  const bool is_wished = choice == CasterChoice::gl;
  engine_ = GlEngine::open({is_wished ? GlWish::any : GlWish::gpu, 0}, why_not);
  if (engine_ == nullptr && is_wished)
    throw InputError({"--caster"}, "", "OpenGL 4.3 for gl, or cpu or auto", why_not);
  is_used_ = engine_ != nullptr;
}

void HostGpu::give_up(const std::string& why) {
  if (!is_used_.exchange(false)) return;
  fmt::print(stderr, "tilewall-caster: {}; the processor draws from here on\n", why);
}

void HostGpu::note_too_large(const std::string& why) {
  if (std::exchange(too_large_noted_, true)) return;
  fmt::print(stderr, "tilewall-caster: {}; the processor draws what is as large\n", why);
}

}  // namespace tilewall
