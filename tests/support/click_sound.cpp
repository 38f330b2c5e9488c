#include "tests/support/click_sound.hpp"

#include <cmath>
#include <numbers>

namespace tilewall::test {
namespace {

constexpr double click_s = 0.002;
constexpr double apart_s = 0.05;  // loud stretches closer than this are one click

}  // namespace

float click_sample(std::int64_t sample, int rate_hz, const std::vector<double>& clicks_s) {
  const double second = static_cast<double>(sample) / rate_hz;
  for (const double click : clicks_s)
    if (const double off = second - click; std::abs(off) < click_s / 2)
      return static_cast<float>(0.8 * std::cos(off * std::numbers::pi / click_s));
  return 0;
}

/// The middle is weighed: filters and codecs round a click off, but evenly.
std::vector<double> find_clicks(std::span<const float> stereo, int rate_hz, float threshold) {
  std::vector<double> clicks;
  double weight = 0;
  double moment = 0;
  double last_loud = 0;
  const auto close = [&] {
    if (weight > 0) clicks.push_back(moment / weight);
    weight = moment = 0;
  };
  for (std::size_t i = 0; i < stereo.size(); i += 2) {
    const double frame = static_cast<double>(i) / 2;
    const double loud = std::abs(stereo[i]);
    if (weight > 0 && frame - last_loud > apart_s * rate_hz) close();
    if (loud < static_cast<double>(threshold)) continue;
    weight += loud;
    moment += loud * frame;
    last_loud = frame;
  }
  close();
  return clicks;
}

}  // namespace tilewall::test
