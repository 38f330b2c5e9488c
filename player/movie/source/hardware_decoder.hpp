// Decodes video on a GPU: the interface that MovieFile uses, and its implementation by FFmpeg
// (CUDA, VA-API).
//
// A movie that the processor can play plays with any hardware decoder. Where the GPU fails (no
// device, an unsupported codec or pixel format, an error in mid-stream), MovieFile goes on with the
// processor at the same picture, and does not return to the GPU.
//
// Threads: one owner at a time, the thread of the MovieFile that uses it.
#pragma once

#include <memory>
#include <string>

#include "player/movie/source/ffmpeg.hpp"
#include "player/scene/source_status.hpp"

namespace tilewall::movie {

class HardwareDecoder {
 public:
  virtual ~HardwareDecoder() = default;

  [[nodiscard]] virtual scene::DecodeDevice device() const noexcept = 0;

  /// FFmpeg's decoder that decodes `codec` on this device; null if there is none.
  [[nodiscard]] virtual const AVCodec* codec_for(AVCodecID codec) const noexcept = 0;

  /// Sets up `context` to decode on this device; false on failure. The HardwareDecoder must outlive
  /// the context. @pre the context is not open yet
  [[nodiscard]] virtual bool prepare(AVCodecContext& context) = 0;

  /// Whether the picture lies in the device's memory. FFmpeg decodes pictures of a pixel format
  /// that the device does not support on the processor, into main memory.
  [[nodiscard]] virtual bool holds(const AVFrame& picture) const noexcept = 0;

  /// Copies a picture to main memory, with its stamps and colour tags; an empty frame if the device
  /// fails. @pre holds(picture)
  [[nodiscard]] virtual AvFrame fetch(const AVFrame& picture) = 0;

  /// Marks this decoder as failed. `why` is one clause for people; only the first call's is kept.
  void give_up(std::string why);
  [[nodiscard]] bool given_up() const noexcept { return !failure_.empty(); }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  std::string failure_;
};

/// The result of open_hardware_decoder().
struct HardwareChoice {
  std::shared_ptr<HardwareDecoder> decoder;  ///< null: the processor decodes
  std::string why_not;  ///< one line with the error of each device that did not open; "" = none
};

/// Opens the first device of this host that `choice` allows; no device for `cpu`. Blocks while the
/// driver starts, some 0.2 s with CUDA.
[[nodiscard]] HardwareChoice open_hardware_decoder(scene::DecodeDevice choice);

}  // namespace tilewall::movie
