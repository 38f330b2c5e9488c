#include "player/movie/source/movie_file.hpp"

extern "C" {
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "player/movie/source/media_input.hpp"
#include "player/movie/source/movie_rate.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr int max_decoder_threads = 16;
constexpr double max_pixel_aspect = 8;  // anything beyond is a broken header

Rational to_rational(AVRational value) {
  return value.den == 0 ? Rational{0, 1} : reduced(value.num, value.den);
}

std::string text_or(const char* text, const char* otherwise) { return text ? text : otherwise; }

Orientation orientation_of(const std::uint8_t* matrix_bytes, std::size_t size) {
  std::array<std::int32_t, 9> matrix = {};
  if (matrix_bytes == nullptr || size < sizeof matrix) return {};
  std::memcpy(matrix.data(), matrix_bytes, sizeof matrix);
  return orientation_of_matrix(matrix);
}

Orientation stream_orientation(const AVStream& stream) {
  std::size_t size = 0;
  const std::uint8_t* bytes = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  return orientation_of(bytes, size);
}

void analyse(MediaInput& input, const std::string& name) {
  AVFormatContext* context = input.get();
  std::vector<AVDictionary*> options(context->nb_streams, nullptr);
  for (AVDictionary*& option : options) {
    av_dict_set_int(&option, "max_pixels", max_ffmpeg_picture_px, 0);
    av_dict_set(&option, "threads", "1", 0);
  }
  const int error = avformat_find_stream_info(context, options.data());
  for (AVDictionary*& option : options) av_dict_free(&option);
  if (error < 0)
    throw InputError({name}, "", "a movie that FFmpeg can read", ffmpeg_error_text(error));
}

Rational pixel_aspect_of(AVFormatContext* context, AVStream* stream) {
  const Rational aspect = to_rational(av_guess_sample_aspect_ratio(context, stream, nullptr));
  if (aspect.num <= 0 || aspect.value() > max_pixel_aspect || aspect.value() * max_pixel_aspect < 1)
    return {1, 1};
  return aspect;
}

double duration_of(const AVFormatContext& context, const AVStream& stream) {
  if (stream.duration > 0) return static_cast<double>(stream.duration) * av_q2d(stream.time_base);
  return context.duration > 0 ? static_cast<double>(context.duration) / AV_TIME_BASE : 0;
}

std::string best_audio_codec(AVFormatContext* context) {
  const int index = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
  return index < 0 ? "" : avcodec_get_name(context->streams[index]->codecpar->codec_id);
}

bool is_interlaced(AVFieldOrder order) {
  return order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE;
}

MovieInfo info_of(AVFormatContext* context, AVStream* stream, const AVCodecContext& decoder) {
  MovieInfo info;
  info.container = context->iformat->name;
  info.codec = avcodec_get_name(decoder.codec_id);
  info.pixel_format = text_or(av_get_pix_fmt_name(decoder.pix_fmt), "unknown");
  info.matrix = text_or(av_color_space_name(decoder.colorspace), "unknown");
  info.range = text_or(av_color_range_name(decoder.color_range), "unknown");
  info.primaries = text_or(av_color_primaries_name(decoder.color_primaries), "unknown");
  info.transfer = text_or(av_color_transfer_name(decoder.color_trc), "unknown");
  info.stored_px = {decoder.width, decoder.height};
  info.pixel_aspect = pixel_aspect_of(context, stream);
  info.orientation = stream_orientation(*stream);
  info.size_px = displayed_size_px(info.stored_px, info.pixel_aspect, info.orientation);
  info.fps = constant_rate(to_rational(stream->avg_frame_rate), to_rational(stream->r_frame_rate));
  info.duration_s = duration_of(*context, *stream);
  info.frames =
      info.duration_s > 0 ? std::llround(info.duration_s * info.fps.value()) : stream->nb_frames;
  info.interlaced = is_interlaced(decoder.field_order);
  info.audio_codec = best_audio_codec(context);
  return info;
}

AvCodec open_decoder(const AVStream& stream, const AVCodec* codec, int threads,
                     const std::string& name) {
  AvCodec decoder(avcodec_alloc_context3(codec));
  if (decoder.empty()) throw JobError("out of memory for a decoder");
  AVCodecContext* context = decoder.get();
  int error = avcodec_parameters_to_context(context, stream.codecpar);
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  context->thread_count = std::min(threads > 0 ? threads : cores, max_decoder_threads);
  context->max_pixels = max_ffmpeg_picture_px;
  context->pkt_timebase = stream.time_base;
  if (error >= 0) error = avcodec_open2(context, codec, nullptr);
  if (error < 0)
    throw InputError({name}, "", "a video stream that FFmpeg can decode", ffmpeg_error_text(error));
  return decoder;
}

int find_video(const MediaInput& input, const AVCodec** codec, const std::string& name) {
  AVFormatContext* context = input.get();
  const int index = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, codec, 0);
  if (index == AVERROR_DECODER_NOT_FOUND)
    throw InputError({name}, "", "a video codec that FFmpeg knows", "one without a decoder");
  if (index < 0) throw InputError({name}, "", "a video stream", "none");
  if ((context->streams[index]->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0)
    throw InputError({name}, "", "a video stream", "only a cover picture");
  return index;
}

}  // namespace

struct MovieFile::State {
  std::string name;
  ReadErrors read_errors;
  MediaInput input;
  AVStream* stream = nullptr;  // owned by input
  AvCodec decoder;
  MovieInfo info;
  AvPacket packet = new_packet();
  DecodeCounters counters;

  // After a seek: pictures that need others from before it are left out, as their decoding would
  // show damage that is not in the file.
  bool awaits_key_packet = false;
  bool awaits_clean_picture = false;
  std::optional<std::int64_t> key_pts;

  State(const std::filesystem::path& file, int threads, ReadErrors on_read_error)
      : name(file.string()), read_errors(on_read_error), input(file) {
    analyse(input, name);
    const AVCodec* codec = nullptr;
    stream = input.get()->streams[find_video(input, &codec, name)];
    for (unsigned i = 0; i < input.get()->nb_streams; ++i)
      if (input.get()->streams[i] != stream) input.get()->streams[i]->discard = AVDISCARD_ALL;
    decoder = open_decoder(*stream, codec, threads, name);
    info = info_of(input.get(), stream, *decoder.get());
  }

  // Gives the decoder one more packet, or the end.
  void feed() {
    const int read = av_read_frame(input.get(), packet.get());
    if (input.past_deadline())
      throw InputError({name}, "", "a picture within 8 s of reading", "none");
    if (read < 0) {
      if (read_errors == ReadErrors::thrown) throw_on_read_error(read);
      if (read != AVERROR_EOF) ++counters.damaged_packets;
      avcodec_send_packet(decoder.get(), nullptr);
      return;
    }
    if (packet.get()->stream_index == stream->index && !skips_packet() &&
        avcodec_send_packet(decoder.get(), packet.get()) < 0)
      ++counters.damaged_packets;
    av_packet_unref(packet.get());
  }

  // Demuxers report some of them as the end, or as damage.
  void throw_on_read_error(int read) const {
    const AVIOContext* file = input.get()->pb;
    const int file_error = file != nullptr && file->error != AVERROR_EOF ? file->error : 0;
    const int error = file_error < 0 ? file_error : read;
    if (file_error < 0 || error == AVERROR(ENOMEM))
      throw JobError(name + ": cannot be read: " + ffmpeg_error_text(error));
  }

  bool skips_packet() {
    if (!awaits_key_packet) return false;
    if ((packet.get()->flags & AV_PKT_FLAG_KEY) == 0) return true;
    awaits_key_packet = false;
    if (packet.get()->pts != AV_NOPTS_VALUE) key_pts = packet.get()->pts;
    return false;
  }

  bool skips_picture(const AVFrame& frame) {
    if (!awaits_clean_picture) return false;
    const bool from_key_on = key_pts && frame.best_effort_timestamp != AV_NOPTS_VALUE &&
                             frame.best_effort_timestamp >= *key_pts;
    awaits_clean_picture = frame.key_frame == 0 && !from_key_on;
    return awaits_clean_picture;
  }

  DecodedPicture picture_of(AvFrame frame) {
    if (frame.get()->decode_error_flags != 0 || (frame.get()->flags & AV_FRAME_FLAG_CORRUPT) != 0)
      ++counters.damaged_pictures;
    DecodedPicture picture;
    if (frame.get()->best_effort_timestamp != AV_NOPTS_VALUE)
      picture.pts = frame.get()->best_effort_timestamp;
    picture.duration = std::max<std::int64_t>(0, frame.get()->pkt_duration);
    picture.frame = share(std::move(frame));
    return picture;
  }
};

MovieFile::MovieFile(const std::filesystem::path& file, int threads, ReadErrors read_errors)
    : state_(std::make_unique<State>(file, threads, read_errors)) {}
MovieFile::~MovieFile() = default;

const MovieInfo& MovieFile::info() const noexcept { return state_->info; }
Rational MovieFile::time_base() const noexcept { return to_rational(state_->stream->time_base); }
const DecodeCounters& MovieFile::counters() const noexcept { return state_->counters; }

void MovieFile::leave_out_unreferenced(bool leave_out) noexcept {
  state_->decoder.get()->skip_frame = leave_out ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
}

std::optional<DecodedPicture> MovieFile::next() {
  state_->input.restart_deadline();
  AvFrame frame = new_frame();
  for (;;) {
    const int error = avcodec_receive_frame(state_->decoder.get(), frame.get());
    if (error == 0) {
      if (!state_->skips_picture(*frame.get())) return state_->picture_of(std::move(frame));
      av_frame_unref(frame.get());
      continue;
    }
    if (error == AVERROR_EOF) return std::nullopt;
    if (error == AVERROR(EAGAIN)) {
      state_->feed();
      continue;
    }
    if (error == AVERROR(ENOMEM)) throw JobError(state_->name + ": out of memory while decoding");
    ++state_->counters.damaged_packets;
    if (state_->input.past_deadline())
      throw InputError({state_->name}, "", "a picture within 8 s of decoding", "only damage");
  }
}

bool MovieFile::seek(double seconds) {
  const AVStream& stream = *state_->stream;
  const std::int64_t start = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
  return seek_to(start + std::llround(seconds / av_q2d(stream.time_base)));
}

bool MovieFile::seek_to(std::int64_t pts) {
  state_->input.restart_deadline();
  if (av_seek_frame(state_->input.get(), state_->stream->index, pts, AVSEEK_FLAG_BACKWARD) < 0)
    return false;
  avcodec_flush_buffers(state_->decoder.get());
  state_->awaits_key_packet = state_->awaits_clean_picture = true;
  state_->key_pts.reset();
  return true;
}

std::optional<bool> MovieFile::key_between(std::int64_t after, std::int64_t until) const {
  AVStream* stream = state_->stream;
  const int count = avformat_index_get_entries_count(stream);
  if (count == 0 || avformat_index_get_entry(stream, count - 1)->timestamp < until)
    return std::nullopt;
  const Rational frame_s = to_rational(av_inv_q(stream->avg_frame_rate));
  const double reorder_s = (state_->decoder.get()->has_b_frames + 1) * frame_s.value();
  const std::int64_t reorder = std::llround(reorder_s / av_q2d(stream->time_base));
  const AVIndexEntry* key =
      avformat_index_get_entry_from_timestamp(stream, until - reorder, AVSEEK_FLAG_BACKWARD);
  return key != nullptr && key->timestamp > after;
}

std::optional<std::vector<PictureStamp>> MovieFile::read_stamps(std::chrono::milliseconds limit) {
  constexpr std::size_t most_pictures = 4'000'000;
  const auto until = std::chrono::steady_clock::now() + limit;
  AVPacket* const packet = state_->packet.get();
  state_->input.restart_deadline();
  std::vector<PictureStamp> stamps;
  while (av_read_frame(state_->input.get(), packet) >= 0) {
    const std::int64_t shown = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
    const bool counts =
        packet->stream_index == state_->stream->index && (packet->flags & AV_PKT_FLAG_DISCARD) == 0;
    if (counts)
      stamps.push_back({shown != AV_NOPTS_VALUE ? std::optional(shown) : std::nullopt,
                        std::max<std::int64_t>(0, packet->duration)});
    av_packet_unref(packet);
    if (std::chrono::steady_clock::now() > until || stamps.size() > most_pictures)
      return std::nullopt;
  }
  std::stable_sort(stamps.begin(), stamps.end(), [](const PictureStamp& a, const PictureStamp& b) {
    return a.pts && b.pts && *a.pts < *b.pts;
  });
  return stamps;
}

Orientation frame_orientation(const AVFrame& frame) noexcept {
  const AVFrameSideData* data = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
  return data == nullptr ? Orientation{} : orientation_of(data->data, data->size);
}

}  // namespace tilewall
