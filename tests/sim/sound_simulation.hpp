// A sound device in simulation: its own clock, requests that come late, and what would be heard,
// compared with what is due.
//
// The sound is made so that every frame tells its second: a sine and a cosine of 1.37 s, far slower
// than any filter.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "player/sound/device_clock.hpp"
#include "player/sound/sound_renderer.hpp"
#include "sync/base/log_histogram.hpp"

namespace tilewall::test {

/// Sound that tells its second; everything is decoded, negative seconds too.
class TellingSound : public sound::PcmReader {
 public:
  explicit TellingSound(int rate_hz) : rate_hz_(rate_hz) {}
  [[nodiscard]] int rate_hz(int) const override { return rate_hz_; }
  [[nodiscard]] bool read(int file, std::int64_t first, std::span<float> stereo) const override;

  static constexpr double turn_s = 1.37;
  static constexpr double amplitude = 0.5;

 private:
  int rate_hz_;
};

/// What one frame of a device's stream tells.
struct HeardFrame {
  double level = 0;    ///< 1: at full strength
  double phase_s = 0;  ///< second of the sound, modulo TellingSound::turn_s
};
[[nodiscard]] HeardFrame heard_frame(float left, float right);

/// How far apart two seconds are, modulo TellingSound::turn_s: in [-turn_s / 2, turn_s / 2).
[[nodiscard]] double phase_distance_s(double from_s, double to_s);

struct SimulatedDevice {
  int rate_hz = 2000;
  double rate_error = 0;  ///< > 0: fast
  Nanos latency = std::chrono::milliseconds(40);
  double usual_lateness_ms = 0.3;
  double stall_chance = 0.01;  ///< Chance of a request that comes up to 15 ms late
  std::uint32_t seed = 1;
};

class SoundSimulation {
 public:
  explicit SoundSimulation(const SimulatedDevice& device);

  static constexpr GlobalInstant power_on{std::chrono::seconds(5000)};

  /// When the next buffer is asked for; scenes that are known by then are to be in `plan`.
  [[nodiscard]] GlobalInstant next_request() const;

  /// The device asks for its next buffer. What is heard of it is compared with `truth`: what was
  /// due, in full knowledge of all changes.
  void step(const sound::SoundPlan& plan, const sound::SoundPlan& truth);

  /// How far from its instant a frame was heard, in microseconds: the nearest instant at which it
  /// was due; 1e6 where it was due nowhere near. One frame in judged_frames.
  [[nodiscard]] const LogHistogram& errors_us() const { return errors_us_; }
  /// Frames that should have been silent, or heard, for 25 ms to both sides, and were not.
  [[nodiscard]] std::int64_t wrong_silences() const { return wrong_silences_; }
  /// Frames beside a jump, where voices overlap, that tell no second.
  [[nodiscard]] std::int64_t untold() const { return untold_; }

  static constexpr std::int64_t judged_frames = 5;

 private:
  [[nodiscard]] GlobalInstant truly_heard(std::int64_t frame) const;
  void judge(const sound::SoundPlan& truth, GlobalInstant at, const HeardFrame& heard);

  static constexpr std::int64_t buffer_ms = 20;
  const SimulatedDevice device_;
  const std::int64_t buffer_frames_;
  TellingSound sound_;
  sound::DeviceClock clock_;
  sound::SoundRenderer renderer_;
  std::mt19937 random_;
  std::int64_t frame_ = 0;
  std::vector<float> buffer_;
  LogHistogram errors_us_;
  std::int64_t wrong_silences_ = 0;
  std::int64_t untold_ = 0;
};

}  // namespace tilewall::test
