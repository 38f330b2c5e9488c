#include "player/movie/transfer/audio_track.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/media_input.hpp"
#include "player/movie/source/sound_stream.hpp"
#include "player/movie/transfer/media_output.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

// Gives the packet its new times; false when it lies before the span.
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

}  // namespace tilewall
