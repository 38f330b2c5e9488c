// Brings the plan to a device: asked for a buffer, it reckons when that will be heard, and fills it
// with what is due then. Keeps the figures.
//
// Threads: fill() is called by the device's thread, stands_still() by one, everything else by any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "player/sound/device_clock.hpp"
#include "player/sound/sound_renderer.hpp"
#include "sync/base/log_histogram.hpp"

namespace tilewall::sound {

struct SoundFigures {
  bool audible = false;         ///< in the newest buffer
  double played_s = 0;          ///< length of all buffers with sound
  Percentiles offset_ms;        ///< schedule minus position, in buffers whose sound goes on
  double resample_ppm = 0;      ///< device's drift and steering, together, of the newest buffer
  std::uint64_t underruns = 0;  ///< buffers that lacked sound, or for which the device had to wait
};

class SoundOutput {
 public:
  struct Device {
    int rate_hz = 0;
    Nanos latency{0};  ///< from a request to when it is heard
  };
  /// Where local time lies on global time's axis; empty while that is not known. Any thread.
  using Mapping = std::function<std::optional<ClockMapping>()>;

  /// `pcm` outlives this.
  SoundOutput(const PcmReader& pcm, const Device& device, Mapping mapping);

  void set_plan(std::shared_ptr<const SoundPlan> plan);
  [[nodiscard]] std::shared_ptr<const SoundPlan> plan() const;

  /// The device asks for its next buffer at `asked`.
  void fill(std::span<float> stereo, LocalInstant asked);

  [[nodiscard]] SoundFigures figures() const;
  /// Whether the device hangs: it has not called fill() between this many calls in a row. One
  /// thread alone calls it, at even intervals.
  static constexpr int most_silent_looks = 25;
  [[nodiscard]] bool stands_still();

 private:
  void note(const RenderedSound& made, double length_s, double resampling, bool waited);

  const Mapping mapping_;
  const double rate_hz_;
  const Nanos latency_;
  StandstillWatch standstill_{most_silent_looks};  // Only stands_still() uses it.
  // The device's thread alone.
  DeviceClock clock_;
  SoundRenderer renderer_;
  std::int64_t frame_ = 0;

  mutable std::mutex mutex_;
  // guarded by mutex_
  std::shared_ptr<const SoundPlan> plan_;
  LogHistogram offsets_us_;
  SoundFigures figures_;
  std::optional<LocalInstant> asked_at_;
};

}  // namespace tilewall::sound
