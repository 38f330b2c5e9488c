// The colours of a packet's samples: the transfer function at their raw numbers, and their light.
// Included by the files of the instruction sets only; V is one of simd_*.hpp, Sampler one of
// samplers.hpp.
#pragma once

#include "render/volume/cast_plan.hpp"

namespace tilewall::render {
namespace {

/// How kernels look up a transfer function: by bins of straight pieces, or by levels, which for
/// scales that are not linear are those of a sample's CurveKey.
enum class TransferBy { bins, levels, keyed_levels };

/// A transfer function at raw numbers.
template <typename V, typename Sampler, TransferBy by>
class Colours {
 public:
  using F = typename V::F;
  using I = typename V::I;
  using M = typename V::M;

  explicit Colours(const CastPlan& plan) : plan_(plan) {
    const float per = by == TransferBy::bins ? plan.bins.per_stored : plan.levels.per_stored;
    const float zero = by == TransferBy::bins ? plan.bins.at_zero : plan.levels.at_zero;
    per_raw_ = V::all(per * Sampler::raw_scale);
    at_zero_ = V::all(zero + per * Sampler::raw_offset);
    if constexpr (by == TransferBy::keyed_levels) {
      const TransferLevels::Key& key = plan.levels.key;
      gain_ = V::all(key.gain * Sampler::raw_scale);
      offset_ = V::all(key.offset + key.gain * Sampler::raw_offset);
      bias_ = V::all(key.bias);
      above_ = V::all(key.above);
      per_raw_ = V::all(per);
      at_zero_ = V::all(zero);
    }
    end_ = V::all(by == TransferBy::bins ? static_cast<float>(plan.bins.count) * (1 - 1e-6F)
                                         : static_cast<float>(TransferLevels::count));
  }
  struct Place {
    I whole;
    F at;
  };
  Place place(F raw) const {
    if constexpr (by == TransferBy::keyed_levels) raw = key(raw);
    const F at = V::min(V::max(V::fma(raw, per_raw_, at_zero_), V::all(0)), end_);
    return {by == TransferBy::bins ? V::truncated(at) : V::nearest(at), at};
  }
  /// A place that may lie beyond the table.
  F unlimited_place(F raw) const { return V::fma(raw, per_raw_, at_zero_); }
  /// The change of the opacity between two places. @pre they are unlimited_place()s
  F change(F from, F to, M m) const {
    const auto up_to = [&](F at) {
      return V::gather(plan_.refinement.changes, V::nearest(V::min(V::max(at, V::all(0)), end_)),
                       m);
    };
    return V::sub(up_to(to), up_to(from));
  }
  F fine_opacity(const Place& place, M m) const {
    return V::gather(plan_.refinement.a, place.whole, m);
  }
  /// Whether samples have a place on the scale of values; others are empty.
  M takes(F raw) const { return V::less(above_, V::fma(raw, gain_, offset_)); }
  F opacity(const Place& place, M m) const {
    return channel(plan_.bins.a, plan_.levels.a, place, m);
  }
  void colour(const Place& place, M m, F& r, F& g, F& b) const {
    r = channel(plan_.bins.r, plan_.levels.r, place, m);
    g = channel(plan_.bins.g, plan_.levels.g, place, m);
    b = channel(plan_.bins.b, plan_.levels.b, place, m);
  }

 private:
  /// The CurveKey of a sample.
  F key(F raw) const {
    const F v = V::fma(raw, gain_, offset_);
    const I bits = V::bits_of(V::add(V::abs(v), bias_));
    const F size = V::to_f(V::sub_i(bits, V::all_i(key_base_bits)));
    const I sign = V::and_i(V::bits_of(v), V::all_i(static_cast<int>(0x80000000U)));
    return V::of_bits(V::xor_i(V::bits_of(size), sign));
  }
  F channel(const TransferBins::Channel& bins, const float* levels, const Place& place, M m) const {
    if constexpr (by == TransferBy::bins)
      return V::fma(V::look_up(bins.slope, place.whole), place.at,
                    V::look_up(bins.base, place.whole));
    else
      return V::gather(levels, place.whole, m);
  }

  const CastPlan& plan_;
  F per_raw_;
  F at_zero_;
  F end_;
  F gain_;  // this and the next: of keyed levels only
  F offset_;
  F bias_;
  F above_;
};

/// Multiplies the colour by its light and adds the highlight.
template <typename V, typename Sampler>
void light(const CastPlan& plan, const typename V::F* slope, const typename V::F* advance,
           typename V::F& r, typename V::F& g, typename V::F& b) {
  using F = typename V::F;
  F square = V::all(plan.flat_squared / (Sampler::raw_scale * Sampler::raw_scale));
  F along = V::all(0);
  for (int axis = 0; axis < 3; ++axis) {
    const F scaled = V::mul(slope[axis], V::all(plan.gradient_scale[axis]));
    square = V::fma(scaled, scaled, square);
    along = V::fma(scaled, V::mul(advance[axis], V::all(plan.along_scale[axis])), along);
  }
  F facing = V::mul(V::abs(along), V::rough_inverse_root(square));
  if constexpr (Sampler::has_holes) facing = V::select(V::is_number(facing), facing, V::all(0));
  const F matt = V::fma(facing, V::all(plan.lighting.diffuse), V::all(plan.lighting.ambient));
  F shine = V::mul(facing, facing);
  for (int i = 0; i < 3; ++i) shine = V::mul(shine, shine);
  shine = V::mul(shine, V::all(plan.lighting.specular));
  r = V::fma(r, matt, shine);
  g = V::fma(g, matt, shine);
  b = V::fma(b, matt, shine);
}

}  // namespace
}  // namespace tilewall::render
