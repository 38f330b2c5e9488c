// libtiff reading from a file descriptor of ours: quiet, bounded, counting.
//
// libtiff reads each part of a directory by a call of its own. Where the directories' places are
// known, they are read at once instead.
#pragma once

#include <tiffio.h>

#include <cstdarg>
#include <cstdint>
#include <string>
#include <vector>

#include "player/movie/frames/tiff_handle.hpp"

namespace tilewall::movie {

/// libtiff reads through pread, maps nothing, prints nothing. One thread at a time.
class TiffStream {
 public:
  /// Opens TIFF on `fd`, which stays the caller's and open until after this. `mode` is TIFFOpen's,
  /// for reading. libtiff refuses single allocations over `max_alloc_bytes` (0: no limit). Smaller
  /// reads than `window_bytes` read so many bytes at once, from where libtiff wants some. get() is
  /// null when the file is no TIFF.
  TiffStream(int fd, const char* mode, std::int64_t max_alloc_bytes,
             std::uint64_t window_bytes = 0);
  TiffStream(const TiffStream&) = delete;
  TiffStream& operator=(const TiffStream&) = delete;

  [[nodiscard]] TIFF* get() const noexcept { return tiff_.get(); }

  /// From the file, so far.
  [[nodiscard]] std::uint64_t read_bytes() const noexcept { return read_bytes_; }

  /// The first thing libtiff complained about; "": nothing.
  [[nodiscard]] const std::string& error_text() const noexcept { return error_text_; }

 private:
  static tmsize_t read(thandle_t stream, void* bytes, tmsize_t size);
  static tmsize_t write(thandle_t stream, void* bytes, tmsize_t size);
  static toff_t seek(thandle_t stream, toff_t offset, int whence);
  static toff_t size(thandle_t stream);
  static int note_error(TIFF* tiff, void* stream, const char* module, const char* format, va_list);

  std::size_t read_file(char* bytes, std::size_t size);
  [[nodiscard]] bool window_holds(std::size_t size) const noexcept;

  int fd_;
  std::uint64_t position_ = 0;
  std::uint64_t end_ = 0;  // of the file
  std::uint64_t window_bytes_;
  std::vector<char> window_;
  std::uint64_t window_at_ = 0;  // where it stands in the file
  std::uint64_t read_bytes_ = 0;
  std::string error_text_;
  Tiff tiff_;  // last member: opening it reads through the others
};

}  // namespace tilewall::movie
