#include "player/sound/sound_output.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::sound {
namespace {

constexpr double us_per_s = 1e6;

}  // namespace

SoundOutput::SoundOutput(const PcmReader& pcm, const Device& device, Mapping mapping)
    : mapping_(std::move(mapping)),
      rate_hz_(device.rate_hz),
      latency_(device.latency),
      clock_(device.rate_hz, device.latency),
      renderer_(pcm, device.rate_hz),
      plan_(std::make_shared<const SoundPlan>()) {}

void SoundOutput::set_plan(std::shared_ptr<const SoundPlan> plan) {
  const std::scoped_lock lock(mutex_);
  plan_.swap(plan);
}

std::shared_ptr<const SoundPlan> SoundOutput::plan() const {
  const std::scoped_lock lock(mutex_);
  return plan_;
}

void SoundOutput::fill(std::span<float> stereo, LocalInstant asked) {
  const auto frames = static_cast<std::int64_t>(stereo.size()) / pcm_channels;
  clock_.add(frame_, asked);
  const LocalInstant from = clock_.heard(frame_);
  const LocalInstant until = clock_.heard(frame_ + frames);
  frame_ += frames;
  const auto mapping = mapping_();
  const std::shared_ptr<const SoundPlan> plan_now = mapping ? plan() : nullptr;
  if (!plan_now) return std::fill(stereo.begin(), stereo.end(), 0.0F);
  const GlobalInstant global_from = mapping->to_global(from);
  const double frame_ns = static_cast<double>((mapping->to_global(until) - global_from).count()) /
                          static_cast<double>(frames);
  const RenderedSound made = renderer_.render(*plan_now, stereo, global_from, frame_ns);
  const double resampling = frame_ns * rate_hz_ / 1e9 * (1.0 + made.speed_steer) - 1.0;
  const std::scoped_lock lock(mutex_);
  const bool waited = asked_at_ && asked > from - latency_ + std::max(latency_, until - from);
  asked_at_ = asked;
  note(made, static_cast<double>(frames) / rate_hz_, resampling, waited);
}

void SoundOutput::note(const RenderedSound& made, double length_s, double resampling, bool waited) {
  figures_.audible = made.audible;
  if (!made.audible) return;
  if (!made.lacking) figures_.played_s += length_s;
  figures_.resample_ppm = resampling * 1e6;
  if (made.lacking || waited) ++figures_.underruns;
  offsets_us_.add(std::llround(std::abs(made.error_s) * us_per_s));
}

SoundFigures SoundOutput::figures() const {
  const std::scoped_lock lock(mutex_);
  SoundFigures figures = figures_;
  figures.offset_ms = offsets_us_.percentiles() / 1e3;
  return figures;
}

bool SoundOutput::stands_still() {
  const std::scoped_lock lock(mutex_);
  return standstill_.stands_still(asked_at_);
}

}  // namespace tilewall::sound
