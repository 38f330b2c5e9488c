#include "player/movie/source/media_input.hpp"

extern "C" {
#include <libavutil/mem.h>
}

#include <sys/stat.h>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {

namespace {

constexpr std::size_t max_allocation_bytes = std::size_t{1} << 30;

struct DictionaryTraits {
  using Raw = AVDictionary*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { av_dict_free(&raw); }
};
using Dictionary = UniqueHandle<DictionaryTraits>;

void refuse_unreadable(const std::filesystem::path& file) {
  const UniqueFd fd = open_for_reading(file);
  struct stat status = {};
  if (::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
    throw InputError({file.string()}, "", "a movie or an image", "an empty file");
}

Dictionary format_options() {
  AVDictionary* options = nullptr;
  av_dict_set(&options, "protocol_whitelist", "file", 0);
  av_dict_set(&options, "probesize", "16777216", 0);
  av_dict_set(&options, "analyzeduration", "5000000", 0);
  av_dict_set(&options, "max_streams", "100", 0);
  return Dictionary(options);
}

}  // namespace

int MediaInput::interrupt(void* deadline) {
  return std::chrono::steady_clock::now() > static_cast<const Deadline*>(deadline)->at ? 1 : 0;
}

MediaInput::MediaInput(const std::filesystem::path& file)
    : deadline_(std::make_unique<Deadline>()) {
  quiet_ffmpeg();
  forget_ffmpeg_message();
  refuse_unreadable(file);
  av_max_alloc(max_allocation_bytes);
  restart_deadline();
  AVFormatContext* raw = avformat_alloc_context();
  if (raw == nullptr) throw JobError("out of memory for a demuxer");
  raw->interrupt_callback = {&MediaInput::interrupt, deadline_.get()};
  Dictionary options = format_options();
  AVDictionary* left = options.release();
  // Without "file:" FFmpeg would read a name with a colon as a protocol. On failure it frees raw.
  const int error = avformat_open_input(&raw, ("file:" + file.string()).c_str(), nullptr, &left);
  av_dict_free(&left);
  if (error < 0)
    throw InputError({file.string()}, "", "a movie that FFmpeg can open", ffmpeg_error_text(error));
  input_ = AvInput(raw);
}

void MediaInput::restart_deadline() noexcept {
  deadline_->at = std::chrono::steady_clock::now() + media_stall_limit;
}

bool MediaInput::past_deadline() const noexcept { return interrupt(deadline_.get()) != 0; }

double video_start_s(AVFormatContext* context) noexcept {
  const int index = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (index < 0) return 0;
  const AVStream& video = *context->streams[index];
  const bool is_cover = (video.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
  return is_cover || video.start_time == AV_NOPTS_VALUE
             ? 0
             : static_cast<double>(video.start_time) * av_q2d(video.time_base);
}

AVStream* select_sound(AVFormatContext* context) noexcept {
  const int index = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
  if (index < 0) return nullptr;
  for (unsigned i = 0; i < context->nb_streams; ++i)
    if (static_cast<int>(i) != index) context->streams[i]->discard = AVDISCARD_ALL;
  return context->streams[index];
}

}  // namespace tilewall::movie
