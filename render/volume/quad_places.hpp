// Addresses of the quads of a u8 volume, for the lanes of a packet. Included by the files of the
// instruction sets only.
#pragma once

#include "render/volume/cast_plan.hpp"

namespace tilewall::render {
namespace {

/// Addresses in a QuadLayout. An `index` counts quads from the slice that the constructor is given,
/// a tile's first. Its ten lowest bits are the place in its tile: x 4, y 3, z 3.
template <typename V>
class QuadPlaces {
 public:
  using I = typename V::I;
  QuadPlaces(const CastPlan& plan, int slice)
      : quads_(plan.quads.quads + static_cast<std::ptrdiff_t>(slice / 8) * plan.quads.slice),
        row_(plan.quads.row),
        slice_(plan.quads.slice),
        flip_(V::all_i(static_cast<int>(plan.quads.flip))) {}
  I index(I x, I y, I z) const {
    const I along_x = V::add_i(x, V::mul_i(V::template right_i<4>(x), V::all_i(1024 - 16)));
    const I along_y = V::add_i(V::mul_i(y, V::all_i(16)),
                               V::mul_i(V::template right_i<3>(y), V::all_i(row_ - 8 * 16)));
    const I along_z = V::add_i(V::mul_i(z, V::all_i(128)),
                               V::mul_i(V::template right_i<3>(z), V::all_i(slice_ - 8 * 128)));
    return V::add_i(V::add_i(along_x, along_y), along_z);
  }
  I next(I index, int axis) const {
    const I last = V::all_i(field(axis));
    return V::add_i(index, V::select_equal_i(V::and_i(index, last), last, V::all_i(jump(axis)),
                                             V::all_i(unit(axis))));
  }
  I previous(I index, int axis) const {
    const I inside = V::and_i(index, V::all_i(field(axis)));
    return V::sub_i(
        index, V::select_equal_i(inside, V::all_i(0), V::all_i(jump(axis)), V::all_i(unit(axis))));
  }
  template <int dx, int dy, int dz>
  I quad(I index, typename V::M m) const {
    if constexpr (dx > 0) index = next(index, 0);
    if constexpr (dx < 0) index = previous(index, 0);
    if constexpr (dy > 0) index = next(index, 1);
    if constexpr (dy < 0) index = previous(index, 1);
    if constexpr (dz > 0) index = next(index, 2);
    if constexpr (dz > 1) index = next(index, 2);
    if constexpr (dz < 0) index = previous(index, 2);
    return V::xor_i(V::template gather_bits<4>(quads_, index, m), flip_);
  }

 private:
  static constexpr int unit(int axis) { return axis == 0 ? 1 : axis == 1 ? 16 : 128; }
  static constexpr int field(int axis) { return (axis == 0 ? 15 : 7) * unit(axis); }
  /// Quads from the last quad of a tile to the first of the next one along an axis.
  [[nodiscard]] int jump(int axis) const {
    return axis == 0 ? 1024 - 15 : axis == 1 ? row_ - 7 * 16 : slice_ - 7 * 128;
  }

  const std::uint32_t* quads_;
  int row_;
  int slice_;
  I flip_;
};

}  // namespace
}  // namespace tilewall::render
