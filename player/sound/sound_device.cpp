#include "player/sound/sound_device.hpp"

#include <string_view>

#include "sync/base/error.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::sound {
namespace {

constexpr Nanos buffer_length{std::int64_t{SoundDevice::buffer_frames} * 1'000'000'000 /
                              SoundDevice::rate_hz};
constexpr int buffers_ahead = 2;

[[noreturn]] void give_up() {
  const std::string reason = SDL_GetError();
  SDL_QuitSubSystem(SDL_INIT_AUDIO);
  throw JobError(reason.empty() ? "no sound device" : reason);
}

/// Of the thread that SDL calls from, once.
void settle_thread() {
  thread_local const bool settled = [] {
    sync::use_finest_timer_slack();
    static_cast<void>(sync::try_realtime_priority());
    return true;
  }();
  static_cast<void>(settled);
}

}  // namespace

SoundDevice::SoundDevice(Fill fill) : fill_(std::move(fill)) {
  SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
  SDL_SetHint(SDL_HINT_APP_NAME, "tilewall");
  if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0) give_up();
  SDL_AudioSpec wanted = {};
  wanted.freq = rate_hz;
  wanted.format = AUDIO_F32SYS;
  wanted.channels = 2;
  wanted.samples = buffer_frames;
  wanted.callback = &SoundDevice::fill_buffer;
  wanted.userdata = this;
  SDL_AudioSpec got = {};
  const std::string_view driver = SDL_GetCurrentAudioDriver();
  name_ = driver;
  latency_ = driver == "disk" ? Nanos(0) : buffers_ahead * buffer_length;
  device_ = UniqueHandle<SdlAudioTraits>(SDL_OpenAudioDevice(nullptr, 0, &wanted, &got, 0));
  if (device_.empty()) give_up();
}

SoundDevice::~SoundDevice() {
  device_.reset();
  SDL_QuitSubSystem(SDL_INIT_AUDIO);
}

void SoundDevice::play() noexcept { SDL_PauseAudioDevice(device_.get(), 0); }

void SoundDevice::fill_buffer(void* self, Uint8* bytes, int size_bytes) {
  settle_thread();
  const std::span<float> stereo(reinterpret_cast<float*>(bytes),
                                static_cast<std::size_t>(size_bytes) / sizeof(float));
  static_cast<SoundDevice*>(self)->fill_(stereo);
}

}  // namespace tilewall::sound
