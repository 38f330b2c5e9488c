// Draws one volume by the host's GPU, and by the processor where there is none, where the volume is
// too large for it, and from the moment on that it fails: then the same picture again.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "player/volume/volume_job.hpp"
#include "render/gl/gl_engine.hpp"
#include "render/gl/gl_volume_caster.hpp"
#include "render/volume/volume_caster.hpp"

namespace tilewall::volume {

/// The GPU that a caster draws with, where there is one and for as long as it works.
///
/// Threads: belongs to the one that made it, but for is_used().
class HostGpu {
 public:
  /// Throws InputError where the GPU is requested for and there is no OpenGL 4.3.
  explicit HostGpu(CasterChoice choice);

  /// Whether pictures are to be made by it. Any thread.
  [[nodiscard]] bool is_used() const noexcept { return is_used_; }
  /// @pre is_used()
  [[nodiscard]] render::GlEngine& engine() const noexcept { return *engine_; }

  /// From now on the processor draws; says so once.
  void give_up(const std::string& why);

  /// Of a volume that the processor draws, since the GPU has no room; says so once for all.
  void note_too_large(const std::string& why);

 private:
  std::unique_ptr<render::GlEngine> engine_;
  bool too_large_noted_ = false;
  std::atomic<bool> is_used_{false};  ///< a hint to other threads, publishes nothing
};

/// Belongs to one thread at a time, the HostGpu's once it draws.
class TimestepCaster final : public render::PictureCaster {
 public:
  /// `volume` and `gpu` outlive this; no `gpu`: the processor. What the processor's kernels read is
  /// prepared here if they will draw, on `threads` threads.
  TimestepCaster(const render::Volume& volume, HostGpu* gpu, int threads);

  void set_style(const render::TransferFunction& function, const render::CastStyle& style,
                 int threads) override;
  std::uint64_t cast(const render::CastView& view, RectPx part, const ImageView& to,
                     int threads) override;
  [[nodiscard]] render::CastTimes times() const noexcept override;

  /// What made the newest picture: "gl: RENDERER", "cpu: avx512". @pre a style was set
  [[nodiscard]] std::string drawn_by() const;

 private:
  /// Tiles are the processor's.
  [[nodiscard]] bool uses_gpu() const noexcept {
    return gpu_ != nullptr && gpu_->is_used() && volume_.tiles() == nullptr;
  }
  void prepare_processor(int threads);

  const render::Volume& volume_;
  HostGpu* const gpu_;
  std::optional<render::TransferFunction> function_;
  render::CastStyle style_;
  std::unique_ptr<render::GlVolumeCaster> on_gpu_;      ///< null: this style is the processor's
  std::unique_ptr<render::VolumeCaster> on_processor_;  ///< null: not needed yet
  bool processor_has_style_ = false;
};

}  // namespace tilewall::volume
