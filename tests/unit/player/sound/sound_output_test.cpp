// What a device is given and what is told of it, by a device that is the test's own calls.

#include "player/sound/sound_output.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/sim/sound_simulation.hpp"
#include "tests/support/sound_items.hpp"

using namespace tilewall;
using namespace tilewall::sound;
using namespace tilewall::sync;
using namespace tilewall::test;
using namespace std::chrono_literals;

namespace {

constexpr int output_rate_hz = 48000;
constexpr std::size_t output_frames = 960;
constexpr LocalInstant output_start{10s};

/// A device of 48 kHz that asks for 20 ms at a time, 40 ms before they are heard, and the sound of
/// a movie of 100 s that begins when its first buffer is heard. Global time is 90 s ahead.
class AskingDevice {
  /// Sound that may not have been decoded in time.
  class LateSound final : public TellingSound {
   public:
    using TellingSound::TellingSound;
    [[nodiscard]] bool read(int file, std::int64_t first, std::span<float> stereo) const override {
      return TellingSound::read(file, first, stereo) && !is_lacking;
    }
    bool is_lacking = false;
  };

 public:
  explicit AskingDevice(bool knows_clock = true)
      : output_(sound_, {output_rate_hz, 40ms}, [knows_clock]() -> std::optional<ClockMapping> {
          ClockMapping mapping;
          mapping.anchor_local = output_start;
          mapping.anchor_global = GlobalInstant{100s};
          return knows_clock ? std::optional(mapping) : std::nullopt;
        }) {
    SoundPlan plan;
    Timeline line;
    line.start = GlobalInstant{100s + 40ms};
    line.rate_fps = {24, 1};
    line.end_frame = 2400;
    plan.add({line.start, 1, AudioTimeline(line, sound_item(0, {24, 1}, 2400)), 1});
    output_.set_plan(std::make_shared<const SoundPlan>(plan));
  }
  SoundOutput* operator->() { return &output_; }

  void set_lacking(bool is_lacking) { sound_.is_lacking = is_lacking; }

  /// Asks for the next buffer, late by so much.
  std::vector<float> ask(Nanos late = 0ms) {
    std::vector<float> stereo(2 * output_frames, 0.5F);
    output_.fill(stereo, output_start + buffers_++ * 20ms + late);
    return stereo;
  }

 private:
  LateSound sound_{output_rate_hz};
  SoundOutput output_;
  int buffers_ = 0;
};

bool is_silent(const std::vector<float>& stereo) {
  return std::ranges::all_of(stereo, [](float sample) { return sample == 0; });
}

}  // namespace

TEST_CASE("a device gets silence until the clock is known", "[sound]") {
  AskingDevice device(false);
  CHECK(is_silent(device.ask()));
  CHECK_FALSE(device->figures().audible);
  CHECK(device->figures().played_s == 0);
}

TEST_CASE("what a device has played is told", "[sound]") {
  AskingDevice device;
  CHECK_FALSE(is_silent(device.ask()));
  CHECK(device->figures().audible);
  CHECK(device->figures().played_s == Approx(0.02));
  for (int i = 1; i < 50; ++i) static_cast<void>(device.ask());
  const SoundFigures figures = device->figures();
  CHECK(figures.played_s == Approx(1.0));
  CHECK(figures.underruns == 0);
  CHECK(std::abs(figures.resample_ppm) < 1);
  CHECK(figures.offset_ms.max < 1);
}

TEST_CASE("a buffer that a device has to wait for is an underrun", "[sound]") {
  AskingDevice device;
  for (int i = 0; i < 20; ++i) static_cast<void>(device.ask());
  static_cast<void>(device.ask(30ms));  // within what the device has in store
  CHECK(device->figures().underruns == 0);
  static_cast<void>(device.ask(45ms));  // the store of 40 ms was empty before
  CHECK(device->figures().underruns == 1);
  CHECK(device->figures().played_s == Approx(22 * 0.02));
}

TEST_CASE("sound that is not there in time is an underrun, and was not played", "[sound]") {
  AskingDevice device;
  for (int i = 0; i < 10; ++i) static_cast<void>(device.ask());
  device.set_lacking(true);
  for (int i = 0; i < 3; ++i) static_cast<void>(device.ask());
  device.set_lacking(false);
  static_cast<void>(device.ask());
  CHECK(device->figures().underruns == 3);
  CHECK(device->figures().played_s == Approx(11 * 0.02));
}

TEST_CASE("a device that does not ask between 25 looks stands still", "[sound]") {
  AskingDevice device;
  const auto looks_until_still = [&] {
    int looks = 1;
    while (looks < 100 && !device->stands_still()) ++looks;
    return looks;
  };
  // Before its first request, the first look has nothing to compare with but that.
  CHECK(looks_until_still() == 26);
  static_cast<void>(device.ask());
  // The first look finds the request, and 26 more find none.
  CHECK(looks_until_still() == 27);
  static_cast<void>(device.ask());
  for (int i = 0; i < 20; ++i) CHECK_FALSE(device->stands_still());
  static_cast<void>(device.ask());
  CHECK(looks_until_still() == 27);
}
