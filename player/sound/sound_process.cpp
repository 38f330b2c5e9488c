#include "player/sound/sound_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <mutex>

#include "net/clock/clock_client.hpp"
#include "net/show_keys.hpp"
#include "player/sound/scene_sound.hpp"
#include "player/sound/sound_decoder.hpp"
#include "player/sound/sound_device.hpp"
#include "player/sound/sound_link.hpp"
#include "player/sound/sound_output.hpp"
#include "player/sound/sound_places.hpp"
#include "player/trace/trace_link.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/shared_counter.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::sound {
namespace {

using SteadyClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto turn_limit = 50ms;
constexpr auto status_interval = 200ms;
constexpr Nanos kept_past = 1s;  // how long past scenes stay in the plan
constexpr std::size_t max_notes = 20;

net::ClockClientOptions clock_options(const std::string& clock) {
  net::ClockClientOptions options;
  options.daemons = net::resolve_clock_daemons(clock, "--clock");
  options.key = net::outer_key_of(net::Protocol::clock);
  return options;
}

/// Lines for the operator, from any thread.
class Notes {
 public:
  void add(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() < max_notes) lines_.push_back(line);
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;  // guarded by mutex_
};

class SoundProcess {
 public:
  explicit SoundProcess(const SoundOptions& options)
      : turns_(options.turns_fd ? std::make_unique<SharedCounter>(*options.turns_fd) : nullptr),
        clock_(clock_options(options.clock)),
        places_(options.folder, [this](const std::string& line) { notes_.add(line); }),
        link_(options.director, net::key_of(net::Protocol::control), {::getpid(), host_name()},
              {[this](const scene::Scene& scene) { take_scene(scene); },
               [this](const scene::Release& release) { take_release(release); },
               [this] { quit_ = true; }}),
        trace_({options.trace,
                {"sound", -1, ::getpid(), host_name(), false},
                [this] { return mapping(); }}),
        trace_thread_(trace_.recorder(), "sound") {
    open_device();
  }

  int run() {
    while (!quit_ && !stop_signal_received()) {
      link_.step(turn_limit);
      if (turns_) turns_->increment();
      if (SteadyClock::now() < next_status_) continue;
      next_status_ = SteadyClock::now() + status_interval;
      send_status();
      // A device that hangs is best left to a process that begins anew.
      if (output_ && output_->stands_still()) return exit_failed;
    }
    send_status();
    return exit_done;
  }

 private:
  [[nodiscard]] std::optional<ClockMapping> mapping() const {
    const sync::ClockStatus status = clock_.status();
    if (status.state == sync::ClockState::collecting) return std::nullopt;
    return status.mapping;
  }

  void open_device() {
    try {
      device_ = std::make_unique<SoundDevice>(
          [this](std::span<float> stereo) { output_->fill(stereo, local_now()); });
    } catch (const JobError& error) {
      return notes_.add(fmt::format("no sound device: {}", error.what()));
    }
    output_ = std::make_unique<SoundOutput>(
        store_, SoundOutput::Device{SoundDevice::rate_hz, device_->latency()},
        [this] { return mapping(); });
    decoder_ = std::make_unique<SoundDecoder>(
        store_, [this] { return sound_requests(*output_->plan(), now()); },
        [this](const std::string& sound) { return places_.find(sound); },
        [this](const std::string& line) { notes_.add(line); });
    device_->play();
  }

  /// Before the clock is known: long ago, when only beginnings can be requested.
  [[nodiscard]] GlobalInstant now() const {
    const auto known = mapping();
    return known ? known->to_global(local_now()) : GlobalInstant{};
  }

  void take_scene(const scene::Scene& scene) {
    for (SoundScene& sound : scene_sound_.of(scene)) plan_.add(std::move(sound));
    hand_on_plan();
  }

  void take_release(const scene::Release& release) {
    if (release.ticks.empty()) return;
    if (plan_.delay(release.epoch, Nanos(release.ticks.back().delay_ns))) hand_on_plan();
  }

  void hand_on_plan() {
    if (!output_) return;
    plan_.forget_before(now() - kept_past);
    output_->set_plan(std::make_shared<const SoundPlan>(plan_.now()));
    decoder_->wake();
  }

  [[nodiscard]] scene::SoundStatus status() const {
    scene::SoundStatus status;
    status.notes = notes_.lines();
    status.state = "no device";
    if (!device_) return status;
    const SoundFigures figures = output_->figures();
    status.device = device_->name();
    status.state = figures.audible ? "playing" : "silent";
    status.played_s = figures.played_s;
    status.offset_ms = figures.offset_ms;
    status.resample_ppm = figures.resample_ppm;
    status.underruns = figures.underruns;
    return status;
  }

  void send_status() {
    const scene::SoundStatus now = status();
    sync::trace_counter("resample ppm", now.resample_ppm);
    sync::trace_counter("sound underruns", static_cast<double>(now.underruns));
    link_.send(now);
  }

  const std::unique_ptr<SharedCounter> turns_;  // null: nobody watches
  const net::ClockClient clock_;
  PcmStore store_;
  Notes notes_;
  SoundPlaces places_;
  DelayedPlan plan_;
  SceneSound scene_sound_{store_};
  bool quit_ = false;
  SteadyClock::time_point next_status_;
  SoundLink link_;
  const trace::ProcessTrace trace_;
  const sync::TraceThread trace_thread_;
  // Their threads use what stands above; none where there is no device.
  std::unique_ptr<SoundOutput> output_;
  std::unique_ptr<SoundDecoder> decoder_;
  std::unique_ptr<SoundDevice> device_;
};

}  // namespace

int run_sound(const SoundOptions& options) {
  catch_stop_signals();
  ::signal(SIGPIPE, SIG_IGN);
  return SoundProcess(options).run();
}

}  // namespace tilewall::sound
