// A tone curve tabulated over a source's sample codes, and the kernels that map rows by the table.
//
// The table has one value per output plane at each node of a grid over the three input planes. The
// kernels interpolate linearly along all three axes. The distance of the nodes is a power of two,
// so that neutral chroma is a node, and every gray stays gray to the bit.
//
// Threads: immutable; pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "player/movie/source/tone_curve.hpp"

namespace tilewall::movie {

/// The encoding of R'G'B' in the source's samples.
struct ToneSamples {
  int depth_bits = 10;  ///< 8..16
  bool full_range = false;
  bool rgb = false;             ///< planes are R, G, B; else Y, Cb, Cr
  double red_weight = 0.2627;   ///< red's share of luma, for Y, Cb, Cr
  double blue_weight = 0.0593;  ///< blue's share of luma, for Y, Cb, Cr
  bool operator==(const ToneSamples&) const = default;
};

/// The values of one output plane at the grid's nodes. Input planes are a, b and c; a is the
/// fastest index: values[(c * b_nodes + b) * a_nodes + a]. Owned by the ToneTable.
struct ToneGrid {
  const std::uint16_t* values = nullptr;  ///< output codes * 128
  int a_nodes = 0;
  int b_nodes = 0;  ///< nodes of b, and of c
  int a_shift = 0;  ///< code >> a_shift is the node at or below a code of a
  int b_shift = 0;  ///< code >> b_shift is the node at or below a code of b or c
};

class ToneTable {
 public:
  /// Fills the table, which takes some 0.1 s. The output is full-range: Y'CbCr of ITU-R BT.601 for
  /// sources in Y'CbCr, else R'G'B'.
  ToneTable(const ToneCurve& curve, const ToneSamples& samples);

  /// The grid of output plane `plane`, 0..2.
  [[nodiscard]] ToneGrid grid(int plane) const noexcept;

  /// The code of neutral chroma, for planes b and c of a source in Y'CbCr.
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

/// Sets out[i] to the table's value for the codes a[i], b[i] and c[i], for `count` samples. Any
/// alignment, no overlap. @pre the codes lie within the table's depth
using ToneRowFn = void (*)(const ToneGrid& grid, const std::uint16_t* a, const std::uint16_t* b,
                           const std::uint16_t* c, std::uint8_t* out, int count) noexcept;

void tone_row_scalar(const ToneGrid& grid, const std::uint16_t* a, const std::uint16_t* b,
                     const std::uint16_t* c, std::uint8_t* out, int count) noexcept;
#ifdef __x86_64__
void tone_row_avx2(const ToneGrid& grid, const std::uint16_t* a, const std::uint16_t* b,
                   const std::uint16_t* c, std::uint8_t* out, int count) noexcept;
#endif

/// The fastest version for this processor. All versions give the same bytes.
[[nodiscard]] ToneRowFn pick_tone_row() noexcept;

}  // namespace tilewall::movie
