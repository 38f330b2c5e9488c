// Compiled with -mavx512vnni besides what cast_beam_avx512.cpp has: no inline function of a header
// may be used here that others use too.

#include "render/volume/cast_plan.hpp"

#ifdef __x86_64__

#include "render/volume/packet_kernel.hpp"
#include "render/volume/simd_avx512.hpp"

namespace tilewall::render {
namespace {

/// x in the lower and y in the upper half of each lane.
__m512i whole_xy(const __m512i* at) {
  return _mm512_mask_blend_epi16(0xAAAAAAAA, _mm512_srli_epi32(at[0], 16), at[1]);
}

/// Addresses by places in 16.16 fixed point: x + 1008 (x / 16) + 16 y + (row - 128) (y / 8). Both
/// factors of the tiles are multiples of 16, and a sixteenth of them fits in half a lane.
class FixedPlaces : public QuadPlaces<Avx512> {
 public:
  FixedPlaces(const CastPlan& plan, int slice)
      : QuadPlaces(plan, slice),
        tile_pair_(_mm512_set1_epi32(((plan.quads.row / 16 - 8) << 16) | 63)),
        slice_v_(_mm512_set1_epi32(plan.quads.slice)) {}
  __m512i index_at(const __m512i* at) const {
    const __m512i xy = whole_xy(at);
    const __m512i tile = _mm512_srlv_epi16(xy, _mm512_set1_epi32((3 << 16) | 4));
    const __m512i inside = _mm512_madd_epi16(xy, _mm512_set1_epi32((16 << 16) | 1));
    const __m512i beyond = _mm512_slli_epi32(_mm512_madd_epi16(tile, tile_pair_), 4);
    const __m512i in_tile = _mm512_and_si512(_mm512_srli_epi32(at[2], 9), _mm512_set1_epi32(0x380));
    const __m512i layer = _mm512_mullo_epi32(_mm512_srli_epi32(at[2], 19), slice_v_);
    return _mm512_add_epi32(_mm512_add_epi32(inside, beyond), _mm512_add_epi32(in_tile, layer));
  }

 private:
  __m512i tile_pair_;
  __m512i slice_v_;
};

/// Samples u8 voxels by quads in whole numbers. Places are 16.16 fixed point, and the four weights
/// of a slice are bytes that sum to 255, so that one instruction filters a slice. Between slices it
/// uses floating point. A walk's place is computed anew at each run's start; from there it is off
/// by at most 2^-17 voxels per step.
class QuadDotSampler {
 public:
  using V = Avx512;
  static constexpr bool has_holes = false;
  static constexpr float raw_scale = 1.0F / 255.0F;
  static constexpr float raw_offset = 128;

  struct Point {
    __m512i at[3];
  };
  struct Cell {
    __m512i index;
    __m512i weights;
    __m512 part_z;
    __m512 lower;  ///< Lower slice's value, once value() was called
    __m512 upper;
  };

  QuadDotSampler(const CastPlan& plan, int slice)
      : quads_(plan, slice), shift_(_mm512_set1_epi32(slice << 16)) {
    for (int axis = 0; axis < 3; ++axis) {
      const int from = axis == 2 ? slice : 0;
      low_[axis] = _mm512_set1_epi32((0 - from) * 65536);
      high_[axis] = _mm512_set1_epi32((plan.size[axis] - 1 - from) * 65536);
    }
  }

  Point point(__m512 x, __m512 y, __m512 z) const {
    return {{fixed(x), fixed(y), _mm512_sub_epi32(fixed(z), shift_)}};
  }
  Point moved(const Point& p, int axis, int by) const {
    Point to = p;
    to.at[axis] = _mm512_add_epi32(p.at[axis], _mm512_set1_epi32(by * 65536));
    return to;
  }

  template <bool edge>
  Cell cell(Point p) const {
    if constexpr (edge)
      for (int axis = 0; axis < 3; ++axis)
        p.at[axis] = _mm512_min_epi32(_mm512_max_epi32(p.at[axis], low_[axis]), high_[axis]);
    Cell cell;
    cell.index = quads_.index_at(p.at);
    // Weights are parts in 255ths. (x y + 255) / 256, rounded down, is never more than x or y, nor
    // less than x + y - 255, so no weight is below 0.
    const __m512i byte = _mm512_set1_epi32(255);
    const __m512i x = _mm512_and_si512(_mm512_srli_epi32(p.at[0], 8), byte);
    const __m512i y = _mm512_and_si512(_mm512_srli_epi32(p.at[1], 8), byte);
    const __m512i xy = _mm512_srli_epi32(_mm512_add_epi32(_mm512_mullo_epi16(x, y), byte), 8);
    const __m512i only_y = _mm512_sub_epi32(y, xy);
    const __m512i only_x = _mm512_sub_epi32(x, xy);
    const __m512i neither = _mm512_sub_epi32(_mm512_sub_epi32(byte, x), only_y);
    cell.weights =
        _mm512_or_si512(_mm512_or_si512(neither, _mm512_slli_epi32(only_x, 8)),
                        _mm512_or_si512(_mm512_slli_epi32(only_y, 16), _mm512_slli_epi32(xy, 24)));
    cell.part_z =
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_and_si512(p.at[2], _mm512_set1_epi32(0xFFFF))),
                      _mm512_set1_ps(1.0F / 65536));
    return cell;
  }

  __m512 value(Cell&& cell, __mmask16 m) const { return value(cell, m); }
  __m512 value(Cell& cell, __mmask16 m) const {
    cell.lower = in_slice<0, 0, 0>(cell, m);
    cell.upper = in_slice<0, 0, 1>(cell, m);
    return lerp<V>(cell.lower, cell.upper, cell.part_z);
  }

  /// @pre value() was called for `here`, with at least these lanes
  template <bool edge>
  void gradient(const Point& p, const Cell& here, __mmask16 m, __m512* slope) const {
    if constexpr (edge) {
      for (int axis = 0; axis < 3; ++axis)
        slope[axis] = _mm512_sub_ps(value(cell<true>(moved(p, axis, 1)), m),
                                    value(cell<true>(moved(p, axis, -1)), m));
    } else {
      // The same weights apply to all neighbours, so differences of them are filtered.
      const auto between = [&](__m512 near, __m512 near_before, __m512 far, __m512 far_before) {
        return lerp<V>(_mm512_sub_ps(near, near_before), _mm512_sub_ps(far, far_before),
                       here.part_z);
      };
      slope[0] = between(in_slice<1, 0, 0>(here, m), in_slice<-1, 0, 0>(here, m),
                         in_slice<1, 0, 1>(here, m), in_slice<-1, 0, 1>(here, m));
      slope[1] = between(in_slice<0, 1, 0>(here, m), in_slice<0, -1, 0>(here, m),
                         in_slice<0, 1, 1>(here, m), in_slice<0, -1, 1>(here, m));
      slope[2] =
          between(here.upper, in_slice<0, 0, -1>(here, m), in_slice<0, 0, 2>(here, m), here.lower);
    }
  }

  class Walk {
   public:
    Walk(const QuadDotSampler& sampler, const __m512* start, const __m512* advance, int k) {
      const __m512 first = _mm512_set1_ps(static_cast<float>(k));
      point_ = sampler.point(_mm512_fmadd_ps(first, advance[0], start[0]),
                             _mm512_fmadd_ps(first, advance[1], start[1]),
                             _mm512_fmadd_ps(first, advance[2], start[2]));
      for (int axis = 0; axis < 3; ++axis) step_[axis] = fixed(advance[axis]);
    }
    const Point& point() const { return point_; }
    void next() {
      for (int axis = 0; axis < 3; ++axis)
        point_.at[axis] = _mm512_add_epi32(point_.at[axis], step_[axis]);
    }

   private:
    Point point_;
    __m512i step_[3];
  };

 private:
  static __m512i fixed(__m512 at) {
    return _mm512_cvtps_epi32(_mm512_mul_ps(at, _mm512_set1_ps(65536)));
  }
  template <int dx, int dy, int dz>
  __m512 in_slice(const Cell& cell, __mmask16 m) const {
    const __m512i quad = quads_.quad<dx, dy, dz>(cell.index, m);
    return _mm512_cvtepi32_ps(_mm512_dpbusd_epi32(_mm512_setzero_si512(), cell.weights, quad));
  }

  FixedPlaces quads_;
  __m512i shift_;
  __m512i low_[3];
  __m512i high_[3];
};

}  // namespace

CastBeamFn cast_beam_vnni(const CastPlan& plan) noexcept {
  // The place of a surface, and whether a ray meets it at all, may depend on less than the weights'
  // rounding.
  if (plan.type != VoxelType::u8 || plan.mode == CastMode::isosurface)
    return cast_beam_avx512(plan);
  return kernel_of<Avx512, QuadDotSampler>(plan);
}

}  // namespace tilewall::render

#endif
