// Owning handles for FFmpeg's objects, FFmpeg's error texts, and a log callback that keeps FFmpeg's
// messages off the terminal.
#pragma once

#include "wallconfigs/geometry.hpp"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
}

#include <memory>
#include <string>

#include "sync/base/handle.hpp"

namespace tilewall::movie {

struct AvInputTraits {
  using Raw = AVFormatContext*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { avformat_close_input(&raw); }
};
struct AvCodecTraits {
  using Raw = AVCodecContext*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { avcodec_free_context(&raw); }
};
struct AvPacketTraits {
  using Raw = AVPacket*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { av_packet_free(&raw); }
};
struct AvFrameTraits {
  using Raw = AVFrame*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { av_frame_free(&raw); }
};
using AvInput = UniqueHandle<AvInputTraits>;
using AvCodec = UniqueHandle<AvCodecTraits>;
using AvPacket = UniqueHandle<AvPacketTraits>;
using AvFrame = UniqueHandle<AvFrameTraits>;

/// A decoded picture that several threads may read.
using SharedFrame = std::shared_ptr<const AVFrame>;

/// Allocates an object without data; never null. Throws JobError when memory runs out.
[[nodiscard]] AvPacket new_packet();
[[nodiscard]] AvFrame new_frame();

/// Hands a frame to shared owners.
[[nodiscard]] SharedFrame share(AvFrame frame);

/// Replaces FFmpeg's log callback for the whole process: errors are kept for last_ffmpeg_message(),
/// and nothing is printed. Any thread may call this, more than once.
void quiet_ffmpeg();

/// The last error that FFmpeg logged in this process, in one line; "" if there was none. Any
/// thread.
[[nodiscard]] std::string last_ffmpeg_message();

/// Makes last_ffmpeg_message() empty. Any thread.
void forget_ffmpeg_message();

/// FFmpeg's text for an error code, such as "Invalid data found when processing input", followed by
/// last_ffmpeg_message() in parentheses if there is one.
[[nodiscard]] std::string ffmpeg_error_text(int error);

// Pictures that readers of our own fill, in the layout of FFmpeg's decoders.

/// Allocates a picture of a pixel format, such as RGB24 or RGBA, with uninitialised samples. Throws
/// JobError when memory runs out.
[[nodiscard]] AvFrame new_packed_picture(AVPixelFormat format, SizePx size_px);

/// The first byte of row `y` of a packed picture; row 0 is the upper one.
[[nodiscard]] std::uint8_t* packed_row(AvFrame& picture, int y) noexcept;

}  // namespace tilewall::movie
