#include "player/movie/codecs/tiff_stream.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

struct OpenOptionsTraits {
  using Raw = TIFFOpenOptions*;
  static constexpr TIFFOpenOptions* null() noexcept { return nullptr; }
  static void close(TIFFOpenOptions* options) noexcept { TIFFOpenOptionsFree(options); }
};

int ignore_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

int map_nothing(thandle_t, void**, toff_t*) { return 0; }

void unmap_nothing(thandle_t, void*, toff_t) {}

int leave_open(thandle_t) { return 0; }

}  // namespace

TiffStream::TiffStream(int fd, const char* mode, std::int64_t max_alloc_bytes,
                       std::uint64_t window_bytes)
    : fd_(fd), window_bytes_(window_bytes) {
  struct stat status = {};
  if (::fstat(fd_, &status) == 0) end_ = static_cast<std::uint64_t>(status.st_size);
  const UniqueHandle<OpenOptionsTraits> options(TIFFOpenOptionsAlloc());
  TW_CHECK(!options.empty());
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &note_error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &ignore_warning, nullptr);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), max_alloc_bytes);
  tiff_ = UniqueHandle<TiffTraits>(TIFFClientOpenExt("", mode, static_cast<thandle_t>(this), &read,
                                                     &write, &seek, &leave_open, &size,
                                                     &map_nothing, &unmap_nothing, options.get()));
}

// Reads from the position on; fewer bytes at the end of the file or on an error. Returns the
// number.
std::size_t TiffStream::read_file(char* bytes, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = retry_eintr([&] {
      return ::pread(fd_, bytes + done, size - done, static_cast<off_t>(position_ + done));
    });
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  read_bytes_ += done;
  return done;
}

bool TiffStream::window_holds(std::size_t size) const noexcept {
  return position_ >= window_at_ && position_ + size <= window_at_ + window_.size();
}

tmsize_t TiffStream::read(thandle_t handle, void* bytes, tmsize_t size) {
  auto& stream = *static_cast<TiffStream*>(handle);
  auto* const to = static_cast<char*>(bytes);
  auto count = static_cast<std::size_t>(size);
  if (count >= stream.window_bytes_ && !stream.window_holds(count)) {
    count = stream.read_file(to, count);
  } else {
    if (!stream.window_holds(count)) {
      stream.window_.resize(stream.window_bytes_);
      stream.window_at_ = stream.position_;
      // Reading stops at the end of the file, as a read beyond it costs another round trip.
      const std::uint64_t left = stream.end_ - std::min(stream.end_, stream.position_);
      stream.window_.resize(stream.read_file(stream.window_.data(),
                                             std::min<std::uint64_t>(stream.window_bytes_, left)));
    }
    const std::uint64_t held = stream.window_at_ + stream.window_.size() - stream.position_;
    count = std::min<std::uint64_t>(count, held);
    std::memcpy(to, stream.window_.data() + (stream.position_ - stream.window_at_), count);
  }
  stream.position_ += count;
  return static_cast<tmsize_t>(count);
}

tmsize_t TiffStream::write(thandle_t, void*, tmsize_t) { return 0; }

toff_t TiffStream::seek(thandle_t handle, toff_t offset, int whence) {
  auto& stream = *static_cast<TiffStream*>(handle);
  const toff_t start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? stream.position_ : stream.end_;
  const toff_t position = start + offset;
  if (position > static_cast<toff_t>(INT64_MAX)) return static_cast<toff_t>(-1);
  stream.position_ = position;
  return position;
}

toff_t TiffStream::size(thandle_t handle) { return static_cast<TiffStream*>(handle)->end_; }

int TiffStream::note_error(TIFF*, void* user, const char*, const char* format, va_list arguments) {
  auto& stream = *static_cast<TiffStream*>(user);
  if (!stream.error_text_.empty()) return 1;
  char text[256];
  std::vsnprintf(text, sizeof text, format, arguments);
  stream.error_text_ = text;
  return 1;  // handled: libtiff prints nothing
}

}  // namespace tilewall::movie
