// The formulas of tone mapping from HDR to the SDR of a wall, in double precision.
//
// HDR10 (PQ, SMPTE ST 2084) and HLG (ITU-R BT.2100) are converted to BT.709 primaries with the
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

namespace tilewall::movie {

/// Treatment of HDR pictures. map: tone-mapped. clip: linear up to SDR white, clipped above.
enum class HdrMode { map, clip };
inline constexpr std::string_view hdr_mode_names[] = {"map", "clip"};

/// The mode with this name; empty if `text` is none of hdr_mode_names.
[[nodiscard]] std::optional<HdrMode> parse_hdr_mode(std::string_view text);

/// Luminance that SDR white stands for, cd/m2.
inline constexpr double sdr_white_nits = 203;

/// Peak of PQ pictures without metadata, and of HLG's nominal display, cd/m2.
inline constexpr double nominal_peak_nits = 1000;

enum class HdrTransfer { pq, hlg };

/// Values of red, green and blue, encoded or linear; or of three other planes.
using Triple = std::array<double, 3>;

/// Light levels and colour of an HDR picture by its tags.
struct HdrLight {
  HdrTransfer transfer = HdrTransfer::pq;
  AVColorPrimaries primaries = AVCOL_PRI_BT2020;  ///< BT2020, SMPTE432 or BT709
  double peak_nits = nominal_peak_nits;           ///< luminance mapped to SDR white, cd/m2
  double black_nits = 0;                          ///< luminance mapped to black, cd/m2
  double mastering_peak_nits = 0;                 ///< mastering display's peak; 0 = untagged
  double max_cll_nits = 0;                        ///< brightest pixel (MaxCLL); 0 = untagged
  bool hdr10_plus = false;    ///< has metadata for each scene (SMPTE ST 2094-40), which is not used
  bool dolby_vision = false;  ///< has Dolby Vision's metadata, which is not used
  bool operator==(const HdrLight&) const = default;
};

/// The light by the frame's tags; empty if it is not HDR. The peak is that of the mastering
/// display, or MaxCLL if that is tagged and lower.
[[nodiscard]] std::optional<HdrLight> hdr_light_of(const AVFrame& frame);

/// Names of the metadata that tone mapping does not use: "HDR10+", "Dolby Vision" or both; "" if
/// the picture has none.
[[nodiscard]] std::string ignored_metadata(const HdrLight& light);

/// Text for people, such as "HDR10 (PQ), peak 1000 cd/m2 (assumed: not tagged)".
[[nodiscard]] std::string to_string(const HdrLight& light);

/// Text for people about a mode, such as "tone-mapped to BT.709 by BT.2390".
[[nodiscard]] std::string treatment_of(HdrMode mode);

/// Maps colours and luminances of one kind of HDR pictures to SDR.
class ToneCurve {
 public:
  explicit ToneCurve(const HdrLight& light);

  /// Maps encoded R'G'B' in the source's primaries to encoded R'G'B' of BT.709, both in [0, 1].
  [[nodiscard]] Triple map(const Triple& encoded) const noexcept;

  /// The EETF: maps luminance on the source's display to luminance on the SDR display, cd/m2.
  [[nodiscard]] double map_luminance(double nits) const noexcept;

 private:
  [[nodiscard]] Triple displayed_nits(const Triple& encoded) const noexcept;

  HdrLight light_;
  Triple luma_weights_;             // luminance of each of the source's primaries
  std::array<Triple, 3> to_bt709_;  // matrix for linear light, row by row
  double black_pq_ = 0;             // the source's black, encoded by PQ
  double range_pq_ = 1;             // peak minus black, encoded by PQ
  double max_lum_ = 1;              // SDR white in the range where black is 0 and peak is 1
  double min_lum_ = 0;              // SDR black in that range
  double knee_ = 1;                 // KS of BT.2390, where compression begins
};

}  // namespace tilewall::movie
