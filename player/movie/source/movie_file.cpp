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

#include "player/movie/source/frame_timing.hpp"
#include "player/movie/source/media_input.hpp"
#include "player/movie/source/picture_damage.hpp"
#include "player/movie/source/resumption.hpp"
#include "player/movie/source/seek_landing.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr int max_decoder_threads = 16;
constexpr double max_pixel_aspect = 8;  // and at least 1/8; other values count as broken headers

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

/// A context for `codec` that is not open yet.
AvCodec new_decoder(const AVStream& stream, const AVCodec* codec, int threads) {
  AvCodec decoder(avcodec_alloc_context3(codec));
  if (decoder.empty()) throw JobError("out of memory for a decoder");
  AVCodecContext* context = decoder.get();
  if (avcodec_parameters_to_context(context, stream.codecpar) < 0)
    throw JobError("out of memory for a decoder");
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  context->thread_count = std::min(threads > 0 ? threads : cores, max_decoder_threads);
  context->max_pixels = max_ffmpeg_picture_px;
  context->pkt_timebase = stream.time_base;
  return decoder;
}

AvCodec open_decoder(const AVStream& stream, const AVCodec* codec, int threads,
                     const std::string& name) {
  AvCodec decoder = new_decoder(stream, codec, threads);
  const int error = avcodec_open2(decoder.get(), codec, nullptr);
  if (error < 0)
    throw InputError({name}, "", "a video stream that FFmpeg can decode", ffmpeg_error_text(error));
  return decoder;
}

/// A decoder on the device; empty if the device cannot decode the stream, and has given up.
AvCodec open_hardware(const AVStream& stream, HardwareDecoder& hardware) {
  const AVCodec* const codec = hardware.codec_for(stream.codecpar->codec_id);
  if (codec == nullptr) {
    hardware.give_up(std::string("does not decode ") + avcodec_get_name(stream.codecpar->codec_id));
    return {};
  }
  AvCodec decoder = new_decoder(stream, codec, 1);
  if (hardware.prepare(*decoder.get()) && avcodec_open2(decoder.get(), codec, nullptr) >= 0)
    return decoder;
  hardware.give_up("its decoder does not open");
  return {};
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

std::optional<std::int64_t> stamp_of(const AVFrame& frame) {
  if (frame.best_effort_timestamp == AV_NOPTS_VALUE) return std::nullopt;
  return frame.best_effort_timestamp;
}

bool is_damaged(const AVFrame& frame) {
  return frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
}

/// Whether the decoder gives one picture per packet, with the packet's stamp. Interlaced streams
/// are excluded, because each field may have a packet of its own.
bool gives_picture_per_packet(const AVCodecParameters& stream) {
  const bool known = stream.codec_id == AV_CODEC_ID_H264 || stream.codec_id == AV_CODEC_ID_HEVC;
  return known && stream.field_order == AV_FIELD_PROGRESSIVE;
}

}  // namespace

namespace {

/// The best video stream of a file that is open, from its start; the other streams are not read.
class VideoStream {
 public:
  explicit VideoStream(const std::filesystem::path& file)
      : file_(file), name_(file.string()), input_(file) {
    find();
  }

  /// Opens the file anew.
  void restart() {
    input_ = MediaInput(file_);
    find();
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] MediaInput& input() noexcept { return input_; }
  [[nodiscard]] AVFormatContext* context() const noexcept { return input_.get(); }
  [[nodiscard]] AVStream* get() const noexcept { return stream_; }
  [[nodiscard]] AVStream* operator->() const noexcept { return stream_; }
  [[nodiscard]] const AVCodec* cpu_codec() const noexcept { return cpu_codec_; }

 private:
  void find() {
    analyse(input_, name_);
    stream_ = input_.get()->streams[find_video(input_, &cpu_codec_, name_)];
    for (unsigned i = 0; i < input_.get()->nb_streams; ++i)
      if (input_.get()->streams[i] != stream_) input_.get()->streams[i]->discard = AVDISCARD_ALL;
  }

  const std::filesystem::path file_;
  const std::string name_;
  MediaInput input_;
  AVStream* stream_ = nullptr;          // owned by input_
  const AVCodec* cpu_codec_ = nullptr;  // static, owned by FFmpeg
};

std::optional<std::int64_t> stamp_of(const AVPacket& packet) {
  if (packet.pts == AV_NOPTS_VALUE) return std::nullopt;
  return packet.pts;
}

}  // namespace

struct MovieFile::State {
  VideoStream stream;
  const int threads;
  const ReadErrors read_errors;
  std::shared_ptr<HardwareDecoder> hardware;  // null: the processor decodes
  AvCodec decoder;                            // refers to hardware
  MovieInfo info;
  AvPacket packet = new_packet();
  PictureDamage damage;
  PictureDamage::Verdict verdict;     // on the newest picture
  std::int64_t unread_packets = 0;    // read errors, each of which ended the movie
  std::int64_t damaged_pictures = 0;  // handed out with AV_FRAME_FLAG_CORRUPT
  AVDiscard left_out = AVDISCARD_DEFAULT;
  SeekLanding landing;
  Resumption resumption;

  State(const std::filesystem::path& opened, int decoding_threads, ReadErrors on_read_error,
        std::shared_ptr<HardwareDecoder> decodes)
      : stream(opened),
        threads(decoding_threads),
        read_errors(on_read_error),
        hardware(decodes && !decodes->given_up() ? std::move(decodes) : nullptr) {
    if (hardware) decoder = open_hardware(*stream.get(), *hardware);
    if (decoder.empty()) open_cpu_decoder();
    info = info_of(stream.context(), stream.get(), *decoder.get());
  }

  void open_cpu_decoder() {
    decoder = open_decoder(*stream.get(), stream.cpu_codec(), threads, stream.name());
    decoder.get()->skip_frame = left_out;
    hardware.reset();
  }

  void read_from_start() {
    stream.restart();
    open_cpu_decoder();
    landing.end();
    damage.restart();
  }

  bool seek_to(std::int64_t pts) {
    stream.input().restart_deadline();
    if (av_seek_frame(stream.context(), stream->index, pts, AVSEEK_FLAG_BACKWARD) < 0) return false;
    avcodec_flush_buffers(decoder.get());
    landing.begin();
    damage.restart();
    return true;
  }

  /// Replaces the GPU by the processor, which goes on with the picture after the last one that was
  /// handed out. Frame numbers stay exact only if no picture is left out or comes twice.
  /// @pre hardware
  void fall_back(const std::string& why) {
    hardware->give_up(why);
    open_cpu_decoder();
    // Nothing was handed out since the last seek, so the same seek leads to the same picture.
    if (resumption.handed_out == 0 && resumption.sought_pts && seek_to(*resumption.sought_pts))
      return;
    // The new decoder knows none of the pictures that the next one refers to. It has to begin at a
    // key picture farther back, and decode the pictures up to the place once more.
    resumption.begin();
    resume();
  }

  /// Seeks to a place before the last picture that was handed out: each call farther back, and to
  /// the start at last.
  void resume() {
    while (const auto pts = resumption.next_seek(av_q2d(stream->time_base)))
      if (seek_to(*pts)) return;
    read_from_start();
  }

  // Sends the decoder the next packet of the file, or the end of the stream.
  void feed() {
    const int read = av_read_frame(stream.context(), packet.get());
    if (stream.input().past_deadline())
      throw InputError({stream.name()}, "", "a picture within 8 s of reading", "none");
    if (read < 0) {
      if (read_errors == ReadErrors::thrown) throw_on_read_error(read);
      if (read != AVERROR_EOF) ++unread_packets;
      avcodec_send_packet(decoder.get(), nullptr);
      return;
    }
    int error = 0;
    if (packet.get()->stream_index == stream->index &&
        !landing.skips_packet((packet.get()->flags & AV_PKT_FLAG_KEY) != 0,
                              stamp_of(*packet.get()))) {
      if (expects_picture()) damage.expect(packet.get()->pts);
      error = avcodec_send_packet(decoder.get(), packet.get());
    }
    av_packet_unref(packet.get());
    if (error < 0) take_decoder_error();
  }

  // Only the processor's errors count as damage, because a GPU's driver may fail at intact data.
  void take_decoder_error() {
    if (hardware) return fall_back("its decoder failed");
    damage.refuse();
  }

  [[nodiscard]] bool expects_picture() const {
    return !hardware && left_out == AVDISCARD_DEFAULT && packet.get()->pts != AV_NOPTS_VALUE &&
           (packet.get()->flags & AV_PKT_FLAG_DISCARD) == 0 &&
           gives_picture_per_packet(*stream->codecpar);
  }

  // Throws JobError if the file could not be read. Some demuxers report a read error as the end of
  // the file or as damage, so the error of the file itself is examined too.
  void throw_on_read_error(int read) const {
    const AVIOContext* file = stream.context()->pb;
    const int file_error = file != nullptr && file->error != AVERROR_EOF ? file->error : 0;
    const int error = file_error < 0 ? file_error : read;
    if (file_error < 0 || error == AVERROR(ENOMEM))
      throw JobError(stream.name() + ": cannot be read: " + ffmpeg_error_text(error));
  }

  bool skips_picture(const AVFrame& frame) {
    if (landing.skips_picture(frame.key_frame != 0, stamp_of(frame))) return true;
    verdict = damage.take({stamp_of(frame), frame.key_frame != 0, is_damaged(frame)});
    switch (resumption.judge(stamp_of(frame))) {
      case Resumption::Verdict::new_picture:
        return false;
      case Resumption::Verdict::handed_out:
        return true;
      case Resumption::Verdict::landed_behind:
        resume();
        return true;
    }
    return false;
  }

  /// Fetches the picture to main memory; empty if the GPU failed at it, so that the processor will
  /// decode it again.
  std::optional<AvFrame> in_main_memory(AvFrame frame) {
    if (!hardware) return frame;
    if (!hardware->holds(*frame.get())) {
      fall_back("does not take the movie's pixel format");
      return std::nullopt;
    }
    if (is_damaged(*frame.get())) {
      fall_back("met damage in the movie");
      return std::nullopt;
    }
    AvFrame fetched = hardware->fetch(*frame.get());
    if (!fetched.empty()) return fetched;
    fall_back("a picture could not be fetched");
    return std::nullopt;
  }

  // Copies the stream's HDR metadata to a picture that has none. Containers hold it once for the
  // stream, HEVC and AV1 may repeat it with pictures.
  void add_light_tags(AVFrame& frame) const {
    if (!info.hdr()) return;
    add_light_tag(frame, AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
                  AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
    add_light_tag(frame, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
  }

  void add_light_tag(AVFrame& frame, AVPacketSideDataType of_stream,
                     AVFrameSideDataType of_frame) const {
    if (av_frame_get_side_data(&frame, of_frame) != nullptr) return;
    std::size_t size = 0;
    const std::uint8_t* bytes = av_stream_get_side_data(stream.get(), of_stream, &size);
    if (bytes == nullptr) return;
    AVFrameSideData* data = av_frame_new_side_data(&frame, of_frame, size);
    if (data == nullptr) throw JobError(stream.name() + ": out of memory while decoding");
    std::memcpy(data->data, bytes, size);
  }

  MoviePicture picture_of(AvFrame frame) {
    add_light_tags(*frame.get());
    // A loss is shown as a repeat of the frame before it. Before the first picture there is none,
    // so the first picture itself counts as damaged.
    if (verdict.damaged || (verdict.after_loss && resumption.handed_out == 0)) {
      frame.get()->flags |= AV_FRAME_FLAG_CORRUPT;
      ++damaged_pictures;
    }
    MoviePicture picture;
    picture.after_loss = verdict.after_loss;
    picture.pts = stamp_of(*frame.get());
    resumption.note(picture.pts);
    picture.duration = std::max<std::int64_t>(0, frame.get()->pkt_duration);
    picture.frame = share(std::move(frame));
    return picture;
  }
};

MovieFile::MovieFile(const std::filesystem::path& file, int threads, ReadErrors read_errors,
                     std::shared_ptr<HardwareDecoder> hardware)
    : state_(std::make_unique<State>(file, threads, read_errors, std::move(hardware))) {}
MovieFile::~MovieFile() = default;

const MovieInfo& MovieFile::info() const noexcept { return state_->info; }
Rational MovieFile::time_base() const noexcept { return to_rational(state_->stream->time_base); }
DecodeCounters MovieFile::counters() const noexcept {
  return {state_->damage.lost_packets() + state_->unread_packets, state_->damaged_pictures};
}

void MovieFile::leave_out_unreferenced(bool leave_out) noexcept {
  state_->left_out = leave_out ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
  state_->decoder.get()->skip_frame = state_->left_out;
}

std::optional<MoviePicture> MovieFile::next() {
  State& state = *state_;
  state.stream.input().restart_deadline();
  for (;;) {
    AvFrame frame = new_frame();
    const int error = avcodec_receive_frame(state.decoder.get(), frame.get());
    if (error == 0) {
      if (state.skips_picture(*frame.get())) continue;
      auto picture = state.in_main_memory(std::move(frame));
      if (picture) return state.picture_of(std::move(*picture));
      continue;
    }
    if (error == AVERROR_EOF) {
      if (!state.resumption.looks_for_picture()) {
        state.damage.end();
        return std::nullopt;
      }
      state.resume();
      continue;
    }
    if (error == AVERROR(EAGAIN)) {
      state.feed();
      continue;
    }
    if (error == AVERROR(ENOMEM))
      throw JobError(state.stream.name() + ": out of memory while decoding");
    state.take_decoder_error();
    if (state.stream.input().past_deadline())
      throw InputError({state.stream.name()}, "", "a picture within 8 s of decoding",
                       "only damage");
  }
}

bool MovieFile::seek(double seconds) {
  const AVStream& stream = *state_->stream.get();
  const std::int64_t start = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
  return seek_to(start + std::llround(seconds / av_q2d(stream.time_base)));
}

bool MovieFile::seek_to(std::int64_t pts) {
  if (!state_->seek_to(pts)) return false;
  state_->resumption = Resumption{};
  state_->resumption.sought_pts = pts;
  return true;
}

std::optional<bool> MovieFile::key_between(std::int64_t after, std::int64_t until) const {
  AVStream* stream = state_->stream.get();
  const int count = avformat_index_get_entries_count(stream);
  if (count == 0 || avformat_index_get_entry(stream, count - 1)->timestamp < until)
    return std::nullopt;
  const Rational frame_s = to_rational(av_inv_q(stream->avg_frame_rate));
  // Index entries may hold decoding stamps, which precede display by up to has_b_frames pictures.
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
  state_->stream.input().restart_deadline();
  std::vector<PictureStamp> stamps;
  while (av_read_frame(state_->stream.context(), packet) >= 0) {
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

FrameCount MovieFile::count_frames(std::chrono::milliseconds limit) {
  const auto stamps = read_stamps(limit);
  if (!stamps || stamps->empty()) return {info().frames, true};
  FrameTiming timing(time_base(), info().fps);
  FrameCount count;
  const auto take = [&](const std::optional<FrameSpan>& span) {
    if (span) count.frames = span->first + span->count;
  };
  for (const PictureStamp& stamp : *stamps) take(timing.add(stamp.pts, stamp.duration));
  take(timing.finish());
  return count;
}

Orientation frame_orientation(const AVFrame& frame) noexcept {
  const AVFrameSideData* data = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
  return data == nullptr ? Orientation{} : orientation_of(data->data, data->size);
}

}  // namespace tilewall::movie
