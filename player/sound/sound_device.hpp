// The host's sound device, through SDL: stereo, 48 kHz, in buffers of 20 ms.
//
// Threads: SDL's own calls `fill`, from when play() was called until the destructor has returned.
#pragma once

#include <SDL.h>

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::sound {

struct SdlAudioTraits {
  using Raw = SDL_AudioDeviceID;
  static constexpr Raw null() noexcept { return 0; }
  static void close(Raw raw) noexcept { SDL_CloseAudioDevice(raw); }
};

class SoundDevice {
 public:
  static constexpr int rate_hz = 48000;
  static constexpr int buffer_frames = 960;

  /// Fills interleaved stereo samples in [-1, 1]; does not throw, and is quick.
  using Fill = std::function<void(std::span<float> stereo)>;

  /// Takes the default device. Throws JobError saying why there is none.
  explicit SoundDevice(Fill fill);
  ~SoundDevice();
  SoundDevice(const SoundDevice&) = delete;
  SoundDevice& operator=(const SoundDevice&) = delete;

  void play() noexcept;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// From the request for a frame to when it is heard, as far as the driver is known: two buffers
  /// wait before it. The disk driver "plays" at once. What an amplifier or a wireless link adds,
  /// nobody tells.
  [[nodiscard]] Nanos latency() const noexcept { return latency_; }

 private:
  static void fill_buffer(void* self, Uint8* bytes, int size_bytes);

  const Fill fill_;
  std::string name_;
  Nanos latency_{0};
  UniqueHandle<SdlAudioTraits> device_;  // last: its thread uses the others
};

}  // namespace tilewall::sound
