#include "player/movie/convert/video_encoder.hpp"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "player/movie/convert/media_output.hpp"
#include "player/movie/source/media_input.hpp"
#include "player/movie/source/plane_converter.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

const AVCodec* choose_encoder(const AVOutputFormat& container, const std::string& file) {
  if (std::string_view(container.name) == "image2")
    throw InputError({file}, "output", ".png, .jpg or a movie's name",
                     '"' + std::filesystem::path(file).extension().string() + '"');
  if (avformat_query_codec(&container, AV_CODEC_ID_H264, FF_COMPLIANCE_NORMAL) == 1)
    if (const AVCodec* x264 = avcodec_find_encoder_by_name("libx264")) return x264;
  const AVCodec* own = avcodec_find_encoder(container.video_codec);
  if (own == nullptr)
    throw InputError({file}, "output", "a container with a video encoder, such as .mp4 or .mkv",
                     std::string("\"") + container.name + "\" without one");
  for (const AVPixelFormat* format = own->pix_fmts; format != nullptr && *format != AV_PIX_FMT_NONE;
       ++format)
    if (*format == AV_PIX_FMT_YUV420P) return own;
  throw InputError({file}, "output",
                   "a container whose codec takes 4:2:0 video, such as .mp4 or .mkv",
                   std::string("\"") + own->name + "\", which does not");
}

AVRational to_av(Rational value) {
  return {static_cast<int>(value.num), static_cast<int>(value.den)};
}

// Copies the sound of a file from `from_s` on, packet by packet in step with the pictures. The
// packet that contains `from_s` is copied too. It begins before the pictures, which MP4 expresses
// by an edit list.
class SoundTrack {
 public:
  SoundTrack(const std::filesystem::path& file, double from_s, MediaOutput& output)
      : input_(file), output_(output), from_s_(from_s) {
    if (avformat_find_stream_info(input_.get(), nullptr) < 0) return;
    const int index = av_find_best_stream(input_.get(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
    if (index < 0) return;
    const AVStream& from = *input_.get()->streams[index];
    if (avformat_query_codec(output.get()->oformat, from.codecpar->codec_id,
                             FF_COMPLIANCE_NORMAL) != 1)
      return;
    to_ = &output.add_stream();
    if (avcodec_parameters_copy(to_->codecpar, from.codecpar) < 0)
      throw JobError("out of memory for an audio stream");
    to_->codecpar->codec_tag = 0;
    to_->time_base = from.time_base;
    from_ = &from;
  }

  [[nodiscard]] bool usable() const noexcept { return to_ != nullptr; }

  // Writes the packets that begin before `media_s`, the video's time.
  void write_until(double media_s) {
    while (to_ != nullptr && !ended_) {
      if (!held_ && !read()) return;
      if (seconds(packet_.get()->pts) - from_s_ >= media_s) return;
      held_ = false;
      move_to_start();
      av_packet_rescale_ts(packet_.get(), from_->time_base, to_->time_base);
      packet_.get()->stream_index = to_->index;
      packet_.get()->pos = -1;
      output_.write(*packet_.get());
    }
  }

 private:
  [[nodiscard]] double seconds(std::int64_t ticks) const {
    return static_cast<double>(ticks) * av_q2d(from_->time_base);
  }

  [[nodiscard]] bool belongs() const {
    const AVPacket& packet = *packet_.get();
    return packet.stream_index == from_->index && packet.pts != AV_NOPTS_VALUE &&
           seconds(packet.pts + std::max<std::int64_t>(packet.duration, 1)) > from_s_;
  }

  void move_to_start() {
    const std::int64_t shift = std::llround(from_s_ / av_q2d(from_->time_base));
    packet_.get()->pts -= shift;
    packet_.get()->dts = packet_.get()->pts;
  }

  bool read() {
    input_.restart_deadline();
    do {
      av_packet_unref(packet_.get());
      ended_ = av_read_frame(input_.get(), packet_.get()) < 0;
    } while (!ended_ && !belongs());
    held_ = !ended_;
    return held_;
  }

  MediaInput input_;
  MediaOutput& output_;
  const double from_s_;
  const AVStream* from_ = nullptr;
  AVStream* to_ = nullptr;
  AvPacket packet_ = new_packet();
  bool held_ = false;  // packet_ waits for its time
  bool ended_ = false;
};

}  // namespace

struct VideoEncoder::State {
  PlaneConverter converter;
  MediaOutput output;
  AvCodec encoder;
  AVStream* stream = nullptr;  // owned by output
  std::optional<SoundTrack> sound;
  AvPacket packet = new_packet();
  Rational fps;
  std::int64_t frames = 0;

  State(const std::filesystem::path& file, const VideoSettings& settings)
      : converter(settings.size_px, settings.chroma), output(file, ""), fps(settings.fps) {
    open_encoder(file.string(), settings);
    stream = &output.add_stream();
    stream->time_base = encoder.get()->time_base;
    stream->avg_frame_rate = encoder.get()->framerate;
    if (avcodec_parameters_from_context(stream->codecpar, encoder.get()) < 0)
      throw JobError("out of memory for a video stream");
    if (!settings.audio.empty()) sound.emplace(settings.audio, settings.audio_from_s, output);
    output.begin();
  }

  void open_encoder(const std::string& file, const VideoSettings& settings) {
    const AVCodec* codec = choose_encoder(*output.get()->oformat, file);
    encoder = AvCodec(avcodec_alloc_context3(codec));
    if (encoder.empty()) throw JobError("out of memory for an encoder");
    AVCodecContext& context = *encoder.get();
    const SizePx size = converter.video_px();
    context.width = size.width;
    context.height = size.height;
    context.pix_fmt = AV_PIX_FMT_YUV420P;
    context.time_base = to_av({settings.fps.den, settings.fps.num});
    context.framerate = to_av(settings.fps);
    context.colorspace = video_matrix(size);
    const bool hd = context.colorspace == AVCOL_SPC_BT709;
    context.color_primaries = hd ? AVCOL_PRI_BT709 : AVCOL_PRI_SMPTE170M;
    context.color_trc = hd ? AVCOL_TRC_BT709 : AVCOL_TRC_SMPTE170M;
    context.color_range = AVCOL_RANGE_MPEG;
    context.chroma_sample_location = AVCHROMA_LOC_LEFT;
    if ((output.get()->oformat->flags & AVFMT_GLOBALHEADER) != 0)
      context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (context.priv_data != nullptr) {  // encoders other than x264 have no such options
      av_opt_set_int(context.priv_data, "crf", settings.crf, 0);
      if (!settings.preset.empty())
        av_opt_set(context.priv_data, "preset", settings.preset.c_str(), 0);
    }
    if (const int error = avcodec_open2(&context, codec, nullptr); error < 0)
      throw JobError(file + ": encoder " + codec->name + ": " + ffmpeg_error_text(error));
  }

  // Encodes a picture, and writes the packets and sound that are ready; null ends the video.
  void encode(const AVFrame* frame) {
    if (const int error = avcodec_send_frame(encoder.get(), frame); error < 0)
      throw JobError("encoder: " + ffmpeg_error_text(error));
    while (avcodec_receive_packet(encoder.get(), packet.get()) == 0) {
      av_packet_rescale_ts(packet.get(), encoder.get()->time_base, stream->time_base);
      packet.get()->stream_index = stream->index;
      output.write(*packet.get());
    }
    if (sound) sound->write_until(static_cast<double>(frames) / fps.value());
  }
};

VideoEncoder::VideoEncoder(const std::filesystem::path& file, const VideoSettings& settings)
    : state_(std::make_unique<State>(file, settings)) {}
VideoEncoder::~VideoEncoder() = default;

void VideoEncoder::add(const PlanarPicture& picture) {
  const AvFrame frame = state_->converter.convert(picture);
  frame.get()->pts = state_->frames++;
  state_->encode(frame.get());
}

void VideoEncoder::finish() {
  state_->encode(nullptr);
  state_->output.finish();
}

SizePx VideoEncoder::video_px() const noexcept { return state_->converter.video_px(); }
bool VideoEncoder::with_sound() const noexcept { return state_->sound && state_->sound->usable(); }

}  // namespace tilewall::movie
