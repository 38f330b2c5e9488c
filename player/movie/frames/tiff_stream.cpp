#include "player/movie/frames/tiff_stream.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

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
  struct stat status = {};
  if (::fstat(fd_, &status) == 0) end_ = static_cast<std::uint64_t>(status.st_size);
  const UniqueHandle<OpenOptionsTraits> options(TIFFOpenOptionsAlloc());
  TW_CHECK(!options.empty());
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &note_error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &ignore_warning, this);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), max_alloc_bytes);
  tiff_ = UniqueHandle<TiffTraits>(TIFFClientOpenExt("", mode, static_cast<thandle_t>(this), &read,
                                                     &write, &seek, &leave_open, &size,
                                                     &map_nothing, &unmap_nothing, options.get()));
}

void TiffStream::close() {
  tiff_.reset();
  write_gathered();
}

// Whether the `size` bytes at the position lie within what is gathered.
bool TiffStream::is_gathered(std::size_t size) const noexcept {
  return position_ >= gathered_at_ && position_ + size <= gathered_at_ + gathered_.size();
}

// Whether bytes at the position can be added to what is gathered. libtiff leaves room for a
// directory at the file's end and writes it after what it points to: a gap there holds nothing yet.
bool TiffStream::follows_gathered(std::size_t size) const noexcept {
  const std::uint64_t gathered_end = gathered_at_ + gathered_.size();
  const bool adjoins =
      position_ == gathered_end || (position_ > gathered_end && gathered_end == end_);
  return adjoins && position_ + size <= gathered_at_ + gathered_bytes;
}

tmsize_t TiffStream::read_file(char* bytes, tmsize_t size) {
  tmsize_t done = 0;
  while (done < size) {
    const ssize_t got = retry_eintr([&] {
      return ::pread(fd_, bytes + done, static_cast<std::size_t>(size - done),
                     static_cast<off_t>(position_ + static_cast<std::uint64_t>(done)));
    });
    if (got < 0 && error_number_ == 0) error_number_ = errno;
    if (got <= 0) break;
    done += got;
  }
  read_bytes_ += static_cast<std::uint64_t>(done);
  return done;
}

bool TiffStream::write_gathered() {
  std::size_t done = 0;
  while (done < gathered_.size()) {
    const ssize_t put = retry_eintr([&] {
      return ::pwrite(fd_, gathered_.data() + done, gathered_.size() - done,
                      static_cast<off_t>(gathered_at_ + done));
    });
    if (put < 0 && error_number_ == 0) error_number_ = errno;
    if (put <= 0) return false;
    done += static_cast<std::size_t>(put);
  }
  gathered_at_ += done;
  gathered_.clear();
  return true;
}

tmsize_t TiffStream::read(thandle_t handle, void* bytes, tmsize_t size) {
  auto& stream = *static_cast<TiffStream*>(handle);
  tmsize_t done = size;
  if (stream.is_gathered(static_cast<std::size_t>(size)) && !stream.gathered_.empty())
    std::memcpy(bytes, stream.gathered_.data() + (stream.position_ - stream.gathered_at_),
                static_cast<std::size_t>(size));
  else if (stream.write_gathered())
    done = stream.read_file(static_cast<char*>(bytes), size);
  else
    return 0;
  stream.position_ += static_cast<std::uint64_t>(done);
  return done;
}

tmsize_t TiffStream::write(thandle_t handle, void* bytes, tmsize_t size) {
  auto& stream = *static_cast<TiffStream*>(handle);
  const auto count = static_cast<std::size_t>(size);
  const auto* const from = static_cast<const char*>(bytes);
  if (stream.is_gathered(count)) {
    std::memcpy(stream.gathered_.data() + (stream.position_ - stream.gathered_at_), from, count);
  } else {
    if (!stream.follows_gathered(count) && !stream.write_gathered()) return 0;
    if (stream.gathered_.empty()) stream.gathered_at_ = stream.position_;
    stream.gathered_.resize(stream.position_ - stream.gathered_at_);  // a gap is zeros, as in files
    stream.gathered_.insert(stream.gathered_.end(), from, from + count);
  }
  stream.position_ += count;
  stream.end_ = std::max(stream.end_, stream.position_);
  return size;
}

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

}  // namespace tilewall
