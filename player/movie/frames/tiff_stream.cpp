#include "player/movie/frames/tiff_stream.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "sync/base/check.hpp"

namespace tilewall {
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

TiffStream::TiffStream(int fd, const char* mode, std::int64_t max_alloc_bytes) : fd_(fd) {
  const UniqueHandle<OpenOptionsTraits> options(TIFFOpenOptionsAlloc());
  TW_CHECK(!options.empty());
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &note_error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &ignore_warning, this);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), max_alloc_bytes);
  tiff_ = UniqueHandle<TiffTraits>(TIFFClientOpenExt("", mode, static_cast<thandle_t>(this), &read,
                                                     &write, &seek, &leave_open, &size,
                                                     &map_nothing, &unmap_nothing, options.get()));
}

tmsize_t TiffStream::read(thandle_t handle, void* bytes, tmsize_t size) {
  auto& stream = *static_cast<TiffStream*>(handle);
  tmsize_t done = 0;
  while (done < size) {
    const ssize_t got = retry_eintr([&] {
      return ::pread(stream.fd_, static_cast<char*>(bytes) + done,
                     static_cast<std::size_t>(size - done), static_cast<off_t>(stream.position_));
    });
    if (got < 0 && stream.error_number_ == 0) stream.error_number_ = errno;
    if (got <= 0) break;
    done += got;
    stream.position_ += static_cast<std::uint64_t>(got);
    stream.read_bytes_ += static_cast<std::uint64_t>(got);
  }
  return done;
}

tmsize_t TiffStream::write(thandle_t handle, void* bytes, tmsize_t size) {
  auto& stream = *static_cast<TiffStream*>(handle);
  tmsize_t done = 0;
  while (done < size) {
    const ssize_t put = retry_eintr([&] {
      return ::pwrite(stream.fd_, static_cast<char*>(bytes) + done,
                      static_cast<std::size_t>(size - done), static_cast<off_t>(stream.position_));
    });
    if (put < 0 && stream.error_number_ == 0) stream.error_number_ = errno;
    if (put <= 0) break;
    done += put;
    stream.position_ += static_cast<std::uint64_t>(put);
  }
  return done;
}

toff_t TiffStream::seek(thandle_t handle, toff_t offset, int whence) {
  auto& stream = *static_cast<TiffStream*>(handle);
  const toff_t start = whence == SEEK_SET   ? 0
                       : whence == SEEK_CUR ? stream.position_
                                            : TiffStream::size(handle);
  const toff_t position = start + offset;
  if (position > static_cast<toff_t>(INT64_MAX)) return static_cast<toff_t>(-1);
  stream.position_ = position;
  return position;
}

toff_t TiffStream::size(thandle_t handle) {
  struct stat status = {};
  if (::fstat(static_cast<TiffStream*>(handle)->fd_, &status) != 0) return 0;
  return static_cast<toff_t>(status.st_size);
}

int TiffStream::note_error(TIFF*, void* user, const char*, const char* format, va_list arguments) {
  auto& stream = *static_cast<TiffStream*>(user);
  if (!stream.error_text_.empty()) return 1;
  char text[256];
  std::vsnprintf(text, sizeof text, format, arguments);
  stream.error_text_ = text;
  return 1;  // handled: libtiff prints nothing
}

}  // namespace tilewall
