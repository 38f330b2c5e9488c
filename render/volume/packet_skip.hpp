// Finds which packets of a beam need which samples. A beam's list holds the samples that any of its
// rays needs; a packet needs about half of these. Included by the files of the instruction sets
// only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "render/volume/cast_plan.hpp"

namespace tilewall::render {

// Sixteen pixels, or as many as there are lanes, on their way through a volume. Included by the
// files of the instruction sets only; V is one of simd_*.hpp.
namespace {

/// State of a packet from run to run.
template <typename V>
struct Packet {
  typename V::F start[3];
  typename V::F advance[3];
  typename V::I first;  ///< sample numbers inside of the clip: first to last
  typename V::I last;
  /// Sums; in modes maximum and average `r` is the raw value, `g` the count.
  typename V::F r, g, b;
  typename V::F a;
  typename V::M live;
  int x = 0;
  int y = 0;
};

}  // namespace

namespace {

/// Tests packets side by side, one per lane, against the cells that the style needs.
template <typename V>
class PacketSkip {
 public:
  explicit PacketSkip(const CastPlan& plan) : plan_(plan) {}

  /// @pre at most a beam's packets are added
  void add(const Packet<V>& packet) {
    if (plan_.cells.needed == nullptr) return;
    for (int axis = 0; axis < 3; ++axis) {
      start_min_[axis][count_] = V::least(packet.start[axis]);
      start_max_[axis][count_] = V::greatest(packet.start[axis]);
      advance_min_[axis][count_] = V::least(packet.advance[axis]);
      advance_max_[axis][count_] = V::greatest(packet.advance[axis]);
    }
    ++count_;
  }

  /// Of a maximum: leaves out cells that hold nothing greater than all rays of packet i have found.
  /// `least`: the least of their stored numbers.
  void leave_out_below(std::size_t i, float least) {
    const float mark = std::min(std::max(plan_.cells.marks.of_number(least), 0.0F), 255.0F);
    known_[i] = static_cast<std::int32_t>(mark);
  }
  /// Whether packet i needs nothing of a run with that mark.
  [[nodiscard]] bool leaves_out(std::size_t i, int mark) const { return mark <= known_[i]; }

  /// Finds 32 bits for every packet: bit i is set where samples run.first + i * stride, up to the
  /// next bit's, are needed. `bits`: room for a beam's packets, aligned as a vector.
  void find(const BeamRun& run, std::int32_t* bits) const {
    const int before = plan_.mode == CastMode::isosurface || plan_.refine ? 1 : 0;
    for (std::size_t group = 0; group < most; group += V::lanes) {
      I found = V::all_i(plan_.cells.needed == nullptr ? -1 : 0);
      for (int k = run.first; k < run.end && group < count_; k += stride) {
        const int last = std::min(k + stride, run.end) - 1;
        const I bit = V::all_i(static_cast<int>(1U << ((k - run.first) / stride)));
        found = V::or_i(found, V::kept_i(any_needed(group, std::max(k - before, 0), last), bit));
      }
      V::store_i(bits + group, found);
    }
  }

  /// The first part of the run whose bits are set, which are cleared. @pre bits != 0
  static BeamRun first_part(const BeamRun& run, std::uint32_t& bits) {
    const int skipped = std::countr_zero(bits);
    const int end = skipped + std::countr_one(bits >> skipped);
    BeamRun part = run;
    part.first = run.first + skipped * stride;
    part.end = std::min(run.first + end * stride, run.end);
    bits = end < 32 ? bits >> end << end : 0;
    return part;
  }

 private:
  using F = typename V::F;
  using I = typename V::I;
  using M = typename V::M;
  static constexpr int stride = 2;  ///< Samples per bit
  static_assert(most_run_samples <= 32 * stride);
  static constexpr std::size_t most = beam_side_px * beam_side_px / V::lanes;
  static_assert(most % V::lanes == 0);
  static constexpr int row_cells = 4;  ///< Cells of a row that one gather of 32 bits reads

  /// Whether a cell is needed in which the samples first to last of a packet may lie.
  M any_needed(std::size_t group, int first, int last) const {
    I low[3];
    I high[3];
    M inside = V::less(V::all(0), V::all(1));
    const F per_voxel = V::all(plan_.cells.per_voxel);
    for (int axis = 0; axis < 3; ++axis) {
      const F k0 = V::all(static_cast<float>(first));
      const F k1 = V::all(static_cast<float>(last));
      const F slow = V::load(advance_min_[axis] + group);
      const F fast = V::load(advance_max_[axis] + group);
      const F least = V::min(V::mul(k0, slow), V::mul(k1, slow));
      const F greatest = V::max(V::mul(k0, fast), V::mul(k1, fast));
      // The rounding error that beam lists assume, too: places are sums of numbers of these sizes
      // in single precision.
      const F error = V::fma(V::max(V::abs(least), V::abs(greatest)), V::all(1e-6F),
                             V::all(place_error_voxels));
      const F from = V::sub(V::add(V::load(start_min_[axis] + group), least), error);
      const F to = V::add(V::add(V::load(start_max_[axis] + group), greatest), error);
      const F from_cell = V::floor(V::mul(from, per_voxel));
      const F to_cell = V::floor(V::mul(to, per_voxel));
      const F end = V::all(static_cast<float>(plan_.cells.size[axis]));
      // The last voxel of an axis may start a cell that is not there: its samples are the last
      // cell's.
      inside = V::both(inside,
                       V::both(V::less_equal(from_cell, end), V::less_equal(V::all(0), to_cell)));
      const F last_cell = V::sub(end, V::all(1));
      low[axis] = V::truncated(V::min(V::max(from_cell, V::all(0)), last_cell));
      high[axis] = V::truncated(V::min(V::max(to_cell, V::all(0)), last_cell));
    }
    if (!V::any(inside)) return inside;
    // A row is read as four bytes; a box with longer rows counts as needed.
    const I length = V::add_i(V::sub_i(high[0], low[0]), V::all_i(1));
    const M long_row = V::less_i(V::all_i(row_cells), length);
    // Of a maximum, what a cell's mark exceeds the packet's by; else the mark itself, as that is 0.
    const I known = V::mul_i(V::load_i(known_ + group), V::all_i(0x01010101));
    const I in_row =
        V::right_by_i(V::all_i(-1), V::mul_i(V::sub_i(V::all_i(row_cells), length), V::all_i(8)));
    const I row_v = V::all_i(plan_.cells.size[0]);
    const I slice_v = V::all_i(plan_.cells.size[0] * plan_.cells.size[1]);
    I any = V::all_i(0);
    for (I z = low[2];;) {
      for (I y = low[1];;) {
        const I at = V::add_i(low[0], V::add_i(V::mul_i(y, row_v), V::mul_i(z, slice_v)));
        any = V::or_i(
            any, V::and_i(V::excess_bytes(
                              V::template gather_bits<1>(plan_.cells.needed, at, inside), known),
                          in_row));
        if (!V::any(V::less_i(y, high[1]))) break;
        y = V::min_i(V::add_i(y, V::all_i(1)), high[1]);
      }
      if (!V::any(V::less_i(z, high[2]))) break;
      z = V::min_i(V::add_i(z, V::all_i(1)), high[2]);
    }
    return V::both(inside, V::either(V::differ_i(any, V::all_i(0)), long_row));
  }

  const CastPlan& plan_;
  std::size_t count_ = 0;
  alignas(64) std::int32_t known_[most] = {};  // marks that packets need nothing of, nor below
  alignas(64) float start_min_[3][most] = {};
  alignas(64) float start_max_[3][most] = {};
  alignas(64) float advance_min_[3][most] = {};
  alignas(64) float advance_max_[3][most] = {};
};

}  // namespace

}  // namespace tilewall::render
