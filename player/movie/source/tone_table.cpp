#include "player/movie/source/tone_table.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::movie {
namespace {

// Log2 of the number of steps between the nodes of an axis.
constexpr int fine_steps_log2 = 6;    // luma, and R, G, B
constexpr int chroma_steps_log2 = 6;  // Cb and Cr
constexpr double value_scale = 128;   // table values per output code

constexpr double jpeg_red = 0.299;
constexpr double jpeg_blue = 0.114;

Triple jpeg_codes(const Triple& rgb) noexcept {
  const double luma = jpeg_red * rgb[0] + (1 - jpeg_red - jpeg_blue) * rgb[1] + jpeg_blue * rgb[2];
  return {255 * luma, 128 + 255 * (rgb[2] - luma) / (2 * (1 - jpeg_blue)),
          128 + 255 * (rgb[0] - luma) / (2 * (1 - jpeg_red))};
}

std::uint16_t table_value(double code) noexcept {
  return static_cast<std::uint16_t>(std::lround(std::clamp(code, 0.0, 255.0) * value_scale));
}

}  // namespace

ToneTable::ToneTable(const ToneCurve& curve, const ToneSamples& samples) : samples_(samples) {
  const int b_steps_log2 = samples.rgb ? fine_steps_log2 : chroma_steps_log2;
  a_nodes_ = (1 << fine_steps_log2) + 1;
  b_nodes_ = (1 << b_steps_log2) + 1;
  a_shift_ = samples.depth_bits - fine_steps_log2;
  b_shift_ = samples.depth_bits - b_steps_log2;
  const std::size_t nodes = static_cast<std::size_t>(a_nodes_) *
                            static_cast<std::size_t>(b_nodes_) * static_cast<std::size_t>(b_nodes_);
  for (auto& values : values_) values.reserve(nodes);
  for (int c = 0; c < b_nodes_; ++c)
    for (int b = 0; b < b_nodes_; ++b)
      for (int a = 0; a < a_nodes_; ++a) {
        const Triple codes = {static_cast<double>(a << a_shift_),
                              static_cast<double>(b << b_shift_),
                              static_cast<double>(c << b_shift_)};
        Triple mapped = curve.map(encoded_rgb(codes));
        if (samples.rgb)
          for (double& value : mapped) value *= 255;
        else
          mapped = jpeg_codes(mapped);
        for (std::size_t plane = 0; plane < 3; ++plane)
          values_[plane].push_back(table_value(mapped[plane]));
      }
}

ToneGrid ToneTable::grid(int plane) const noexcept {
  return {values_[static_cast<std::size_t>(plane)].data(), a_nodes_, b_nodes_, a_shift_, b_shift_};
}

Triple ToneTable::encoded_rgb(const Triple& codes) const noexcept {
  const double unit = std::ldexp(1.0, samples_.depth_bits - 8);
  const double most = std::ldexp(1.0, samples_.depth_bits) - 1;
  const double black = samples_.full_range ? 0 : 16 * unit;
  const double luma_range = samples_.full_range ? most : 219 * unit;
  const double chroma_range = samples_.full_range ? most : 224 * unit;
  Triple rgb;
  if (samples_.rgb) {
    for (std::size_t i = 0; i < 3; ++i)
      rgb[i] = std::clamp((codes[i] - black) / luma_range, 0.0, 1.0);
    return rgb;
  }
  const double luma = (codes[0] - black) / luma_range;
  const double cb = (codes[1] - neutral_code()) / chroma_range;
  const double cr = (codes[2] - neutral_code()) / chroma_range;
  const double red = samples_.red_weight;
  const double blue = samples_.blue_weight;
  rgb[0] = luma + 2 * (1 - red) * cr;
  rgb[2] = luma + 2 * (1 - blue) * cb;
  rgb[1] = (luma - red * rgb[0] - blue * rgb[2]) / (1 - red - blue);
  for (double& value : rgb) value = std::clamp(value, 0.0, 1.0);
  return rgb;
}

void tone_row_scalar(const ToneGrid& grid, const std::uint16_t* a, const std::uint16_t* b,
                     const std::uint16_t* c, std::uint8_t* out, int count) noexcept {
  const auto share = [](int code, int shift) { return ((code << 8) >> shift) & 255; };
  for (int i = 0; i < count; ++i) {
    const int along_a = share(a[i], grid.a_shift);
    const int along_b = share(b[i], grid.b_shift);
    const int along_c = share(c[i], grid.b_shift);
    const std::uint16_t* at =
        grid.values +
        ((c[i] >> grid.b_shift) * grid.b_nodes + (b[i] >> grid.b_shift)) * grid.a_nodes +
        (a[i] >> grid.a_shift);
    const auto edge = [&](int b_step, int c_step) {
      const std::uint16_t* from = at + (c_step * grid.b_nodes + b_step) * grid.a_nodes;
      return (from[0] * (256 - along_a) + from[1] * along_a + 128) >> 8;
    };
    const auto between = [](int first, int second, int along) {
      return first + (((second - first) * along + 128) >> 8);
    };
    const int lower = between(edge(0, 0), edge(1, 0), along_b);
    const int upper = between(edge(0, 1), edge(1, 1), along_b);
    out[i] = static_cast<std::uint8_t>((between(lower, upper, along_c) + 64) >> 7);
  }
}

ToneRowFn pick_tone_row() noexcept {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return tone_row_avx2;
#endif
  return tone_row_scalar;
}

}  // namespace tilewall::movie
