#include "player/volume/caster/timestep_caster.hpp"

#include <utility>

#include "sync/base/error.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::volume {

TimestepCaster::TimestepCaster(const render::Volume& volume, HostGpu* gpu, int threads,
                               std::shared_ptr<const render::TiledVoxels> packed)
    : volume_(volume), gpu_(gpu) {
  if (!uses_gpu())
    on_processor_ =
        std::make_unique<render::VolumeCaster>(volume, kernels(), threads, std::move(packed));
}

void TimestepCaster::prepare_processor(int threads) {
  if (on_processor_ == nullptr)
    on_processor_ = std::make_unique<render::VolumeCaster>(volume_, kernels(), threads);
  if (!processor_has_style_) on_processor_->set_style(*function_, style_, threads);
  processor_has_style_ = true;
}

void TimestepCaster::set_style(const render::TransferFunction& function,
                               const render::CastStyle& style, int threads) {
  function_ = function;
  style_ = style;
  processor_has_style_ = false;
  if (uses_gpu()) {
    try {
      if (on_gpu_ == nullptr)
        on_gpu_ = std::make_unique<render::GlVolumeCaster>(gpu_->engine(), volume_);
      return on_gpu_->set_style(function, style, threads);
    } catch (const render::GlTooLarge& error) {
      on_gpu_.reset();
      gpu_->note_too_large(error.what());
    }
  }
  prepare_processor(threads);
}

std::uint64_t TimestepCaster::cast(const render::CastView& view, RectPx part, const ImageView& to,
                                   int threads) {
  if (on_gpu_ != nullptr && uses_gpu()) {
    try {
      return on_gpu_->cast(view, part, to, threads);
    } catch (const render::GlLost& error) {
      gpu_->give_up(error.what());
    }
  }
  prepare_processor(threads);
  return on_processor_->cast(view, part, to, threads);
}

render::CastTimes TimestepCaster::times() const noexcept {
  if (on_gpu_ != nullptr && uses_gpu()) return on_gpu_->times();
  return on_processor_ != nullptr ? on_processor_->times() : render::CastTimes{};
}

std::string TimestepCaster::drawn_by() const {
  if (on_gpu_ != nullptr && uses_gpu()) return "gl: " + gpu_->engine().renderer();
  return std::string("cpu: ") + render::name_of(kernels());
}

HostGpu::HostGpu(CasterChoice choice)
    : kernels_(choice == CasterChoice::scalar ? render::CastFamily::scalar
                                              : render::best_family()) {
  if (choice == CasterChoice::cpu || choice == CasterChoice::scalar) return;
  std::string why_not;
  const bool is_wished = choice == CasterChoice::gl;
  engine_ = render::GlEngine::open(
      {is_wished ? render::GlPreference::any : render::GlPreference::gpu, 0}, why_not);
  if (engine_ == nullptr && is_wished)
    throw InputError({"--caster"}, "", "OpenGL 4.3 for gl, or cpu or auto", why_not);
  is_used_ = engine_ != nullptr;
}

void HostGpu::give_up(const std::string& why) {
  if (!is_used_.exchange(false)) return;
  log_line("tilewall-caster: {}; the processor draws from now on", why);
}

void HostGpu::note_too_large(const std::string& why) {
  if (std::exchange(too_large_noted_, true)) return;
  log_line("tilewall-caster: {}; the processor draws volumes of this size", why);
}

}  // namespace tilewall::volume
