// A tone curve as a table over a source's sample codes, and the kernel that looks rows up in it.
//
// The table has one value per output plane at each node of a grid over the three input planes. The
// kernel interpolates linearly along all three axes. Nodes lie at whole fractions of the code
// range, so that gray of any code stays gray to the bit.
//
// Threads: immutable once made.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "player/movie/source/tone_curve.hpp"

namespace tilewall {

/// How the source's samples encode R'G'B'.
struct ToneSamples {
  int depth_bits = 10;  ///< 8..16
  bool full_range = false;
  bool rgb = false;            ///< planes are R, G, B; else Y, Cb, Cr
  double red_weight = 0.2627;  ///< of the luma equation, for Y, Cb, Cr
  double blue_weight = 0.0593;
  bool operator==(const ToneSamples&) const = default;
};

/// One output plane's values, and where a code lies among them.
struct ToneGrid {
  const std::uint16_t* values = nullptr;  ///< (c * b_nodes + b) * a_nodes + a, in 1/128 of a code
  int a_nodes = 0;
  int b_nodes = 0;
  int a_shift = 0;  ///< code >> shift is the node below it
  int b_shift = 0;  ///< of planes b and c
};

class ToneTable {
 public:
  /// The output is full-range: Y'CbCr of ITU-R BT.601 for sources in Y'CbCr, else R'G'B'.
  ToneTable(const ToneCurve& curve, const ToneSamples& samples);

  /// For output plane `plane`.
  [[nodiscard]] ToneGrid grid(int plane) const noexcept;

  /// A code of planes b and c that stands for no colour.
  [[nodiscard]] std::uint16_t neutral_code() const noexcept {
    return static_cast<std::uint16_t>(1U << (samples_.depth_bits - 1));
  }

 private:
  [[nodiscard]] Triple encoded_rgb(const Triple& codes) const noexcept;

  ToneSamples samples_;
  int a_nodes_ = 0;
  int b_nodes_ = 0;
  int a_shift_ = 0;
  int b_shift_ = 0;
  std::array<std::vector<std::uint16_t>, 3> values_;
};

/// out[i] is the value for codes a[i], b[i], c[i], which are within the table's depth. Any
/// alignment.
using ToneRowFn = void (*)(const ToneGrid& grid, const std::uint16_t* a, const std::uint16_t* b,
                           const std::uint16_t* c, std::uint8_t* out, int count) noexcept;

void tone_row_scalar(const ToneGrid& grid, const std::uint16_t* a, const std::uint16_t* b,
                     const std::uint16_t* c, std::uint8_t* out, int count) noexcept;
#ifdef __x86_64__
void tone_row_avx2(const ToneGrid& grid, const std::uint16_t* a, const std::uint16_t* b,
                   const std::uint16_t* c, std::uint8_t* out, int count) noexcept;
#endif

/// The fastest that this processor runs; all give the same bytes.
[[nodiscard]] ToneRowFn pick_tone_row() noexcept;

}  // namespace tilewall
