#include "player/movie/source/media_input.hpp"

extern "C" {
#include <libavutil/mem.h>
}

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "sync/base/check.hpp"
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

constexpr int read_ahead_bytes = 64 << 10;

void refuse_empty(int fd, const std::filesystem::path& file) {
  struct stat status = {};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
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

/// How FFmpeg reads a descriptor that it does not open itself.
struct MediaInput::Borrowed {
  int fd = -1;
  Deadline* deadline = nullptr;  ///< FFmpeg looks at it by itself only where it reads the file
  std::int64_t place = 0;
  AVIOContext* context = nullptr;

  static int read(void* self, std::uint8_t* to, int bytes) noexcept {
    auto& file = *static_cast<Borrowed*>(self);
    if (interrupt(file.deadline) != 0) return AVERROR_EXIT;
    const ssize_t got = retry_eintr(
        [&] { return ::pread(file.fd, to, static_cast<std::size_t>(bytes), file.place); });
    if (got < 0) return AVERROR(errno);
    if (got == 0) return AVERROR_EOF;
    file.place += got;
    return static_cast<int>(got);
  }

  static std::int64_t seek(void* self, std::int64_t offset, int whence) noexcept {
    auto& file = *static_cast<Borrowed*>(self);
    struct stat status = {};
    if (::fstat(file.fd, &status) != 0) return AVERROR(errno);
    whence &= ~AVSEEK_FORCE;
    if (whence == AVSEEK_SIZE) return status.st_size;
    if (whence == SEEK_CUR) offset += file.place;
    if (whence == SEEK_END) offset += status.st_size;
    if (offset < 0) return AVERROR(EINVAL);
    return file.place = offset;
  }
};

void MediaInput::BorrowedTraits::close(Raw raw) noexcept {
  // FFmpeg may have replaced the buffer.
  if (raw->context != nullptr) av_freep(&raw->context->buffer);
  avio_context_free(&raw->context);
  delete raw;
}

MediaInput::MediaInput(const std::filesystem::path& file) {
  refuse_empty(open_for_reading(file).get(), file);
  open(file);
}

MediaInput::MediaInput(int file, const std::filesystem::path& name) : borrowed_(new Borrowed) {
  refuse_empty(file, name);
  Borrowed& borrowed = *borrowed_.get();
  borrowed.fd = file;
  auto* const buffer = static_cast<std::uint8_t*>(av_malloc(read_ahead_bytes));
  borrowed.context = avio_alloc_context(buffer, read_ahead_bytes, 0, &borrowed, &Borrowed::read,
                                        nullptr, &Borrowed::seek);
  if (buffer == nullptr || borrowed.context == nullptr) {
    if (borrowed.context == nullptr) av_free(buffer);
    throw JobError("out of memory for a demuxer");
  }
  open(name);
}

void MediaInput::open(const std::filesystem::path& file) {
  quiet_ffmpeg();
  forget_ffmpeg_message();
  deadline_ = std::make_unique<Deadline>();
  av_max_alloc(max_allocation_bytes);
  restart_deadline();
  AVFormatContext* raw = avformat_alloc_context();
  if (raw == nullptr) throw JobError("out of memory for a demuxer");
  raw->interrupt_callback = {&MediaInput::interrupt, deadline_.get()};
  if (!borrowed_.empty()) {
    borrowed_.get()->deadline = deadline_.get();
    raw->pb = borrowed_.get()->context;
  }
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
