// Sixteen pixels, or as many as there are lanes, on their way through a volume. Included by the
// files of the instruction sets only; V is one of simd_*.hpp.
#pragma once

namespace tilewall {
namespace {

/// What a packet keeps from run to run.
template <typename V>
struct Packet {
  typename V::F start[3];
  typename V::F advance[3];
  typename V::I first;  ///< sample numbers inside of the clip: first to last
  typename V::I last;
  typename V::F r, g, b;  ///< sums; of maximum and average `r` is the raw value, `g` the count
  typename V::F a;
  typename V::M live;
  int x = 0;
  int y = 0;
};

}  // namespace
}  // namespace tilewall
