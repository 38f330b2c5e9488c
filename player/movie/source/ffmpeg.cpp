#include "player/movie/source/ffmpeg.hpp"

#include "sync/base/error.hpp"

extern "C" {
#include <libavutil/log.h>
}

#include <algorithm>
#include <mutex>

namespace tilewall::movie {

namespace {

std::mutex message_mutex;
std::string last_message;  // guarded by message_mutex

// FFmpeg calls this from its decoder threads too.
void keep_message(void* context, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_ERROR) return;
  char line[512];
  int print_prefix = 0;
  av_log_format_line2(context, level, format, arguments, line, sizeof line, &print_prefix);
  std::string text(line);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  if (text.empty()) return;
  const std::scoped_lock lock(message_mutex);
  last_message = text;
}

}  // namespace

AvPacket new_packet() {
  AvPacket packet(av_packet_alloc());
  if (packet.empty()) throw JobError("out of memory for a packet");
  return packet;
}

AvFrame new_frame() {
  AvFrame frame(av_frame_alloc());
  if (frame.empty()) throw JobError("out of memory for a frame");
  return frame;
}

SharedFrame share(AvFrame frame) {
  return {frame.release(), [](const AVFrame* raw) {
            AVFrame* owned = const_cast<AVFrame*>(raw);
            av_frame_free(&owned);
          }};
}

void quiet_ffmpeg() { av_log_set_callback(&keep_message); }

std::string last_ffmpeg_message() {
  const std::scoped_lock lock(message_mutex);
  return last_message;
}

void forget_ffmpeg_message() {
  const std::scoped_lock lock(message_mutex);
  last_message.clear();
}

std::string ffmpeg_error_text(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, text, sizeof text);
  const std::string message = last_ffmpeg_message();
  return message.empty() ? std::string(text) : std::string(text) + " (" + message + ")";
}

AvFrame new_packed_picture(AVPixelFormat format, SizePx size_px) {
  AvFrame frame = new_frame();
  frame.get()->format = format;
  frame.get()->width = size_px.width;
  frame.get()->height = size_px.height;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw JobError("out of memory for a picture");
  return frame;
}

std::uint8_t* packed_row(AvFrame& picture, int y) noexcept {
  return picture.get()->data[0] + static_cast<std::ptrdiff_t>(y) * picture.get()->linesize[0];
}

}  // namespace tilewall::movie
