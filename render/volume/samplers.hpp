// Trilinear samples of a packet's lanes, for volumes of all types: the part of the kernels that
// reads the volume. A sampler's numbers are "raw": stored = raw * raw_scale + raw_offset.
// Included by the files of the instruction sets only.
#pragma once

#include "render/volume/quad_places.hpp"

namespace tilewall::render {
namespace {

template <typename V>
typename V::F lerp(typename V::F from, typename V::F to, typename V::F part) {
  return V::fma(part, V::sub(to, from), from);
}

/// Samples voxels as they are stored, with places in single precision. `Source` loads the corners
/// of a cell.
template <typename V, typename Source>
class FloatSampler {
 public:
  using F = typename V::F;
  using I = typename V::I;
  using M = typename V::M;
  static constexpr bool has_holes = Source::has_holes;
  static constexpr float raw_scale = Source::raw_scale;
  static constexpr float raw_offset = Source::raw_offset;

  struct Point {
    F at[3];
  };
  /// First corner of a cell, and the place in it.
  struct Cell {
    I index;
    F part[3];
  };

  FloatSampler(const CastPlan& plan, int slice) : source_(plan, slice) {
    const float shift = static_cast<float>(slice);
    for (int axis = 0; axis < 3; ++axis) {
      const float from = axis == 2 ? shift : 0;
      low_[axis] = V::all(0 - from);
      high_[axis] = V::all(static_cast<float>(plan.size[axis] - 1) - from);
      last_cell_[axis] = V::all_i(plan.size[axis] - 2 - static_cast<int>(from));
    }
    shift_ = V::all(shift);
  }

  /// Takes voxel coordinates, and subtracts the constructor's `slice`.
  Point point(F x, F y, F z) const { return {{x, y, V::sub(z, shift_)}}; }
  Point moved(const Point& p, int axis, float by) const {
    Point to = p;
    to.at[axis] = V::add(p.at[axis], V::all(by));
    return to;
  }
  template <bool edge>
  Cell cell(const Point& p) const {
    Cell cell;
    I whole[3];
    for (int axis = 0; axis < 3; ++axis) {
      F at = p.at[axis];
      if constexpr (edge) at = V::min(V::max(at, low_[axis]), high_[axis]);
      whole[axis] = V::truncated(at);
      if constexpr (edge) whole[axis] = V::min_i(whole[axis], last_cell_[axis]);
      cell.part[axis] = V::sub(at, V::to_f(whole[axis]));
    }
    cell.index = source_.index(whole[0], whole[1], whole[2]);
    return cell;
  }
  F value(const Cell& cell, M m) const { return source_.value(cell.index, cell.part, m); }

  /// Raw difference over two voxels, along each axis.
  template <bool edge>
  void gradient(const Point& p, const Cell& here, M m, F* slope) const {
    for (int axis = 0; axis < 3; ++axis) {
      if constexpr (edge) {
        slope[axis] = V::sub(value(cell<true>(moved(p, axis, 1)), m),
                             value(cell<true>(moved(p, axis, -1)), m));
      } else {
        slope[axis] = V::sub(source_.value(source_.next(here.index, axis), here.part, m),
                             source_.value(source_.previous(here.index, axis), here.part, m));
      }
    }
  }

  class Walk {
   public:
    Walk(const FloatSampler& sampler, const F* start, const F* advance, int k)
        : sampler_(sampler), start_(start), advance_(advance), k_(V::all(static_cast<float>(k))) {}
    Point point() const {
      return sampler_.point(V::fma(k_, advance_[0], start_[0]), V::fma(k_, advance_[1], start_[1]),
                            V::fma(k_, advance_[2], start_[2]));
    }
    void next() { k_ = V::add(k_, V::all(1)); }

   private:
    const FloatSampler& sampler_;
    const F* start_;
    const F* advance_;
    F k_;  // whole numbers below 2^24: exact
  };

 private:
  Source source_;
  F low_[3];
  F high_[3];
  I last_cell_[3];
  F shift_;
};

/// Loads voxels in rows without padding, of f32 and u16.
template <typename V, typename T>
class RowSource {
 public:
  using I = typename V::I;
  RowSource(const CastPlan& plan, int slice)
      : row_(plan.size[0]), slice_(plan.size[0] * plan.size[1]) {
    from_ = static_cast<const T*>(plan.voxels) + static_cast<std::ptrdiff_t>(slice) * slice_;
    row_v_ = V::all_i(row_);
    slice_v_ = V::all_i(slice_);
  }
  I index(I x, I y, I z) const {
    return V::add_i(V::add_i(x, V::mul_i(y, row_v_)), V::mul_i(z, slice_v_));
  }
  I next(I index, int axis) const { return V::add_i(index, V::all_i(stride(axis))); }
  I previous(I index, int axis) const { return V::sub_i(index, V::all_i(stride(axis))); }

 protected:
  [[nodiscard]] int stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? row_ : slice_; }

  const T* from_;
  int row_;
  int slice_;
  I row_v_;
  I slice_v_;
};

template <typename V>
class F32Source : public RowSource<V, float> {
 public:
  using F = typename V::F;
  static constexpr bool has_holes = true;
  static constexpr float raw_scale = 1;
  static constexpr float raw_offset = 0;
  using RowSource<V, float>::RowSource;
  F value(typename V::I index, const F* part, typename V::M m) const {
    const auto along_x = [&](std::ptrdiff_t offset) {
      F here;
      F next;
      V::gather_pair(this->from_ + offset, index, m, here, next);
      return lerp<V>(here, next, part[0]);
    };
    const F near = lerp<V>(along_x(0), along_x(this->row_), part[1]);
    const std::ptrdiff_t far_row = std::ptrdiff_t{this->slice_} + this->row_;
    return lerp<V>(near, lerp<V>(along_x(this->slice_), along_x(far_row), part[1]), part[2]);
  }
};

template <typename V>
class U16Source : public RowSource<V, std::uint16_t> {
 public:
  using F = typename V::F;
  static constexpr bool has_holes = false;
  static constexpr float raw_scale = 1;
  static constexpr float raw_offset = 0;
  using RowSource<V, std::uint16_t>::RowSource;
  F value(typename V::I index, const F* part, typename V::M m) const {
    const auto along_x = [&](std::ptrdiff_t offset) {
      const auto pair = V::template gather_bits<2>(this->from_ + offset, index, m);
      const F here = V::to_f(V::and_i(pair, V::all_i(0xFFFF)));
      return lerp<V>(here, V::to_f(V::template right_i<16>(pair)), part[0]);
    };
    const F near = lerp<V>(along_x(0), along_x(this->row_), part[1]);
    const std::ptrdiff_t far_row = std::ptrdiff_t{this->slice_} + this->row_;
    return lerp<V>(near, lerp<V>(along_x(this->slice_), along_x(far_row), part[1]), part[2]);
  }
};

/// Samples u8 voxels by quads, whose bytes are signed: 128 less than stored.
template <typename V>
class QuadSource : public QuadPlaces<V> {
 public:
  using F = typename V::F;
  using I = typename V::I;
  static constexpr bool has_holes = false;
  static constexpr float raw_scale = 1;
  static constexpr float raw_offset = 128;
  using QuadPlaces<V>::QuadPlaces;
  F value(I index, const F* part, typename V::M m) const {
    const auto in_slice = [&](I quad) {
      const F upper = lerp<V>(V::to_f(V::template signed_byte<24>(quad)),
                              V::to_f(V::template signed_byte<16>(quad)), part[0]);
      const F lower = lerp<V>(V::to_f(V::template signed_byte<8>(quad)),
                              V::to_f(V::template signed_byte<0>(quad)), part[0]);
      return lerp<V>(upper, lower, part[1]);
    };
    return lerp<V>(in_slice(this->template quad<0, 0, 0>(index, m)),
                   in_slice(this->template quad<0, 0, 1>(index, m)), part[2]);
  }
};

}  // namespace
}  // namespace tilewall::render
