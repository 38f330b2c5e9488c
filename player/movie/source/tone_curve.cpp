#include "player/movie/source/tone_curve.hpp"

extern "C" {
#include <libavutil/mastering_display_metadata.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilewall::movie {
namespace {

// SMPTE ST 2084.
constexpr double pq_m1 = 2610.0 / 16384;
constexpr double pq_m2 = 2523.0 / 4096 * 128;
constexpr double pq_c1 = 3424.0 / 4096;
constexpr double pq_c2 = 2413.0 / 4096 * 32;
constexpr double pq_c3 = 2392.0 / 4096 * 32;
constexpr double pq_peak_nits = 10000;

// ITU-R BT.2100, HLG.
constexpr double hlg_a = 0.17883277;
constexpr double hlg_b = 0.28466892;
constexpr double hlg_c = 0.55991073;
constexpr double hlg_system_gamma = 1.2;  // for a display of 1000 cd/m2

constexpr double display_gamma = 2.4;  // ITU-R BT.1886

// Tags beyond these count as broken, because pictures would turn black or stay unmapped.
constexpr double least_peak_nits = 100;
constexpr double most_black_nits = 1;

double pq_encoded(double nits) noexcept {
  const double y = std::pow(std::clamp(nits / pq_peak_nits, 0.0, 1.0), pq_m1);
  return std::pow((pq_c1 + pq_c2 * y) / (1 + pq_c3 * y), pq_m2);
}

double pq_nits(double encoded) noexcept {
  const double e = std::pow(std::clamp(encoded, 0.0, 1.0), 1 / pq_m2);
  return pq_peak_nits * std::pow(std::max(e - pq_c1, 0.0) / (pq_c2 - pq_c3 * e), 1 / pq_m1);
}

/// Scene light in [0, 1] of an encoded HLG value.
double hlg_scene(double encoded) noexcept {
  const double e = std::clamp(encoded, 0.0, 1.0);
  return e <= 0.5 ? e * e / 3 : (std::exp((e - hlg_c) / hlg_a) + hlg_b) / 12;
}

Triple luma_weights_of(AVColorPrimaries primaries) noexcept {
  switch (primaries) {
    case AVCOL_PRI_BT709:
      return {0.2126, 0.7152, 0.0722};
    case AVCOL_PRI_SMPTE432:
      return {0.228975, 0.691739, 0.079287};
    default:
      return {0.2627, 0.6780, 0.0593};
  }
}

/// Matrix from linear light in these primaries to BT.709's. All of them have the white point D65.
std::array<Triple, 3> to_bt709_of(AVColorPrimaries primaries) noexcept {
  switch (primaries) {
    case AVCOL_PRI_BT709:
      return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    case AVCOL_PRI_SMPTE432:
      return {
          {{1.224940, -0.224940, 0}, {-0.042057, 1.042057, 0}, {-0.019638, -0.078636, 1.098274}}};
    default:
      return {{{1.660491, -0.587641, -0.072850},
               {-0.124550, 1.132900, -0.008350},
               {-0.018151, -0.100579, 1.118730}}};
  }
}

double dot(const Triple& a, const Triple& b) noexcept {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Moves a colour towards the gray of `luminance` until all of it lies in [0, 1], and no further.
Triple brought_into_gamut(const Triple& linear, double luminance) noexcept {
  const double gray = std::clamp(luminance, 0.0, 1.0);
  double kept = 1;
  for (const double light : linear) {
    if (light > 1) kept = std::min(kept, (1 - gray) / (light - gray));
    if (light < 0) kept = std::min(kept, gray / (gray - light));
  }
  Triple inside;
  for (std::size_t i = 0; i < 3; ++i)
    inside[i] = std::clamp(gray + kept * (linear[i] - gray), 0.0, 1.0);
  return inside;
}

void read_mastering(const AVFrame& frame, HdrLight& light) {
  const AVFrameSideData* data =
      av_frame_get_side_data(&frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
  if (data == nullptr || data->size < sizeof(AVMasteringDisplayMetadata)) return;
  const auto& mastering = *reinterpret_cast<const AVMasteringDisplayMetadata*>(data->data);
  if (mastering.has_luminance == 0 || mastering.max_luminance.den == 0 ||
      mastering.min_luminance.den == 0)
    return;
  const double peak = av_q2d(mastering.max_luminance);
  const double black = av_q2d(mastering.min_luminance);
  if (peak >= least_peak_nits) {
    light.mastering_peak_nits = peak;
    light.peak_nits = std::min(peak, pq_peak_nits);
  }
  if (black > 0 && black <= most_black_nits) light.black_nits = black;
}

void read_content_light(const AVFrame& frame, HdrLight& light) {
  const AVFrameSideData* data = av_frame_get_side_data(&frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
  if (data == nullptr || data->size < sizeof(AVContentLightMetadata)) return;
  const double most = reinterpret_cast<const AVContentLightMetadata*>(data->data)->MaxCLL;
  if (most < least_peak_nits) return;
  light.max_cll_nits = most;
  const double mastering = light.mastering_peak_nits > 0 ? light.peak_nits : pq_peak_nits;
  light.peak_nits = std::min(mastering, most);
}

}  // namespace

std::optional<HdrMode> parse_hdr_mode(std::string_view text) {
  for (std::size_t i = 0; i < std::size(hdr_mode_names); ++i)
    if (hdr_mode_names[i] == text) return static_cast<HdrMode>(i);
  return std::nullopt;
}

std::optional<HdrLight> hdr_light_of(const AVFrame& frame) {
  const bool pq = frame.color_trc == AVCOL_TRC_SMPTE2084;
  if (!pq && frame.color_trc != AVCOL_TRC_ARIB_STD_B67) return std::nullopt;
  HdrLight light;
  light.transfer = pq ? HdrTransfer::pq : HdrTransfer::hlg;
  if (frame.color_primaries == AVCOL_PRI_BT709 || frame.color_primaries == AVCOL_PRI_SMPTE432)
    light.primaries = frame.color_primaries;
  const auto has = [&](AVFrameSideDataType type) {
    return av_frame_get_side_data(&frame, type) != nullptr;
  };
  light.hdr10_plus = has(AV_FRAME_DATA_DYNAMIC_HDR_PLUS);
  light.dolby_vision = has(AV_FRAME_DATA_DOVI_RPU_BUFFER) || has(AV_FRAME_DATA_DOVI_METADATA);
  if (!pq) return light;  // HLG is relative, so mastering tags do not matter to it
  read_mastering(frame, light);
  read_content_light(frame, light);
  return light;
}

std::string ignored_metadata(const HdrLight& light) {
  if (light.hdr10_plus && light.dolby_vision) return "HDR10+ and Dolby Vision";
  if (light.hdr10_plus) return "HDR10+";
  return light.dolby_vision ? "Dolby Vision" : "";
}

std::string to_string(const HdrLight& light) {
  const std::string ignored = ignored_metadata(light);
  const std::string end =
      ignored.empty() ? "" : fmt::format("; its {} metadata is not used", ignored);
  if (light.transfer == HdrTransfer::hlg)
    return fmt::format("HLG, nominal peak {:.0f} cd/m2{}", light.peak_nits, end);
  const bool tagged = light.mastering_peak_nits > 0 || light.max_cll_nits > 0;
  return fmt::format("HDR10 (PQ), peak {:.0f} cd/m2{}{}", light.peak_nits,
                     tagged ? "" : " (assumed: not tagged)", end);
}

std::string treatment_of(HdrMode mode) {
  return mode == HdrMode::map ? "tone-mapped to BT.709 by BT.2390"
                              : fmt::format("clipped to BT.709 at {:.0f} cd/m2", sdr_white_nits);
}

ToneCurve::ToneCurve(const HdrLight& light)
    : light_(light),
      luma_weights_(luma_weights_of(light.primaries)),
      to_bt709_(to_bt709_of(light.primaries)),
      black_pq_(pq_encoded(light.black_nits)),
      range_pq_(pq_encoded(light.peak_nits) - black_pq_),
      max_lum_((pq_encoded(sdr_white_nits) - black_pq_) / range_pq_),
      min_lum_((pq_encoded(0) - black_pq_) / range_pq_),
      knee_(1.5 * max_lum_ - 0.5) {}

double ToneCurve::map_luminance(double nits) const noexcept {
  const double e1 = std::clamp((pq_encoded(nits) - black_pq_) / range_pq_, 0.0, 1.0);
  double e2 = e1;
  if (max_lum_ < 1 && e1 >= knee_) {  // the Hermite spline from the knee to SDR white
    const double t = (e1 - knee_) / (1 - knee_);
    const double t2 = t * t;
    const double t3 = t2 * t;
    e2 = (2 * t3 - 3 * t2 + 1) * knee_ + (t3 - 2 * t2 + t) * (1 - knee_) +
         (-2 * t3 + 3 * t2) * max_lum_;
  }
  const double e3 = e2 + min_lum_ * std::pow(1 - e2, 4);
  return pq_nits(e3 * range_pq_ + black_pq_);
}

Triple ToneCurve::displayed_nits(const Triple& encoded) const noexcept {
  if (light_.transfer == HdrTransfer::pq)
    return {pq_nits(encoded[0]), pq_nits(encoded[1]), pq_nits(encoded[2])};
  Triple light = {hlg_scene(encoded[0]), hlg_scene(encoded[1]), hlg_scene(encoded[2])};
  const double scene_luminance = dot(luma_weights_, light);
  const double gain =
      scene_luminance > 0 ? light_.peak_nits * std::pow(scene_luminance, hlg_system_gamma - 1) : 0;
  for (double& value : light) value *= gain;
  return light;
}

Triple ToneCurve::map(const Triple& encoded) const noexcept {
  const Triple nits = displayed_nits(encoded);
  const double luminance = dot(luma_weights_, nits);
  if (luminance <= 0) return {0, 0, 0};
  const double mapped = map_luminance(luminance);
  const double gain = mapped / luminance / sdr_white_nits;
  Triple linear;
  for (std::size_t i = 0; i < 3; ++i) linear[i] = gain * dot(to_bt709_[i], nits);
  Triple out = brought_into_gamut(linear, mapped / sdr_white_nits);
  for (double& value : out) value = std::pow(value, 1 / display_gamma);
  return out;
}

}  // namespace tilewall::movie
