// Decoding of video by a GPU: what MovieFile needs of one, and FFmpeg's devices behind it.
//
// A hardware decoder never decides whether a movie plays. Whatever it cannot do (no device, a codec
// or pixel format that it does not take, an error in mid-stream) sends MovieFile to the processor,
// for good, at the very picture where the GPU stopped.
//
// Threads: one owner at a time, the one of the MovieFile that uses it.
#pragma once

#include <memory>
#include <string>

#include "player/movie/source/ffmpeg.hpp"
#include "player/scene/source_status.hpp"

namespace tilewall {

class HardwareDecoder {
 public:
  virtual ~HardwareDecoder() = default;

  [[nodiscard]] virtual DecodeDevice device() const noexcept = 0;

  /// FFmpeg's decoder for the codec that runs on this device; null where there is none.
  [[nodiscard]] virtual const AVCodec* codec_for(AVCodecID codec) const noexcept = 0;

  /// Sets up `context`, which is not open yet, to decode on this device. False where that fails.
  /// The object must outlive the context.
  [[nodiscard]] virtual bool prepare(AVCodecContext& context) = 0;

  /// Whether the picture lies in the device's memory. Pictures that do not were decoded by the
  /// processor, as the device does not take their pixel format.
  [[nodiscard]] virtual bool holds(const AVFrame& picture) const noexcept = 0;

  /// Copies a picture to main memory, stamps and colour tags included. An empty frame where the
  /// device fails.
  [[nodiscard]] virtual AvFrame fetch(const AVFrame& picture) = 0;

  /// The processor decodes from now on; `why` is one clause for people. The first call counts.
  void give_up(std::string why);
  [[nodiscard]] bool given_up() const noexcept { return !failure_.empty(); }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  std::string failure_;
};

/// What open_hardware_decoder() found.
struct HardwareChoice {
  std::shared_ptr<HardwareDecoder> decoder;  ///< null: the processor decodes
  std::string why_not;  ///< of each device that was tried and did not open, one line
};

/// Opens the first device of this host that `choice` allows; none for `cpu`. Takes as long as the
/// driver's start-up, some 0.2 s with CUDA.
[[nodiscard]] HardwareChoice open_hardware_decoder(DecodeDevice choice);

}  // namespace tilewall
