#include "tests/support/counting_movie.hpp"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace tilewall::test {
using namespace movie;
namespace {

constexpr int cells_per_side = 4;
constexpr int number_bits = 12;

int check(int result, const char* call) {
  if (result >= 0) return result;
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(result, text, sizeof text);
  throw std::runtime_error(std::string(call) + ": " + text);
}

template <typename T>
T* check(T* pointer, const char* call) {
  if (pointer == nullptr) throw std::runtime_error(std::string(call) + " failed");
  return pointer;
}

int check_nibble(int number) { return (number * 7 + 5) / 3 & 15; }

bool cell_is_white(int number, int cell) {
  return cell < number_bits ? (number >> cell & 1) != 0
                            : (check_nibble(number) >> (cell - number_bits) & 1) != 0;
}

int number_of(const std::function<int(double, double)>& level_at) {
  int bits = 0;
  for (int cell = 0; cell < cells_per_side * cells_per_side; ++cell)
    if (level_at((cell % cells_per_side + 0.5) / cells_per_side,
                 (cell / cells_per_side + 0.5) / cells_per_side) > 127)
      bits |= 1 << cell;
  const int number = bits & ((1 << number_bits) - 1);
  return bits >> number_bits == check_nibble(number) ? number : -1;
}

// Turned counter-clockwise, so that a viewer who obeys the matrix sees it upright.
std::vector<std::uint8_t> turned_back(const std::vector<std::uint8_t>& upright, SizePx size,
                                      int deg) {
  if (deg == 0) return upright;
  const SizePx stored = deg == 180 ? size : SizePx{size.height, size.width};
  std::vector<std::uint8_t> out(upright.size());
  for (int y = 0; y < stored.height; ++y)
    for (int x = 0; x < stored.width; ++x) {
      const int up_x = deg == 90 ? size.width - 1 - y : deg == 180 ? size.width - 1 - x : y;
      const int up_y = deg == 90 ? x : deg == 180 ? size.height - 1 - y : size.height - 1 - x;
      out[static_cast<std::size_t>(y * stored.width + x)] =
          upright[static_cast<std::size_t>(up_y * size.width + up_x)];
    }
  return out;
}

struct Encoder {
  AVCodecContext* context = nullptr;
  AVStream* stream = nullptr;
  ~Encoder() { avcodec_free_context(&context); }
};

struct Muxer {
  AVFormatContext* context = nullptr;
  ~Muxer() {
    if (context == nullptr) return;
    avio_closep(&context->pb);
    avformat_free_context(context);
  }
};

struct Frame {
  AVFrame* frame = check(av_frame_alloc(), "av_frame_alloc");
  ~Frame() { av_frame_free(&frame); }
};

void write_packets(AVFormatContext* muxer, Encoder& encoder, const AVFrame* frame) {
  check(avcodec_send_frame(encoder.context, frame), "avcodec_send_frame");
  AVPacket* packet = check(av_packet_alloc(), "av_packet_alloc");
  while (avcodec_receive_packet(encoder.context, packet) == 0) {
    av_packet_rescale_ts(packet, encoder.context->time_base, encoder.stream->time_base);
    packet->stream_index = encoder.stream->index;
    check(av_interleaved_write_frame(muxer, packet), "av_interleaved_write_frame");
  }
  av_packet_free(&packet);
}

SizePx stored_size(const CountingMovieOptions& options) {
  const bool swapped = options.turn_clockwise_deg % 180 != 0;
  return swapped ? SizePx{options.size_px.height, options.size_px.width} : options.size_px;
}

void add_encoder(Muxer& muxer, Encoder& encoder, const std::string& codec_name,
                 const std::function<void(AVCodecContext&)>& set_up) {
  const AVCodec* codec =
      check(avcodec_find_encoder_by_name(codec_name.c_str()), codec_name.c_str());
  encoder.context = check(avcodec_alloc_context3(codec), "avcodec_alloc_context3");
  set_up(*encoder.context);
  if ((muxer.context->oformat->flags & AVFMT_GLOBALHEADER) != 0)
    encoder.context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  check(avcodec_open2(encoder.context, codec, nullptr), "avcodec_open2");
  encoder.stream = check(avformat_new_stream(muxer.context, codec), "avformat_new_stream");
  encoder.stream->time_base = encoder.context->time_base;
  check(avcodec_parameters_from_context(encoder.stream->codecpar, encoder.context), "parameters");
}

void set_up_video(AVCodecContext& context, const CountingMovieOptions& options) {
  const SizePx stored = stored_size(options);
  context.width = stored.width;
  context.height = stored.height;
  context.pix_fmt = av_get_pix_fmt(options.pixel_format.c_str());
  context.time_base = options.pts_ticks.empty() ? AVRational{static_cast<int>(options.fps.den),
                                                             static_cast<int>(options.fps.num)}
                                                : AVRational{1, 1000};
  if (options.pts_ticks.empty())
    context.framerate = {static_cast<int>(options.fps.num), static_cast<int>(options.fps.den)};
  context.sample_aspect_ratio = {static_cast<int>(options.pixel_aspect.num),
                                 static_cast<int>(options.pixel_aspect.den)};
  context.gop_size = options.key_interval;
  if (options.codec == "libx264" || options.codec == "mpeg4" || options.codec == "mpeg2video")
    context.max_b_frames = options.b_frames;
  if (options.codec == "libx264") {
    av_opt_set(context.priv_data, "preset", "veryfast", 0);
    av_opt_set(context.priv_data, "crf", "18", 0);
  }
  context.thread_count = 2;
}

void set_up_audio(AVCodecContext& context) {
  // With one channel, both kinds of floats look alike.
  context.sample_fmt =
      context.codec->sample_fmts[0] == AV_SAMPLE_FMT_FLT ? AV_SAMPLE_FMT_FLT : AV_SAMPLE_FMT_FLTP;
  context.sample_rate = audio_rate_hz;
  av_channel_layout_default(&context.ch_layout, 1);
  context.time_base = {1, audio_rate_hz};
}

void add_display_matrix(AVStream& stream, int turn_clockwise_deg) {
  if (turn_clockwise_deg == 0) return;
  constexpr std::size_t bytes = 9 * sizeof(std::int32_t);
  std::uint8_t* data =
      check(av_stream_new_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, bytes), "side data");
  std::int32_t matrix[9] = {};
  av_display_rotation_set(matrix, turn_clockwise_deg);
  std::memcpy(data, matrix, bytes);
}

void colour_left_half(AVFrame& picture, const std::array<std::uint8_t, 2>& chroma) {
  const AVPixFmtDescriptor& format =
      *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
  const int width = AV_CEIL_RSHIFT(picture.width, format.log2_chroma_w);
  const int height = AV_CEIL_RSHIFT(picture.height, format.log2_chroma_h);
  for (int y = 0; y < height; ++y)
    for (std::size_t i = 0; i < 2; ++i)
      std::memset(picture.data[i + 1] + std::ptrdiff_t{y} * picture.linesize[i + 1], chroma[i],
                  static_cast<std::size_t>(width / 2));
}

void write_video(Muxer& muxer, Encoder& video, const CountingMovieOptions& options) {
  const AVCodecContext& context = *video.context;
  SwsContext* scaler = check(
      sws_getContext(context.width, context.height, AV_PIX_FMT_GRAY8, context.width, context.height,
                     context.pix_fmt, SWS_POINT | SWS_ACCURATE_RND, nullptr, nullptr, nullptr),
      "sws_getContext");
  for (int i = 0; i < options.frames; ++i) {
    const std::vector<std::uint8_t> gray =
        turned_back(counting_picture(options.size_px, options.first_number + i), options.size_px,
                    options.turn_clockwise_deg);
    Frame picture;
    picture.frame->format = context.pix_fmt;
    picture.frame->width = context.width;
    picture.frame->height = context.height;
    check(av_frame_get_buffer(picture.frame, 0), "av_frame_get_buffer");
    const std::uint8_t* rows[1] = {gray.data()};
    const int strides[1] = {context.width};
    sws_scale(scaler, rows, strides, 0, context.height, picture.frame->data,
              picture.frame->linesize);
    if (options.left_chroma != std::array<std::uint8_t, 2>{128, 128})
      colour_left_half(*picture.frame, options.left_chroma);
    picture.frame->pts = options.pts_ticks.empty()
                             ? options.first_pts + i
                             : options.pts_ticks.at(static_cast<std::size_t>(i));
    write_packets(muxer.context, video, picture.frame);
  }
  sws_freeContext(scaler);
  write_packets(muxer.context, video, nullptr);
}

float tone(std::int64_t sample) {
  return 0.2F * std::sin(static_cast<float>(sample) * 6.2831853F * 440.0F / audio_rate_hz);
}

void write_audio(Muxer& muxer, Encoder& audio, const CountingMovieOptions& options) {
  const double seconds = options.frames / options.fps.value();
  const int frame_samples = audio.context->frame_size > 0 ? audio.context->frame_size : 1024;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(seconds * audio_rate_hz);
       at += frame_samples) {
    Frame sound;
    sound.frame->format = audio.context->sample_fmt;
    sound.frame->nb_samples = frame_samples;
    sound.frame->sample_rate = audio_rate_hz;
    check(av_channel_layout_copy(&sound.frame->ch_layout, &audio.context->ch_layout), "layout");
    check(av_frame_get_buffer(sound.frame, 0), "av_frame_get_buffer");
    auto* samples = reinterpret_cast<float*>(sound.frame->data[0]);
    for (int i = 0; i < frame_samples; ++i)
      samples[i] = options.sound ? options.sound(at + i) : tone(at + i);
    sound.frame->pts = at;
    write_packets(muxer.context, audio, sound.frame);
  }
  write_packets(muxer.context, audio, nullptr);
}

}  // namespace

void make_counting_movie(const std::filesystem::path& file, const CountingMovieOptions& options) {
  av_log_set_level(AV_LOG_FATAL);
  Muxer muxer;
  check(avformat_alloc_output_context2(&muxer.context, nullptr, nullptr, file.c_str()), "output");
  Encoder video;
  Encoder audio;
  add_encoder(muxer, video, options.codec,
              [&](AVCodecContext& context) { set_up_video(context, options); });
  video.stream->avg_frame_rate = video.context->framerate;
  video.stream->sample_aspect_ratio = video.context->sample_aspect_ratio;
  add_display_matrix(*video.stream, options.turn_clockwise_deg);
  if (!options.audio_codec.empty()) add_encoder(muxer, audio, options.audio_codec, set_up_audio);
  check(avio_open(&muxer.context->pb, file.c_str(), AVIO_FLAG_WRITE), "avio_open");
  check(avformat_write_header(muxer.context, nullptr), "avformat_write_header");
  write_video(muxer, video, options);
  if (!options.audio_codec.empty()) write_audio(muxer, audio, options);
  check(av_write_trailer(muxer.context), "av_write_trailer");
}

std::vector<std::uint8_t> counting_picture(SizePx size, int number) {
  std::vector<std::uint8_t> gray;
  gray.reserve(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const int cell =
          y * cells_per_side / size.height * cells_per_side + x * cells_per_side / size.width;
      gray.push_back(cell_is_white(number, cell) ? 235 : 16);
    }
  return gray;
}

int read_frame_number(const Plane& luma) {
  return number_of([&](double x, double y) {
    return luma.row(
        static_cast<int>(y * luma.size_px.height))[static_cast<int>(x * luma.size_px.width)];
  });
}

int read_frame_number(const ImageView& bgrx) {
  return number_of([&](double x, double y) {
    return bgrx.row(static_cast<int>(
        y * bgrx.size_px.height))[4 * static_cast<int>(x * bgrx.size_px.width) + 1];
  });
}

}  // namespace tilewall::test
