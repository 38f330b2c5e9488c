// The kernels: they take one packet of pixels, as many as there are lanes, along a beam's runs of
// samples. The formulas are those of scalar_caster.cpp. Included by the files of the instruction
// sets only; V is one of simd_*.hpp, Sampler one of samplers.hpp.
#pragma once

#include <algorithm>
#include <cstring>

#include "render/volume/packet_colours.hpp"
#include "render/volume/packet_skip.hpp"
#include "render/volume/refinement.hpp"
#include "render/volume/samplers.hpp"

namespace tilewall::render {
namespace {

template <CastMode mode_, bool lit_, TransferBy by_, bool sum_only_ = false, bool refine_ = false>
struct KernelStyle {
  static constexpr CastMode mode = mode_;
  static constexpr bool lit = lit_;
  static constexpr TransferBy by = by_;
  static constexpr bool sum_only = sum_only_;
  static constexpr bool refine = refine_;
  /// Whether a sample's part in the picture depends on the one before it.
  static constexpr bool looks_back = mode_ == CastMode::isosurface || refine_;
};

template <typename V>
typename V::F all_along(const float* numbers, const typename V::F* by) {
  return V::fma(V::all(numbers[0]), by[0],
                V::fma(V::all(numbers[1]), by[1], V::mul(V::all(numbers[2]), by[2])));
}

/// Narrows [near, far] to where value + k * slope >= 0. A slope of about 0 counts as a small one.
template <typename V>
void keep_above(typename V::F value, typename V::F slope, typename V::F& near, typename V::F& far) {
  using F = typename V::F;
  const F tiny = V::all(1e-20F);
  const F safe = V::select(V::less(V::abs(slope), tiny), tiny, slope);
  const F at = V::div(V::sub(V::all(0), value), safe);
  const auto rising = V::less(V::all(0), safe);
  near = V::select(rising, V::max(near, at), near);
  far = V::select(rising, far, V::min(far, at));
}

template <typename V>
void find_span(const CastPlan& plan, Packet<V>& packet) {
  using F = typename V::F;
  F near = V::all(0);
  F far = V::all(16777216.0F);
  const F tiny = V::all(1e-20F);
  for (int axis = 0; axis < 3; ++axis) {
    const F advance = packet.advance[axis];
    const F inverse = V::div(V::all(1), V::select(V::less(V::abs(advance), tiny), tiny, advance));
    const F a = V::mul(V::sub(V::all(plan.box_min[axis]), packet.start[axis]), inverse);
    const F b = V::mul(V::sub(V::all(plan.box_max[axis]), packet.start[axis]), inverse);
    near = V::max(near, V::min(a, b));
    far = V::min(far, V::max(a, b));
  }
  for (int i = 0; i < plan.planes; ++i)
    keep_above<V>(V::add(all_along<V>(plan.plane[i], packet.start), V::all(plan.plane[i][3])),
                  all_along<V>(plan.plane[i], packet.advance), near, far);
  packet.live = V::less_equal(near, far);
  near = V::min(near, V::all(16777216.0F));
  far = V::max(far, V::all(-1));
  packet.first = V::truncated(V::ceil(near));
  packet.last = V::truncated(V::floor(far));
  packet.live = V::both(packet.live, V::less_equal_i(packet.first, packet.last));
}

template <typename V>
void set_rays(const CastPlan& plan, int x, int y, Packet<V>& packet) {
  using F = typename V::F;
  // Whole and half numbers below 2^23: exact.
  const F sx = V::add(V::column(), V::all(static_cast<float>(x) + 0.5F - plan.centre_px[0]));
  const F sy = V::add(V::row(), V::all(static_cast<float>(y) + 0.5F - plan.centre_px[1]));
  const F square = V::fma(sx, sx, V::mul(sy, sy));
  const F askew = V::fma(sx, V::all(plan.stretch), V::mul(sy, V::all(plan.skew)));
  const F longer = V::fma(square, V::all(plan.slope * plan.slope), V::all(1));
  const F shorter = V::div(V::all(1), V::root(V::fma(sx, askew, longer)));
  for (int axis = 0; axis < 3; ++axis) {
    const F across = V::fma(sx, V::all(plan.right[axis]), V::mul(sy, V::all(plan.down[axis])));
    if (plan.perspective) {
      packet.start[axis] = V::all(plan.eye[axis]);
      packet.advance[axis] = V::mul(V::add(V::all(plan.ahead[axis]), across), shorter);
    } else {
      packet.start[axis] = V::add(V::all(plan.eye[axis]), across);
      packet.advance[axis] = V::all(plan.ahead[axis]);
    }
  }
}

template <typename V>
void begin_packet(const CastPlan& plan, int x, int y, Packet<V>& packet) {
  packet.x = x;
  packet.y = y;
  set_rays<V>(plan, x, y, packet);
  packet.r = packet.g = packet.b = packet.a = V::all(0);
  if (plan.mode == CastMode::maximum) packet.r = V::all(-1e30F);
  find_span<V>(plan, packet);
}

/// Of a packet in a kernel that looks back: the value of sample next - 1, and the lanes where it is
/// known. Apart from Packet, so that other kernels need no room for it in the nearest cache.
template <typename V>
struct LastSample {
  typename V::F before;
  typename V::M known;
  int next = -1;
};

template <typename V, typename Sampler, typename Style>
class PacketCaster {
 public:
  using F = typename V::F;
  using I = typename V::I;
  using M = typename V::M;
  using Cell = typename Sampler::Cell;
  using Point = typename Sampler::Point;
  using Place = typename Colours<V, Sampler, Style::by>::Place;

  explicit PacketCaster(const CastPlan& plan)
      : plan_(plan),
        colours_(plan),
        iso_(V::all((plan.iso_stored - Sampler::raw_offset) / Sampler::raw_scale)) {}

  /// Takes the run's samples, and returns their number.
  template <bool edge>
  std::uint64_t take(const BeamRun& run, Packet<V>& packet, LastSample<V>& last) const {
    const Sampler sampler(plan_, run.slice);
    State state = {packet.r, packet.g, packet.b, packet.a, packet.live, {}, {}, 0};
    typename Sampler::Walk walk(sampler, packet.start, packet.advance, run.first);
    if constexpr (Style::looks_back) {
      if (last.next == run.first) {
        state.before = last.before;
        state.known = last.known;
      } else {
        look_back(sampler, run, packet, state);
      }
    }
    // Reading must not depend on the state of the samples before, or each sample would wait for the
    // colour of the one before it. A ray that ends within the run goes on taking samples, which add
    // nothing.
    const M entered = state.live;
    for (int k = run.first; k < run.end; ++k, walk.next()) {
      M inside = entered;
      if constexpr (edge) {
        inside = V::both(inside, V::both(V::less_equal_i(packet.first, V::all_i(k)),
                                         V::less_equal_i(V::all_i(k), packet.last)));
        if (!V::any(inside)) {
          if constexpr (Style::looks_back) state.known = V::none();
          continue;
        }
      }
      const Point point = walk.point();
      Cell cell = sampler.template cell<edge>(point);
      const F raw = sampler.value(cell, inside);
      if constexpr (Sampler::has_holes) inside = V::both(inside, V::is_number(raw));
      if constexpr (Style::by == TransferBy::keyed_levels)
        inside = V::both(inside, colours_.takes(raw));
      state.samples += static_cast<std::uint64_t>(V::count(V::both(inside, state.live)));
      add<edge>(sampler, point, cell, raw, inside, k, packet, state);
      if (!V::any(state.live)) break;
    }
    packet.r = state.r;
    packet.g = state.g;
    packet.b = state.b;
    packet.a = state.a;
    packet.live = state.live;
    if constexpr (Style::looks_back) {
      last = {state.before, state.known, run.end};
    }
    return state.samples;
  }

  /// The least of the numbers that the packet's rays have found, as a stored number.
  float least_found(const Packet<V>& packet) const {
    const F raw = V::select(packet.live, packet.r, V::all(1e30F));
    return V::least(raw) * Sampler::raw_scale + Sampler::raw_offset;
  }

  /// Turns the maximum or mean into its colour.
  void finish(Packet<V>& packet) const {
    if constexpr (Style::mode == CastMode::maximum || Style::mode == CastMode::average) {
      F raw = packet.r;
      M seen = V::less(V::all(-1e29F), raw);
      if constexpr (Style::mode == CastMode::average) {
        seen = V::less(V::all(0), packet.g);
        raw = V::div(raw, V::max(packet.g, V::all(1)));
      }
      const auto place = colours_.place(raw);
      const F a = V::select(seen, colours_.opacity(place, seen), V::all(0));
      colours_.colour(place, seen, packet.r, packet.g, packet.b);
      packet.r = V::mul(packet.r, a);
      packet.g = V::mul(packet.g, a);
      packet.b = V::mul(packet.b, a);
      packet.a = a;
    }
  }

 private:
  struct State {
    F r, g, b, a;
    M live;
    F before;  ///< Sample before this one, where known
    M known;
    std::uint64_t samples;
  };

  template <bool edge>
  void add(const Sampler& sampler, const Point& point, const Cell& cell, F raw, M inside, int k,
           const Packet<V>& packet, State& state) const {
    if constexpr (Style::sum_only) {
      state.a = V::select(inside, V::add(state.a, raw), state.a);
    } else if constexpr (Style::mode == CastMode::maximum) {
      state.r = V::select(inside, V::max(raw, state.r), state.r);
    } else if constexpr (Style::mode == CastMode::average) {
      state.r = V::select(inside, V::add(state.r, raw), state.r);
      state.g = V::select(inside, V::add(state.g, V::all(1)), state.g);
    } else if constexpr (Style::mode == CastMode::isosurface) {
      cross<edge>(sampler, raw, inside, k, packet, state);
    } else if constexpr (Style::refine) {
      refine<edge>(sampler, point, cell, raw, inside, k, packet, state);
    } else {
      const Place place = colours_.place(raw);
      composite<edge>(sampler, point, cell, place, colours_.opacity(place, inside), inside, packet,
                      state);
    }
  }

  /// Lanes in which the opacity changes much between the sample before and this one.
  M changes_much(F raw, M inside, const State& state) const {
    const F before = colours_.unlimited_place(state.before);
    const F here = colours_.unlimited_place(raw);
    const F reach = V::mul(V::abs(V::sub(here, before)), V::all(refined_reach));
    const F low = V::sub(V::min(before, here), reach);
    const F high = V::add(V::max(before, here), reach);
    const M both = V::both(V::both(inside, state.live), state.known);
    const M may = V::both(both, V::both(V::less(low, V::all(plan_.refinement.last)),
                                        V::less(V::all(plan_.refinement.first), high)));
    if (!V::any(may)) return may;
    const F left = V::sub(V::all(1), state.a);
    return V::both(may,
                   V::less(V::all(refined_change), V::mul(colours_.change(low, high, may), left)));
  }

  /// Adds a sample, and those between it and the one before where the opacity changes much.
  template <bool edge>
  void refine(const Sampler& sampler, const Point& point, const Cell& cell, F raw, M inside, int k,
              const Packet<V>& packet, State& state) const {
    const Place place = colours_.place(raw);
    F opacity = colours_.opacity(place, inside);
    const M fine = changes_much(raw, inside, state);
    if (V::any(fine)) {
      // All are taken before the first one is added. One by one, each would be read only after the
      // one before had its colour, which takes a tenth longer.
      constexpr int count = refined_samples - 1;
      Point points[count];
      Cell cells[count];
      M there[count];
      Place places[count];
      F opacities[count];
      for (int i = 0; i < count; ++i) {
        const float part = static_cast<float>(i + 1) / refined_samples;
        points[i] = at(sampler, packet, V::all(static_cast<float>(k - 1) + part));
        cells[i] = sampler.template cell<edge>(points[i]);
        const F value = sampler.value(cells[i], fine);
        there[i] = fine;
        if constexpr (Sampler::has_holes) there[i] = V::both(fine, V::is_number(value));
        places[i] = colours_.place(value);
        opacities[i] = colours_.fine_opacity(places[i], there[i]);
      }
      for (int i = 0; i < count; ++i) {
        const M seen = V::both(there[i], state.live);
        state.samples += static_cast<std::uint64_t>(V::count(seen));
        composite<edge>(sampler, points[i], cells[i], places[i], opacities[i], seen, packet, state);
      }
      opacity = V::select(fine, colours_.fine_opacity(place, fine), opacity);
    }
    composite<edge>(sampler, point, cell, place, opacity, inside, packet, state);
    state.before = raw;
    state.known = inside;
  }

  template <bool edge>
  void composite(const Sampler& sampler, const Point& point, const Cell& cell, const Place& place,
                 F opacity, M inside, const Packet<V>& packet, State& state) const {
    // Between two entries without opacity, rounding may leave a little opacity, far less than a
    // level.
    const M seen = V::both(inside, V::less(V::all(1e-7F), opacity));
    if (!V::any(seen)) return;
    F r;
    F g;
    F b;
    colours_.colour(place, seen, r, g, b);
    if constexpr (Style::lit) {
      F slope[3];
      sampler.template gradient<edge>(point, cell, seen, slope);
      light<V, Sampler>(plan_, slope, packet.advance, r, g, b);
    }
    const F weight = V::select(V::both(seen, state.live),
                               V::mul(V::sub(V::all(1), state.a), opacity), V::all(0));
    state.r = V::fma(weight, r, state.r);
    state.g = V::fma(weight, g, state.g);
    state.b = V::fma(weight, b, state.b);
    state.a = V::add(state.a, weight);
    state.live = V::both(state.live, V::less(state.a, V::all(opaque_enough)));
  }

  /// Takes the sample before the run's first one.
  void look_back(const Sampler& sampler, const BeamRun& run, const Packet<V>& packet,
                 State& state) const {
    const I k = V::all_i(run.first - 1);
    state.known = V::both(
        state.live, V::both(V::less_equal_i(packet.first, k), V::less_equal_i(k, packet.last)));
    state.before = V::all(0);
    if (!V::any(state.known)) return;
    state.before =
        sampler.value(sampler.template cell<true>(at(sampler, packet, V::to_f(k))), state.known);
    if constexpr (Sampler::has_holes)
      state.known = V::both(state.known, V::is_number(state.before));
  }

  static Point at(const Sampler& sampler, const Packet<V>& packet, F k) {
    return sampler.point(V::fma(k, packet.advance[0], packet.start[0]),
                         V::fma(k, packet.advance[1], packet.start[1]),
                         V::fma(k, packet.advance[2], packet.start[2]));
  }

  template <bool edge>
  void cross(const Sampler& sampler, F raw, M inside, int k, const Packet<V>& packet,
             State& state) const {
    const M below = V::less(raw, iso_);
    const M hit = V::both(V::both(V::both(inside, state.live), state.known),
                          V::differ(V::less(state.before, iso_), below));
    if (V::any(hit)) [[unlikely]] {
      F low = V::all(static_cast<float>(k - 1));
      F high = V::all(static_cast<float>(k));
      F low_value = state.before;
      F high_value = raw;
      for (int i = 0; i < iso_halvings; ++i) {
        const F middle = V::mul(V::add(low, high), V::all(0.5F));
        const F here = sampler.value(sampler.template cell<true>(at(sampler, packet, middle)), hit);
        // The crossing lies before the middle.
        const M stays = V::differ(V::less(here, iso_), V::less(low_value, iso_));
        high = V::select(stays, middle, high);
        high_value = V::select(stays, here, high_value);
        low = V::select(stays, low, middle);
        low_value = V::select(stays, low_value, here);
      }
      const F part = V::div(V::sub(iso_, low_value), V::sub(high_value, low_value));
      const Point point = at(sampler, packet, V::fma(part, V::sub(high, low), low));
      const Cell cell = sampler.template cell<true>(point);
      F slope[3];
      sampler.template gradient<true>(point, cell, hit, slope);
      F r = V::all(plan_.iso_colour.r);
      F g = V::all(plan_.iso_colour.g);
      F b = V::all(plan_.iso_colour.b);
      light<V, Sampler>(plan_, slope, packet.advance, r, g, b);
      state.r = V::select(hit, r, state.r);
      state.g = V::select(hit, g, state.g);
      state.b = V::select(hit, b, state.b);
      state.a = V::select(hit, V::all(1), state.a);
      state.live = V::without(state.live, hit);
    }
    state.before = raw;
    state.known = inside;
  }

  const CastPlan& plan_;
  Colours<V, Sampler, Style::by> colours_;
  F iso_;
};

template <typename V>
void write_packet(const CastPlan& plan, const Beam& beam, const Packet<V>& packet) {
  using I = typename V::I;
  const typename V::F rest = V::sub(V::all(1), packet.a);
  const typename V::F* sums[3] = {&packet.b, &packet.g, &packet.r};
  const float background[3] = {plan.background.b, plan.background.g, plan.background.r};
  I bgra = V::all_i(static_cast<int>(0xFF000000U));
  for (int channel = 0; channel < 3; ++channel) {
    const auto level = V::fma(V::fma(rest, V::all(background[channel]), *sums[channel]),
                              V::all(255), V::all(0.5F));
    const I whole = V::truncated(V::min(V::max(level, V::all(0)), V::all(255)));
    bgra = V::or_i(bgra, V::mul_i(whole, V::all_i(1 << (8 * channel))));
  }
  alignas(64) std::int32_t pixels[V::lanes];
  V::store_i(pixels, bgra);
  const int first = std::max(packet.x, beam.x0);
  const int count = std::min(packet.x + V::columns, beam.x1) - first;
  for (int row = 0; row < V::rows; ++row) {
    const int y = packet.y + row;
    if (y < beam.y0 || y >= beam.y1) continue;
    std::memcpy(beam.pixels + static_cast<std::size_t>(y - beam.y0) * beam.stride_bytes +
                    static_cast<std::ptrdiff_t>(first - beam.x0) * 4,
                pixels + row * V::columns + (first - packet.x),
                static_cast<std::size_t>(count) * 4);
  }
}

/// Takes all packets of the beam through one run after the other, so that the voxels that one
/// packet has read are in the nearest cache for the next one.
template <typename V, typename Sampler, typename Style>
std::uint64_t cast_beam(const CastPlan& plan, const Beam& beam,
                        std::span<const BeamRun> runs) noexcept {
  constexpr std::size_t most = beam_side_px * beam_side_px / V::lanes;
  Packet<V> packets[most];
  LastSample<V> last[Style::looks_back ? most : 1];
  PacketSkip<V> skip(plan);
  int count = 0;
  for (int y = beam.y; y < beam.y + beam_side_px; y += V::rows)
    for (int x = beam.x; x < beam.x + beam_side_px; x += V::columns) {
      if (x >= beam.x1 || x + V::columns <= beam.x0 || y >= beam.y1 || y + V::rows <= beam.y0)
        continue;
      begin_packet<V>(plan, x, y, packets[count]);
      skip.add(packets[count++]);
    }
  const PacketCaster<V, Sampler, Style> caster(plan);
  std::uint64_t samples = 0;
  for (const BeamRun& run : runs) {
    alignas(64) std::int32_t needed[most];
    bool any = false;
    if constexpr (Style::mode == CastMode::maximum) {
      // Runs come by their marks, so that no later one is needed where this one is not.
      for (int i = 0; i < count; ++i)
        any = any ||
              (V::any(packets[i].live) && !skip.leaves_out(static_cast<std::size_t>(i), run.mark));
      if (!any) break;
    }
    skip.find(run, needed);
    any = false;
    for (int i = 0; i < count; ++i) {
      if (!V::any(packets[i].live)) continue;
      any = true;
      for (auto bits = static_cast<std::uint32_t>(needed[i]); bits != 0;) {
        const BeamRun part = skip.first_part(run, bits);
        LastSample<V>& before = last[Style::looks_back ? i : 0];
        samples += part.interior ? caster.template take<false>(part, packets[i], before)
                                 : caster.template take<true>(part, packets[i], before);
      }
      if constexpr (Style::mode == CastMode::maximum)
        skip.leave_out_below(static_cast<std::size_t>(i), caster.least_found(packets[i]));
    }
    if (!any) break;
  }
  for (int i = 0; i < count; ++i) {
    caster.finish(packets[i]);
    write_packet<V>(plan, beam, packets[i]);
  }
  return samples;
}

template <typename V, typename Sampler, TransferBy by>
CastBeamFn kernel_by(const CastPlan& plan) noexcept {
  constexpr CastMode composite = CastMode::composite;
  switch (plan.mode) {
    case CastMode::maximum:
      return cast_beam<V, Sampler, KernelStyle<CastMode::maximum, false, by>>;
    case CastMode::average:
      return cast_beam<V, Sampler, KernelStyle<CastMode::average, false, by>>;
    case CastMode::isosurface:  // looks up no colours
      return cast_beam<V, Sampler, KernelStyle<CastMode::isosurface, false, TransferBy::levels>>;
    case CastMode::composite:
      break;
  }
  return plan.lit ? cast_beam<V, Sampler, KernelStyle<composite, true, by>>
                  : cast_beam<V, Sampler, KernelStyle<composite, false, by>>;
}

/// The kernel for the plan's mode.
template <typename V, typename Sampler>
CastBeamFn kernel_of(const CastPlan& plan) noexcept {
  constexpr CastMode composite = CastMode::composite;
  if (plan.sum_only)
    return cast_beam<V, Sampler, KernelStyle<composite, false, TransferBy::levels, true>>;
  if (plan.refine)
    return plan.lit ? cast_beam<V, Sampler,
                                KernelStyle<composite, true, TransferBy::levels, false, true>>
                    : cast_beam<V, Sampler,
                                KernelStyle<composite, false, TransferBy::levels, false, true>>;
  if (plan.levels.is_keyed) return kernel_by<V, Sampler, TransferBy::keyed_levels>(plan);
  if constexpr (V::has_bins) {
    if (plan.mode == composite && plan.bins.count > 0)
      return plan.lit ? cast_beam<V, Sampler, KernelStyle<composite, true, TransferBy::bins>>
                      : cast_beam<V, Sampler, KernelStyle<composite, false, TransferBy::bins>>;
  }
  return kernel_by<V, Sampler, TransferBy::levels>(plan);
}

}  // namespace
}  // namespace tilewall::render
