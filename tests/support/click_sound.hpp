// Sound for tests whose position can be recognized anywhere: clicks at uneven distances.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilewall::test {

/// Samples of a sound that clicks (2 ms each) at these seconds.
[[nodiscard]] float click_sample(std::int64_t sample, int rate_hz,
                                 const std::vector<double>& clicks_s);

/// Where clicks are in a channel of interleaved stereo samples: the frame at the middle of each
/// stretch that is louder than `threshold`, with its fraction.
[[nodiscard]] std::vector<double> find_clicks(std::span<const float> stereo, int rate_hz,
                                              float threshold = 0.2F);

}  // namespace tilewall::test
