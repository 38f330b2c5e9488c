#include "tests/sim/sound_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tilewall::test {
using namespace sound;
namespace {

using namespace std::chrono_literals;

constexpr double radians_s = 2 * std::numbers::pi / TellingSound::turn_s;
constexpr std::int64_t nowhere_us = 1'000'000;

}  // namespace

bool TellingSound::read(int, std::int64_t first, std::span<float> stereo) const {
  for (std::size_t i = 0; i < stereo.size(); i += pcm_channels) {
    const double second =
        static_cast<double>(first + static_cast<std::int64_t>(i / pcm_channels)) / rate_hz_;
    stereo[i] = static_cast<float>(amplitude * std::cos(second * radians_s));
    stereo[i + 1] = static_cast<float>(amplitude * std::sin(second * radians_s));
  }
  return true;
}

HeardFrame heard_frame(float left, float right) {
  return {std::hypot(left, right) / TellingSound::amplitude, std::atan2(right, left) / radians_s};
}

double phase_distance_s(double from_s, double to_s) {
  return std::remainder(to_s - from_s, TellingSound::turn_s);
}

SoundSimulation::SoundSimulation(const SimulatedDevice& device)
    : device_(device),
      buffer_frames_(device.rate_hz * buffer_ms / 1000),
      sound_(device.rate_hz),
      clock_(device.rate_hz, device.latency),
      renderer_(sound_, device.rate_hz),
      random_(device.seed),
      buffer_(static_cast<std::size_t>(buffer_frames_) * pcm_channels) {}

GlobalInstant SoundSimulation::truly_heard(std::int64_t frame) const {
  const double played_s = static_cast<double>(frame) / device_.rate_hz / (1.0 + device_.rate_error);
  return power_on + device_.latency + Nanos(std::llround(played_s * 1e9));
}

GlobalInstant SoundSimulation::next_request() const {
  return truly_heard(frame_) - device_.latency;
}

void SoundSimulation::step(const SoundPlan& plan, const SoundPlan& truth) {
  std::exponential_distribution<double> usual(1 / device_.usual_lateness_ms);
  std::uniform_real_distribution<double> chance(0, 1);
  const double stall_ms = chance(random_) < device_.stall_chance ? chance(random_) * 15 : 0;
  const Nanos late(std::llround((usual(random_) + stall_ms) * 1e6));

  // Global time is this host's own here.
  clock_.add(frame_, {(next_request() + late).since_epoch});
  const GlobalInstant from{clock_.heard(frame_).since_epoch};
  const GlobalInstant until{clock_.heard(frame_ + buffer_frames_).since_epoch};
  const double frame_ns =
      static_cast<double>((until - from).count()) / static_cast<double>(buffer_frames_);
  static_cast<void>(renderer_.render(plan, buffer_, from, frame_ns));
  for (std::size_t i = 0; i < buffer_.size(); i += pcm_channels, ++frame_)
    if (frame_ % judged_frames == 0)
      judge(truth, truly_heard(frame_), heard_frame(buffer_[i], buffer_[i + 1]));
}

void SoundSimulation::judge(const SoundPlan& truth, GlobalInstant at, const HeardFrame& heard) {
  constexpr Nanos far = 25ms;
  const SoundPiece pieces[] = {truth.piece_at(at), truth.piece_at(at - far),
                               truth.piece_at(at + far)};
  const bool all = std::all_of(std::begin(pieces), std::end(pieces),
                               [](const SoundPiece& piece) { return piece.audible(); });
  const bool none = std::none_of(std::begin(pieces), std::end(pieces),
                                 [](const SoundPiece& piece) { return piece.audible(); });
  if (none && heard.level > 1e-3) ++wrong_silences_;
  if (all && heard.level < 1e-3) ++wrong_silences_;
  if (std::abs(heard.level - 1) > 1e-3 || none) return;
  double nearest_s = 1e-6 * nowhere_us;
  for (const SoundPiece& piece : pieces) {
    if (!piece.audible()) continue;
    const double off_s = phase_distance_s(piece.due_s(at), heard.phase_s) / piece.speed;
    const GlobalInstant due = at + Nanos(std::llround(off_s * 1e9));
    if (due >= piece.from - 1ms && due <= piece.until + 1ms)
      nearest_s = std::min(nearest_s, std::abs(off_s));
  }
  const bool beside_jump = truth.piece_at(at - far).until <= at;
  if (beside_jump && nearest_s * 1e6 >= nowhere_us)
    ++untold_;
  else
    errors_us_.add(std::llround(nearest_s * 1e6));
}

}  // namespace tilewall::test
