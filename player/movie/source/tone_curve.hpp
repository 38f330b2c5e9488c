// Tone mapping of HDR colours to the SDR of a wall: the formulas, in double precision.
//
// HDR10 (PQ, SMPTE ST 2084) and HLG (ITU-R BT.2100) are brought to BT.709 primaries with the
// display gamma of ITU-R BT.1886. Luminance is compressed by the EETF of Report ITU-R BT.2390, 5.4,
// applied to the luminance of linear light ("YRGB"), which keeps hues. SDR white stands for
// 203 cd/m2, the diffuse white of HDR programmes by Report ITU-R BT.2408. Colours outside BT.709
// are moved towards the gray of the same luminance until they fit.
//
// Threads: pure functions and immutable objects.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "player/movie/source/ffmpeg.hpp"

namespace tilewall {

/// What becomes of HDR pictures. map: tone-mapped. clip: linear up to SDR white, clipped above.
enum class HdrMode { map, clip };
inline constexpr std::string_view hdr_mode_names[] = {"map", "clip"};

/// Empty where `text` is none of hdr_mode_names.
[[nodiscard]] std::optional<HdrMode> parse_hdr_mode(std::string_view text);

/// Luminance that SDR white stands for, cd/m2.
inline constexpr double sdr_white_nits = 203;

/// Peak of PQ pictures without metadata, and of HLG's nominal display, cd/m2.
inline constexpr double nominal_peak_nits = 1000;

enum class HdrTransfer { pq, hlg };

/// Red, green, blue, or linear light of them.
using Triple = std::array<double, 3>;

/// The light of an HDR picture, as its tags say.
struct HdrLight {
  HdrTransfer transfer = HdrTransfer::pq;
  AVColorPrimaries primaries = AVCOL_PRI_BT2020;  ///< BT2020, SMPTE432 or BT709
  double peak_nits = nominal_peak_nits;           ///< mapped to SDR white
  double black_nits = 0;                          ///< mapped to black
  double mastering_peak_nits = 0;                 ///< of the mastering display; 0 = untagged
  double max_cll_nits = 0;                        ///< brightest pixel (MaxCLL); 0 = untagged
  bool hdr10_plus = false;    ///< has metadata for each scene (SMPTE ST 2094-40), which is not used
  bool dolby_vision = false;  ///< has Dolby Vision's metadata, which is not used
  bool operator==(const HdrLight&) const = default;
};

/// What the frame is tagged with; empty where it is not HDR. The peak is that of the mastering
/// display, or MaxCLL where that is tagged and lower.
[[nodiscard]] std::optional<HdrLight> hdr_light_of(const AVFrame& frame);

/// "HDR10+", "Dolby Vision" or both, where the picture has metadata that tone mapping does not use;
/// "" otherwise.
[[nodiscard]] std::string ignored_metadata(const HdrLight& light);

/// "HDR10 (PQ), peak 1000 cd/m2 (assumed)", for people.
[[nodiscard]] std::string to_string(const HdrLight& light);

/// What is done with HDR in that mode, for people: "tone-mapped to BT.709 by BT.2390".
[[nodiscard]] std::string treatment_of(HdrMode mode);

class ToneCurve {
 public:
  explicit ToneCurve(const HdrLight& light);

  /// Encoded R'G'B' in the source's primaries -> encoded R'G'B' of BT.709, both in [0, 1].
  [[nodiscard]] Triple map(const Triple& encoded) const noexcept;

  /// The EETF: luminance on the source's display -> on the SDR display, cd/m2.
  [[nodiscard]] double map_luminance(double nits) const noexcept;

 private:
  [[nodiscard]] Triple displayed_nits(const Triple& encoded) const noexcept;

  HdrLight light_;
  Triple luma_weights_;             // of the source's primaries
  std::array<Triple, 3> to_bt709_;  // linear light, row by row
  double black_pq_ = 0;
  double range_pq_ = 1;  // peak minus black
  double max_lum_ = 1;   // SDR white in the source's normalised PQ range
  double min_lum_ = 0;   // SDR black there
  double knee_ = 1;
};

}  // namespace tilewall
