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

/// Families of kernels. `scalar` is the reference, for every volume and mode.
enum class CastFamily { scalar, avx2, avx512, vnni };

/// "scalar", "avx2", "avx512", "vnni"
[[nodiscard]] const char* name_of(CastFamily family) noexcept;
/// Whether this build and this processor have the family.
[[nodiscard]] bool is_available(CastFamily family) noexcept;
[[nodiscard]] CastFamily best_family() noexcept;

/// Packs all of u8 voxels by fours, on `threads` threads.
[[nodiscard]] std::unique_ptr<TiledVoxels> pack_voxels(const VoxelArray& voxels, int threads);
/// Memory for packed voxels of a volume of `size`, for pack_layer().
[[nodiscard]] std::unique_ptr<TiledVoxels> packed_voxels(VolumeSize size);
/// Packs the tiles from tile `tile_z` along z, which need the slices [8 tile_z, 8 tile_z + 8), and
/// the last one beyond the end. Several threads may do so at once with different tiles.
void pack_layer(const VoxelArray& voxels, TiledVoxels& packed, int tile_z);

/// Bytes that a VolumeCaster of such a volume needs beside it, apart from those of a style.
[[nodiscard]] std::size_t caster_bytes(VoxelType type, VolumeSize size) noexcept;

class VolumeCaster final : public PictureCaster {
 public:
  /// `volume` outlives this. u8 voxels are packed here, on `threads` threads, unless they are in
  /// `packed`.
  explicit VolumeCaster(const Volume& volume, CastFamily family = best_family(), int threads = 1,
                        std::shared_ptr<const TiledVoxels> packed = nullptr);

  /// Finds the needed cells, on `threads` threads.
  void set_style(const TransferFunction& function, const CastStyle& style,
                 int threads = 1) override;

  /// Returns 0 with the scalar family, which does not count samples.
  std::uint64_t cast(const CastView& view, RectPx part, const ImageView& to,
                     int threads = 1) override;

  /// All zero with the scalar family.
  [[nodiscard]] CastTimes times() const noexcept override { return times_; }

  /// Takes and sums the samples that `cast` would take for a composite of nothing opaque, which is
  /// the pace that no caster can exceed. The picture has no meaning.
  std::uint64_t sample_only(const CastView& view, RectPx part, const ImageView& to, int threads);

  /// Share of the cells that have something to show.
  [[nodiscard]] double needed_share() const noexcept;

 private:
  std::uint64_t run(const CastView& view, RectPx part, const ImageView& to, int threads,
                    bool sum_only);
  TransferTable set_stride(int stride);
  void fill_ray_plan(CastPlan& plan, const PixelRays& rays, const VoxelClip& clip) const;

  const Volume& volume_;
  CastFamily family_;
  /// Packed voxels of a u8 volume that does not lie in tiles.
  std::shared_ptr<const TiledVoxels> packed_;
  std::optional<TransferFunction> function_;
  CastStyle style_;
  int stride_ = 1;  ///< Steps between samples, as in the plan
  std::optional<Occupancy> occupancy_;
  std::unique_ptr<CastPlan> plan_;  ///< Everything but the rays
  CastTimes times_;
};

}  // namespace tilewall::render
