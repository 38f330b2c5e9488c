#include "player/movie/transfer/media_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sync/base/error.hpp"

namespace tilewall {

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
                     "a name that says nothing");
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

}  // namespace tilewall
