// The input of a fast caster's kernels: everything about one picture as plain numbers, prepared
// once.
//
// A kernel casts one beam, 16 x 16 pixels at a multiple of 16 in the whole picture's coordinates,
// along the runs of samples of its list. A pixel gets the same bytes whatever part of the picture
// is cast, because samples that lists leave out add exactly nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "render/volume/cast_style.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

inline constexpr int beam_side_px = 16;

inline constexpr int most_run_samples = 64;

/// Samples first to end - 1 of every ray of a beam, at most most_run_samples.
struct BeamRun {
  int first = 0;
  int end = 0;
  bool interior = false;  ///< All samples, and their gradients' neighbours, lie inside of the clip
  /// Lowest slice z that the samples and their gradients' neighbours read; in tiled volumes the
  /// first slice of its tile.
  int slice = 0;
  /// Of a maximum: the greatest mark of the cells that its samples may lie in.
  std::uint8_t mark = 0;
  int top = 0;  ///< Highest slice z that the samples and their gradients' neighbours read
};

/// The transfer function as straight lines over equal intervals, few enough to stay in registers:
/// for a place p in [0, count], channel = base[floor(p)] + slope[floor(p)] * p.
struct TransferBins {
  static constexpr int max_count = 32;
  struct Channel {
    alignas(64) float base[max_count] = {};
    alignas(64) float slope[max_count] = {};
  };
  int count = 0;  ///< 0: the function does not fit
  float per_stored = 0;
  float at_zero = 0;  ///< place = stored * per_stored + at_zero
  Channel r, g, b, a;
};

/// The transfer function at discrete places, each the nearest to the values around it. Kernels look
/// at the opacity first.
struct TransferLevels {
  static constexpr int count = 2048;
  /// Places follow keys (CurveKey) in place of stored numbers. v' = stored * gain + offset.
  struct Key {
    float gain = 1;
    float offset = 0;
    float bias = 0;
    float above = 0;
  };
  bool is_keyed = false;
  Key key;
  float per_stored = 0;
  float at_zero = 0;
  alignas(64) float r[count + 1] = {};
  alignas(64) float g[count + 1] = {};
  alignas(64) float b[count + 1] = {};
  alignas(64) float a[count + 1] = {};
};

/// What refined composites read besides TransferLevels (refinement.hpp), at the same places.
struct TransferRefinement {
  static constexpr int count = TransferLevels::count;
  float first = 0;  ///< Places between which the opacity changes
  float last = 0;
  alignas(64) float a[count + 1] = {};        ///< Opacity of a refined sample
  alignas(64) float changes[count + 1] = {};  ///< TransferTable::changes() of the whole step
};

/// u8 voxels packed by fours ("quads"), in tiles of 16 x 8 x 8 quads, each a page of memory, x
/// fastest within and among them; see TiledVoxels. Quad (x, y, z) holds the voxels (x, y), (x + 1,
/// y), (x, y + 1) and (x + 1, y + 1) of slice z from the lowest byte up. Each byte is signed, the
/// voxel minus 128, xor the byte of `flip`. Beyond the last voxel of an axis the last one is
/// repeated.
struct QuadLayout {
  const std::uint32_t* quads = nullptr;
  int row = 0;             ///< Quads from a tile to the next along y
  int slice = 0;           ///< Quads from a tile to the next along z
  std::uint32_t flip = 0;  ///< The same byte four times
};

/// Marks of cells, from 1 to 255, by which a maximum leaves out cells that hold nothing greater
/// than a ray has found: those whose mark is not above that of the ray's number.
struct CellMarks {
  /// Samples may lie above their cell's greatest voxel, and found numbers above their samples, by
  /// less than this part of a mark, because both are rounded.
  static constexpr float slack = 1.0F / 32;

  float per_stored = 0;
  float least = 0;  ///< Stored number of mark 0

  /// The mark of a number before it is rounded down. It forms the difference first, so that numbers
  /// far from 0 lose nothing of it, and an instruction that multiplies and adds rounds alike. It is
  /// inlined always, because the kernels' files may not share functions with others.
  [[nodiscard, gnu::always_inline]] inline float of_number(float stored) const noexcept {
    return (stored - least) * per_stored;
  }
  [[nodiscard]] std::uint8_t of_cell(float greatest) const noexcept {
    return static_cast<std::uint8_t>(std::clamp(of_number(greatest) + slack, 0.0F, 254.0F) + 1);
  }
};

/// The cells of an Occupancy: one byte each, x fastest, not 0 where the style needs its samples.
/// Three bytes after the last one can be read.
struct NeededCells {
  const std::uint8_t* needed = nullptr;  ///< Null: nearly all cells are needed
  int size[3] = {};
  float per_voxel = 0;  ///< Cells per voxel
  CellMarks marks;      ///< Of a maximum, whose cells have them
};

/// Limit of a place's error in a kernel, which computes in single precision.
inline constexpr float place_error_voxels = 1.0F / 64;

struct CastPlan {
  // Rays, see PixelRays; sample k of one lies at start + k * advance.
  bool perspective = true;
  float centre_px[2] = {};
  float eye[3] = {};
  float ahead[3] = {};
  float right[3] = {};
  float down[3] = {};
  float slope = 0;
  float stretch = 0;
  float skew = 0;

  // Clip of the rays, in voxel coordinates.
  float box_min[3] = {};
  float box_max[3] = {};
  int planes = 0;
  float plane[max_clip_planes][4] = {};  ///< Normal and offset

  // The volume.
  VoxelType type = VoxelType::u8;
  int size[3] = {};
  const void* voxels = nullptr;
  QuadLayout quads;  ///< Layout of u8 voxels
  NeededCells cells;

  // The picture.
  CastMode mode = CastMode::composite;
  bool lit = false;
  Lighting lighting;
  float along_scale[3] = {};     ///< spacing / step: scales an advance to a part of a unit vector
  float gradient_scale[3] = {};  ///< Least spacing / spacing
  /// Square of flat_gradient_share of the volume's range, in stored numbers per voxel.
  float flat_squared = 1;
  float iso_stored = 0;
  Rgba iso_colour;
  Rgba background;
  TransferBins bins;
  TransferLevels levels;
  bool refine = false;
  TransferRefinement refinement;  ///< Filled where `refine` is set
  bool sum_only = false;          ///< Only sums the samples of composite's runs, for the benchmark
};

/// A beam, and those of its pixels that are cast: [x0, x1) x [y0, y1) of the whole picture.
struct Beam {
  int x = 0;  ///< Corner of the beam
  int y = 0;
  int x0 = 0;
  int y0 = 0;
  int x1 = 0;
  int y1 = 0;
  std::uint8_t* pixels = nullptr;  ///< Address of pixel (x0, y0)
  std::size_t stride_bytes = 0;
};

/// Casts a beam, and returns the number of samples taken.
using CastBeamFn = std::uint64_t (*)(const CastPlan& plan, const Beam& beam,
                                     std::span<const BeamRun> runs) noexcept;

// One file for each instruction set; null where it has no kernel for the plan, or is not built.
[[nodiscard]] CastBeamFn cast_beam_avx2(const CastPlan& plan) noexcept;
[[nodiscard]] CastBeamFn cast_beam_avx512(const CastPlan& plan) noexcept;
[[nodiscard]] CastBeamFn cast_beam_vnni(const CastPlan& plan) noexcept;

// The transfer function in the forms that kernels read.

/// Straight lines over equal intervals. Count 0 where a point of the function lies within an
/// interval, or the corrected opacity is not nearly straight within each.
[[nodiscard]] TransferBins bins_of(const TransferFunction& function, double opacity_step,
                                   ValueScale scale);

void fill_levels(const TransferTable& table, ValueScale scale, TransferLevels& levels);

/// `table`: of the step between samples; `fine`: of that between refined ones.
void fill_refinement(const TransferTable& table, const TransferTable& fine,
                     TransferRefinement& refinement);

}  // namespace tilewall::render
