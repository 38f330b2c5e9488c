#include "player/sound/reader/sound_file.hpp"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
}

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "player/movie/source/media_input.hpp"
#include "player/sound/reader/sound_question.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::sound {
namespace {

constexpr int most_channels = 64;
constexpr int most_samples = 1 << 20;  // limit for one decoded frame
// Stamps rounded to milliseconds, or jittering: what follows within this follows at once.
constexpr double stamp_tolerance_s = 0.02;
// Decoders need some packets before they are right again: so far ahead of what is wanted they
// begin. Where that still lands too late (coarse indexes), farther.
constexpr double steps_back_s[] = {0.25, 2, 10};
constexpr double mono_to_both[] = {1, 1};
constexpr double decoded_through_s = 1.0;  // rather than sought

struct SwrTraits {
  using Raw = SwrContext*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { swr_free(&raw); }
};

/// Decoded samples and where they belong.
struct Block {
  std::int64_t first = 0;
  std::vector<float> stereo;

  [[nodiscard]] std::int64_t end() const noexcept {
    return first + static_cast<std::int64_t>(stereo.size()) / pcm_channels;
  }
};

/// Converts decoded frames of any format to stereo.
class StereoMixer {
 public:
  /// Replaces `stereo` by the frame's samples at `rate_hz`. False if the frame cannot be converted;
  /// `stereo` then has the samples that could be.
  [[nodiscard]] bool convert(const AVFrame& frame, int rate_hz, std::vector<float>& stereo);

 private:
  struct Format {
    int sample_format = -1;
    int rate_hz = 0;
    int channels = 0;
    std::uint64_t mask = 0;
    bool operator==(const Format&) const = default;
  };
  [[nodiscard]] bool prepare(const AVFrame& frame, int rate_hz);

  UniqueHandle<SwrTraits> context_;  // for frames of format_
  Format format_;
};

bool StereoMixer::convert(const AVFrame& frame, int rate_hz, std::vector<float>& stereo) {
  stereo.clear();
  if (frame.nb_samples <= 0 || frame.nb_samples > most_samples || !prepare(frame, rate_hz))
    return false;
  const int room = swr_get_out_samples(context_.get(), frame.nb_samples);
  stereo.resize(static_cast<std::size_t>(std::max(room, 0)) * pcm_channels);
  auto* out = reinterpret_cast<std::uint8_t*>(stereo.data());
  const int made =
      swr_convert(context_.get(), &out, room, const_cast<const std::uint8_t**>(frame.extended_data),
                  frame.nb_samples);
  stereo.resize(static_cast<std::size_t>(std::max(made, 0)) * pcm_channels);
  for (float& sample : stereo)
    if (!std::isfinite(sample)) sample = 0;
  return made >= 0;
}

// Sets up the conversion of frames like this one; false if FFmpeg cannot convert them.
bool StereoMixer::prepare(const AVFrame& frame, int rate_hz) {
  const Format format{
      frame.format, frame.sample_rate, frame.ch_layout.nb_channels,
      frame.ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? frame.ch_layout.u.mask : 0};
  if (!context_.empty() && format == format_) return true;
  if (format.channels < 1 || format.channels > most_channels || format.rate_hz < lowest_rate_hz ||
      format.rate_hz > highest_rate_hz)
    return false;
  AVChannelLayout from = {};
  if (format.mask == 0 || av_channel_layout_from_mask(&from, format.mask) < 0)
    av_channel_layout_default(&from, format.channels);
  AVChannelLayout to = AV_CHANNEL_LAYOUT_STEREO;
  SwrContext* raw = nullptr;
  bool made = swr_alloc_set_opts2(&raw, &to, AV_SAMPLE_FMT_FLT, rate_hz, &from,
                                  static_cast<AVSampleFormat>(format.sample_format), format.rate_hz,
                                  0, nullptr) >= 0;
  if (made)
    av_opt_set_double(raw, "rematrix_maxval", 1.0, 0);  // mixed down, it stays below full scale
  if (made && format.channels == 1) swr_set_matrix(raw, mono_to_both, 1);
  made = made && swr_init(raw) >= 0;
  av_channel_layout_uninit(&from);
  context_ = UniqueHandle<SwrTraits>(raw);
  format_ = made ? format : Format{};
  if (!made) context_.reset();
  return made;
}

void copy_overlap(const Block& block, std::int64_t first, std::span<float> stereo) {
  const std::int64_t end = first + static_cast<std::int64_t>(stereo.size()) / pcm_channels;
  const std::int64_t from = std::max(first, block.first);
  const std::int64_t until = std::min(end, block.end());
  if (from >= until) return;
  std::copy(block.stereo.begin() + (from - block.first) * pcm_channels,
            block.stereo.begin() + (until - block.first) * pcm_channels,
            stereo.begin() + (from - first) * pcm_channels);
}

}  // namespace

struct SoundFile::State {
  UniqueFd file;  // outlives input, which reads it
  std::filesystem::path path;
  std::unique_ptr<movie::MediaInput> input;
  AVStream* stream = nullptr;  // owned by input
  movie::AvCodec codec;
  StereoMixer mixer;
  movie::AvPacket packet = movie::new_packet();
  movie::AvFrame frame = movie::new_frame();
  int rate_hz = 0;
  double start_s = 0;                     // instant of frame 0 on the container's axis
  Block block;                            // the newest
  bool placed = false;                    // its end is where the next one follows
  bool untouched = true;                  // since it was opened
  std::optional<std::int64_t> beginning;  // the first sample, once it was decoded
  bool drained = false;                   // the decoder has been told of the end
  bool ended = false;
  std::int64_t damaged = 0;

  void open();
  void read(std::int64_t first, std::span<float> stereo);
  void go_to(std::int64_t first);
  [[nodiscard]] bool seek(double second);
  [[nodiscard]] bool decode_next();
  void feed();
  void take_frame();
  [[nodiscard]] std::int64_t place_of_frame() const;
  [[nodiscard]] double tick_s() const { return av_q2d(stream->time_base); }
};

void SoundFile::State::open() {
  input.reset();  // one at a time reads the file
  input = std::make_unique<movie::MediaInput>(file.get(), path);
  if (const int error = avformat_find_stream_info(input->get(), nullptr); error < 0)
    throw InputError({path.string()}, "", "a movie with sound", movie::ffmpeg_error_text(error));
  stream = movie::select_sound(input->get());
  if (stream == nullptr) throw InputError({path.string()}, "", "a movie with sound", "no sound");
  const AVCodec* decoder = avcodec_find_decoder(stream->codecpar->codec_id);
  if (decoder == nullptr)
    throw InputError({path.string()}, "sound", "a codec that FFmpeg decodes",
                     avcodec_get_name(stream->codecpar->codec_id));
  codec = movie::AvCodec(avcodec_alloc_context3(decoder));
  if (codec.empty() || avcodec_parameters_to_context(codec.get(), stream->codecpar) < 0)
    throw JobError("out of memory for a sound decoder");
  codec.get()->pkt_timebase = stream->time_base;
  codec.get()->thread_count = 1;
  if (const int error = avcodec_open2(codec.get(), decoder, nullptr); error < 0)
    throw InputError({path.string()}, "sound", "a stream that FFmpeg decodes",
                     movie::ffmpeg_error_text(error));
  rate_hz = codec.get()->sample_rate;
  if (rate_hz < lowest_rate_hz || rate_hz > highest_rate_hz)
    throw InputError({path.string()}, "sound", "a rate in [1000, 768000] Hz",
                     std::to_string(rate_hz));
  start_s = movie::video_start_s(input->get());
  block = {};
  placed = drained = ended = false;
  untouched = true;
}

void SoundFile::State::read(std::int64_t first, std::span<float> stereo) {
  std::fill(stereo.begin(), stereo.end(), 0.0F);
  go_to(first);
  const std::int64_t end = first + static_cast<std::int64_t>(stereo.size()) / pcm_channels;
  for (;;) {
    copy_overlap(block, first, stereo);
    if (block.end() >= end || !decode_next()) return;
  }
}

/// Brings the decoder to a block that ends behind `first`, and begins at it or before it where the
/// file goes so far back.
void SoundFile::State::go_to(std::int64_t first) {
  const auto near_frames = static_cast<std::int64_t>(decoded_through_s * rate_hz);
  if (beginning) first = std::max(first, *beginning);
  if (untouched && first < near_frames) return;
  if (placed && first >= block.first && first < block.end() + near_frames) return;
  if (placed && ended && first >= block.end()) return;
  for (const double back_s : steps_back_s) {
    const double second = start_s + static_cast<double>(first) / rate_hz - back_s;
    if (!seek(second)) break;
    if (!decode_next() || block.first <= first) return;
  }
  open();  // no index, or one that leads astray: from the beginning
}

bool SoundFile::State::seek(double second) {
  input->restart_deadline();
  const auto pts = static_cast<std::int64_t>(std::floor(second / tick_s()));
  if (av_seek_frame(input->get(), stream->index, pts, AVSEEK_FLAG_BACKWARD) < 0 &&
      av_seek_frame(input->get(), stream->index, pts, 0) < 0)
    return false;
  avcodec_flush_buffers(codec.get());
  block = {};
  placed = drained = ended = untouched = false;
  return true;
}

/// False at the end.
bool SoundFile::State::decode_next() {
  while (!ended) {
    const int result = avcodec_receive_frame(codec.get(), frame.get());
    if (result == 0) {
      take_frame();
      av_frame_unref(frame.get());
      return true;
    }
    if (result != AVERROR(EAGAIN) && result != AVERROR_EOF) ++damaged;
    if (result == AVERROR_EOF || drained)
      ended = true;
    else
      feed();
  }
  return false;
}

/// Hands the decoder its next packet.
void SoundFile::State::feed() {
  input->restart_deadline();
  const int result = av_read_frame(input->get(), packet.get());
  if (result < 0) {
    if (result != AVERROR_EOF) ++damaged;
    drained = true;
    avcodec_send_packet(codec.get(), nullptr);
    return;
  }
  if (packet.get()->stream_index == stream->index &&
      avcodec_send_packet(codec.get(), packet.get()) < 0)
    ++damaged;
  av_packet_unref(packet.get());
}

/// Where the decoded frame belongs: by its stamp, or behind the one before it.
std::int64_t SoundFile::State::place_of_frame() const {
  const std::int64_t pts = frame.get()->best_effort_timestamp;
  if (pts == AV_NOPTS_VALUE) return placed ? block.end() : 0;
  const double place = (static_cast<double>(pts) * tick_s() - start_s) * rate_hz;
  if (placed && std::abs(place - static_cast<double>(block.end())) < stamp_tolerance_s * rate_hz)
    return block.end();
  constexpr double farthest = 1e15;  // a broken stamp
  return std::llround(std::clamp(place, -farthest, farthest));
}

void SoundFile::State::take_frame() {
  block.first = place_of_frame();
  placed = true;
  if (std::exchange(untouched, false)) beginning = block.first;
  if (!mixer.convert(*frame.get(), rate_hz, block.stereo)) ++damaged;
}

SoundFile::SoundFile(const std::filesystem::path& file) : SoundFile(open_for_reading(file), file) {}

SoundFile::SoundFile(UniqueFd file, const std::filesystem::path& name)
    : state_(std::make_unique<State>()) {
  state_->file = std::move(file);
  state_->path = name;
  state_->open();
}

SoundFile::~SoundFile() = default;

int SoundFile::rate_hz() const noexcept { return state_->rate_hz; }

void SoundFile::read(std::int64_t first, std::span<float> stereo) { state_->read(first, stereo); }

std::int64_t SoundFile::damaged_packets() const noexcept { return state_->damaged; }

}  // namespace tilewall::sound
