// Lets libtiff read from a file descriptor: without messages, within limits, counting bytes.
//
// libtiff reads each part of a directory by a system call of its own. If the size of the
// directories is known, they can be read by one call instead.
#pragma once

#include <tiffio.h>

#include <cstdarg>
#include <cstdint>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::movie {

struct TiffTraits {
  using Raw = TIFF*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { TIFFClose(raw); }
};

/// A TIFF file that libtiff reads by pread(), without memory mapping. Threads: one at a time.
class TiffStream {
 public:
  /// Opens the TIFF file `fd`, which belongs to the caller and has to stay open. `mode` is that of
  /// TIFFOpen, for reading. libtiff refuses single allocations over `max_alloc_bytes` (0: no
  /// limit). A read of fewer than `window_bytes` reads this many bytes at once and keeps them, for
  /// the reads that follow. get() is null if the file is no TIFF.
  TiffStream(int fd, const char* mode, std::int64_t max_alloc_bytes,
             std::uint64_t window_bytes = 0);
  TiffStream(const TiffStream&) = delete;
  TiffStream& operator=(const TiffStream&) = delete;

  [[nodiscard]] TIFF* get() const noexcept { return tiff_.get(); }

  /// Bytes read from the file so far.
  [[nodiscard]] std::uint64_t read_bytes() const noexcept { return read_bytes_; }

  /// libtiff's first error message; "" if there was none.
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
  std::uint64_t end_ = 0;  // size of the file
  std::uint64_t window_bytes_;
  std::vector<char> window_;     // bytes that were read at once
  std::uint64_t window_at_ = 0;  // offset of window_ in the file
  std::uint64_t read_bytes_ = 0;
  std::string error_text_;
  UniqueHandle<TiffTraits> tiff_;  // last member: opening it reads through the others
};

}  // namespace tilewall::movie
