// Fills a device's buffers with the sound that is due when they are heard.
//
// Two voices take turns: at a jump (a seek, a loop's seam, another speed's start) the new one sets
// in at the instant, while the old one fades away over the 5 ms behind it. Both overlap, so that a
// seam in the middle of a tone leaves no hole.
//
// Threads: one owner. render() does not allocate.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "player/sound/device_clock.hpp"
#include "player/sound/sound_plan.hpp"
#include "player/sound/stretcher.hpp"

namespace tilewall::sound {

struct RenderedSound {
  bool audible = false;  ///< something was due
  bool lacking = false;  ///< something was due that was not decoded in time
  double error_s = 0;    ///< error of sound that plays on, before steering; sign as in DriftServo
  double speed_steer = 0;
};

class SoundRenderer {
 public:
  static constexpr double fade_s = 0.005;
  static constexpr std::size_t longest_call_frames = 16384;

  /// `pcm` outlives this.
  SoundRenderer(const PcmReader& pcm, int rate_hz);

  /// Frame i of `stereo` is heard at `from` + i * `frame_ns`. @pre at most longest_call_frames
  RenderedSound render(const SoundPlan& plan, std::span<float> stereo, GlobalInstant from,
                       double frame_ns);

 private:
  struct Voice {
    Stretcher stretcher;
    double step = 1;   // frames of the file for each frame of the device
    double level = 0;  // 0 to 1
    bool sounds = false;
  };

  void render_piece(const SoundPiece& piece, std::span<float> part, GlobalInstant at,
                    double frame_ns, RenderedSound& result);
  void start(const SoundPiece& piece, double due_frame);
  void stop();
  /// Adds a voice to `part`, its level moving by `slope` a frame. False: samples were missing.
  [[nodiscard]] bool mix(Voice& voice, std::span<float> part, double slope);
  void apply_gain(double target, std::span<float> stereo);

  const PcmReader& pcm_;
  const double rate_hz_;
  std::array<Voice, 2> voices_;
  std::size_t current_ = 0;  // the other one fades away
  double gain_ = 1;
  std::vector<float> scratch_;
};

}  // namespace tilewall::sound
