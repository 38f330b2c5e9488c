// FFmpeg's objects with one owner each, its error texts, and its log kept off the user's terminal.
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

namespace tilewall {

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

/// Never null; throws JobError when memory is out.
[[nodiscard]] AvPacket new_packet();
[[nodiscard]] AvFrame new_frame();
[[nodiscard]] SharedFrame share(AvFrame frame);

/// From now on FFmpeg's messages go nowhere but last_ffmpeg_message(). Any thread, any number of
/// times.
void quiet_ffmpeg();

/// The last error that FFmpeg logged in this process, one line, "" when there was none.
[[nodiscard]] std::string last_ffmpeg_message();
void forget_ffmpeg_message();

/// "Invalid data found when processing input", with the last logged error behind it where there is
/// one.
[[nodiscard]] std::string ffmpeg_error_text(int error);

// Pictures of ours in one plane of memory, as FFmpeg's decoders would give them.

/// A picture of a packed format (RGB24, RGBA) whose samples are not set yet. Throws JobError when
/// memory is out.
[[nodiscard]] AvFrame new_packed_picture(AVPixelFormat format, SizePx size_px);

/// Where a row of it begins.
[[nodiscard]] std::uint8_t* packed_row(AvFrame& picture, int y) noexcept;

}  // namespace tilewall
