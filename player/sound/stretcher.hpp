// Plays one file's samples at any speed, which may change from call to call (libsamplerate), and
// always knows to a fraction of a sample where it is.
//
// Threads: one owner. Only the constructor allocates.
#pragma once

#include <samplerate.h>

#include <cstdint>
#include <span>

#include "player/sound/pcm_store.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::sound {

struct SampleRateTraits {
  using Raw = SRC_STATE*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { src_delete(raw); }
};

class Stretcher {
 public:
  static constexpr double longest_step = 200;  ///< samples; libsamplerate's own limit is 256

  /// Throws JobError when memory is out.
  Stretcher();

  /// The next frame rendered is frame `frame` of `file`.
  void restart(int file, std::int64_t frame) noexcept;
  [[nodiscard]] int file() const noexcept { return file_; }

  /// The file's frame that is rendered next, with its fraction.
  [[nodiscard]] double position() const noexcept { return position_; }

  /// Fills `stereo`, moving on by `step` of the file's frames with each. False: some were missing
  /// in `pcm`. @pre 1 / longest_step <= step <= longest_step
  [[nodiscard]] bool render(const PcmReader& pcm, std::span<float> stereo, double step) noexcept;

 private:
  UniqueHandle<SampleRateTraits> state_;
  int file_ = 0;
  std::int64_t next_fed_ = 0;  // the first frame that the converter does not have yet
  double position_ = 0;
};

}  // namespace tilewall::sound
