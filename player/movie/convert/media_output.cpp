#include "player/movie/convert/media_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/media_input.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {

void AvOutputTraits::close(Raw raw) noexcept {
  avio_closep(&raw->pb);
  avformat_free_context(raw);
}

MediaOutput::MediaOutput(std::filesystem::path file, const std::string& format)
    : file_(std::move(file)), temporary_(fmt::format("{}.{}.tmp", file_.string(), ::getpid())) {
  quiet_ffmpeg();
  forget_ffmpeg_message();
  AVFormatContext* raw = nullptr;
  avformat_alloc_output_context2(&raw, nullptr, format.empty() ? nullptr : format.c_str(),
                                 file_.c_str());
  if (raw == nullptr)
    throw InputError({file_.string()}, "output", "the name of a movie, such as out.mp4 or out.mkv",
                     "a name without a known suffix");
  output_ = UniqueHandle<AvOutputTraits>(raw);
  check(avio_open(&raw->pb, ("file:" + temporary_.string()).c_str(), AVIO_FLAG_WRITE), "open");
}

MediaOutput::~MediaOutput() {
  output_.reset();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void MediaOutput::check(int error, const char* action) const {
  if (error < 0)
    throw JobError(fmt::format("{}: {}: {}", file_.string(), action, ffmpeg_error_text(error)));
}

AVStream& MediaOutput::add_stream() {
  AVStream* stream = avformat_new_stream(output_.get(), nullptr);
  if (stream == nullptr) throw JobError("out of memory for a stream");
  return *stream;
}

void MediaOutput::begin() { check(avformat_write_header(output_.get(), nullptr), "write"); }

void MediaOutput::write(AVPacket& packet) {
  check(av_interleaved_write_frame(output_.get(), &packet), "write");
}

void MediaOutput::finish() {
  check(av_write_trailer(output_.get()), "write");
  check(avio_closep(&output_.get()->pb), "close");
  if (::rename(temporary_.c_str(), file_.c_str()) != 0)
    throw JobError(file_.string() + ": rename: " + std::strerror(errno));
  temporary_.clear();
}

namespace {

// Converts the packet's times to those of the output; false if it lies before the span.
bool move_packet(AVPacket& packet, const AVStream& from, const AVStream& to, double start_s) {
  if (packet.pts == AV_NOPTS_VALUE) packet.pts = packet.dts;
  if (packet.pts == AV_NOPTS_VALUE) return false;
  const std::int64_t shift = std::llround(start_s / av_q2d(from.time_base));
  packet.pts -= shift;
  packet.dts = packet.pts;
  if (packet.pts < 0) return false;
  av_packet_rescale_ts(&packet, from.time_base, to.time_base);
  packet.stream_index = to.index;
  packet.pos = -1;
  return true;
}

void copy_packets(MediaInput& input, const AVStream& from, MediaOutput& output, AVStream& to,
                  double start_s, double duration_s) {
  AvPacket packet = new_packet();
  for (;;) {
    input.restart_deadline();
    if (av_read_frame(input.get(), packet.get()) < 0)
      return;  // damage ends the sound, not the import
    const bool ours = packet.get()->stream_index == from.index;
    if (ours && move_packet(*packet.get(), from, to, start_s)) {
      if (duration_s > 0 &&
          static_cast<double>(packet.get()->pts) * av_q2d(to.time_base) >= duration_s)
        return;
      output.write(*packet.get());
    }
    av_packet_unref(packet.get());
  }
}

}  // namespace

std::string sound_problem(const std::filesystem::path& file) {
  try {
    MediaInput input(file);
    if (avformat_find_stream_info(input.get(), nullptr) >= 0 &&
        select_sound(input.get()) != nullptr)
      return "";
  } catch (const InputError& error) {
    return error.what();
  }
  return file.string() + ": expected sound, found none";
}

std::string extract_audio(const std::filesystem::path& movie, const std::filesystem::path& folder,
                          const AudioSpan& span) {
  MediaInput input(movie);
  if (avformat_find_stream_info(input.get(), nullptr) < 0) return "";
  const AVStream* from = select_sound(input.get());
  if (from == nullptr) return "";
  const AVOutputFormat* matroska = av_guess_format("matroska", nullptr, nullptr);
  if (matroska == nullptr ||
      avformat_query_codec(matroska, from->codecpar->codec_id, FF_COMPLIANCE_NORMAL) != 1)
    return "";
  MediaOutput output(folder / audio_file_name, "matroska");
  AVStream& to = output.add_stream();
  if (avcodec_parameters_copy(to.codecpar, from->codecpar) < 0)
    throw JobError("out of memory for an audio stream");
  to.codecpar->codec_tag = 0;
  to.time_base = from->time_base;
  output.begin();
  copy_packets(input, *from, output, to, video_start_s(input.get()) + span.from_s,
               span.until_s > span.from_s ? span.until_s - span.from_s : 0);
  output.finish();
  return audio_file_name;
}

}  // namespace tilewall::movie
