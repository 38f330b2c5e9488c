// Draws one volume by the host's GPU. The processor draws it if there is no GPU, if the volume is
// too large for the GPU, and once the GPU has failed; a picture that failed is drawn again.
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

/// The GPU that a caster draws with, if there is one, until it fails, and the kernels with which
/// the processor draws instead.
///
/// Threads: for the thread that made it, except for is_used().
class HostGpu {
 public:
  /// Throws InputError if `choice` is gl and there is no OpenGL 4.3.
  explicit HostGpu(CasterChoice choice);

  /// Whether the GPU draws pictures. Any thread.
  [[nodiscard]] bool is_used() const noexcept { return is_used_; }
  /// @pre is_used()
  [[nodiscard]] render::GlEngine& engine() const noexcept { return *engine_; }
  /// The family of kernels with which the processor draws.
  [[nodiscard]] render::CastFamily kernels() const noexcept { return kernels_; }

  /// Makes the processor draw from now on, and logs `why` once.
  void give_up(const std::string& why);

  /// Logs, for the first volume that is too large for the GPU, that the processor draws it.
  void note_too_large(const std::string& why);

 private:
  const render::CastFamily kernels_;
  std::unique_ptr<render::GlEngine> engine_;
  bool too_large_noted_ = false;
  std::atomic<bool> is_used_{false};  // a hint to other threads; publishes nothing
};

/// Threads: one at a time; once it draws, only the HostGpu's.
class TimestepCaster final : public render::PictureCaster {
 public:
  /// `volume` and `gpu` outlive this object; without `gpu` the processor draws. If the processor
  /// will draw, this packs the voxels for its kernels, on `threads` threads, unless they are in
  /// `packed`.
  TimestepCaster(const render::Volume& volume, HostGpu* gpu, int threads,
                 std::shared_ptr<const render::TiledVoxels> packed = nullptr);

  void set_style(const render::TransferFunction& function, const render::CastStyle& style,
                 int threads) override;
  std::uint64_t cast(const render::CastView& view, RectPx part, const ImageView& to,
                     int threads) override;
  [[nodiscard]] render::CastTimes times() const noexcept override;

  /// The renderer of the newest picture: "gl: RENDERER" or "cpu: avx512". @pre A style was set.
  [[nodiscard]] std::string drawn_by() const;

 private:
  /// Whether the GPU draws this volume. Volumes in tiles are always drawn by the processor.
  [[nodiscard]] bool uses_gpu() const noexcept {
    return gpu_ != nullptr && gpu_->is_used() && volume_.tiles() == nullptr;
  }
  [[nodiscard]] render::CastFamily kernels() const noexcept {
    return gpu_ != nullptr ? gpu_->kernels() : render::best_family();
  }
  void prepare_processor(int threads);

  const render::Volume& volume_;
  HostGpu* const gpu_;
  std::optional<render::TransferFunction> function_;
  render::CastStyle style_;
  std::unique_ptr<render::GlVolumeCaster> on_gpu_;      // null: the processor draws
  std::unique_ptr<render::VolumeCaster> on_processor_;  // null: not needed yet
  bool processor_has_style_ = false;
};

}  // namespace tilewall::volume
