// Pictures of a volume by the fastest kernels that the processor has.
//
// Threads: a VolumeCaster belongs to one thread; it starts the helpers that a call asks for and
// ends them before the call returns.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "render/volume/beam_list.hpp"
#include "render/volume/picture_caster.hpp"
#include "render/volume/scalar_caster.hpp"
#include "render/volume/tiled_voxels.hpp"

namespace tilewall::render {

/// Of kernels. `scalar` is the reference, for every volume and mode.
enum class CastFamily { scalar, avx2, avx512, vnni };

/// "scalar", "avx2", "avx512", "vnni"
[[nodiscard]] const char* name_of(CastFamily family) noexcept;
/// Whether this build and this processor have it.
[[nodiscard]] bool is_available(CastFamily family) noexcept;
[[nodiscard]] CastFamily best_family() noexcept;

/// The voxels of a u8 volume by fours, all of them, on `threads` threads. @pre they are there in
/// rows
[[nodiscard]] std::unique_ptr<TiledVoxels> pack_voxels(const Volume& volume, int threads);

/// What a VolumeCaster of such a volume takes in memory beside it, but for what a style needs.
[[nodiscard]] std::size_t caster_bytes(VoxelType type, VolumeSize size) noexcept;

class VolumeCaster final : public PictureCaster {
 public:
  /// `volume` outlives this. u8 voxels are packed here, on `threads` threads.
  explicit VolumeCaster(const Volume& volume, CastFamily family = best_family(), int threads = 1);

  /// Finds the needed cells, on `threads` threads.
  void set_style(const TransferFunction& function, const CastStyle& style,
                 int threads = 1) override;

  /// The scalar family says that it took no samples.
  std::uint64_t cast(const CastView& view, RectPx part, const ImageView& to,
                     int threads = 1) override;

  /// The scalar family tells nothing of its pictures.
  [[nodiscard]] CastTimes times() const noexcept override { return times_; }

  /// As `cast`, but only samples are taken and summed, the same that a composite of nothing opaque
  /// takes: the pace that no caster can pass. The picture means nothing.
  std::uint64_t sample_only(const CastView& view, RectPx part, const ImageView& to, int threads);

  /// Of the cells, how many have something to show.
  [[nodiscard]] double needed_share() const noexcept;

 private:
  std::uint64_t run(const CastView& view, RectPx part, const ImageView& to, int threads,
                    bool sum_only);
  TransferTable set_stride(int stride);
  void fill_ray_plan(CastPlan& plan, const PixelRays& rays, const VoxelClip& clip) const;

  const Volume& volume_;
  CastFamily family_;
  std::unique_ptr<TiledVoxels> packed_;  ///< of u8 that does not lie in tiles
  std::optional<TransferFunction> function_;
  CastStyle style_;
  int stride_ = 1;  ///< steps between samples, as the plan has it
  std::optional<Occupancy> occupancy_;
  std::unique_ptr<CastPlan> plan_;  ///< all but the rays
  CastTimes times_;
};

}  // namespace tilewall::render
