// libtiff on a file descriptor of ours: quiet, bounded, counting, and keeping errno.
//
// libtiff writes each block, and each entry of a directory, by a call of its own; they are gathered
// here, so that a frame of up to gathered_bytes reaches the file by one.
#pragma once

#include <tiffio.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall {

struct TiffTraits {
  using Raw = TIFF*;
  static constexpr TIFF* null() noexcept { return nullptr; }
  static void close(TIFF* tiff) noexcept { TIFFClose(tiff); }
};

/// libtiff reads and writes through pread and pwrite, maps nothing, prints nothing. One thread at a
/// time.
class TiffStream {
 public:
  /// Opens TIFF on `fd`, which stays the caller's and open until after this. `mode` is TIFFOpen's.
  /// libtiff refuses single allocations over `max_alloc_bytes` (0: no limit). get() is null when
  /// the file is no TIFF.
  TiffStream(int fd, const char* mode, std::int64_t max_alloc_bytes);
  TiffStream(const TiffStream&) = delete;
  TiffStream& operator=(const TiffStream&) = delete;

  [[nodiscard]] TIFF* get() const noexcept { return tiff_.get(); }

  /// Writes what libtiff and this still hold and ends it; error_number() tells whether that worked.
  void close();

  [[nodiscard]] std::uint64_t read_bytes() const noexcept { return read_bytes_; }

  /// errno of the first system call that failed; 0: none did.
  [[nodiscard]] int error_number() const noexcept { return error_number_; }

  /// The first thing libtiff complained about; "": nothing.
  [[nodiscard]] const std::string& error_text() const noexcept { return error_text_; }

 private:
  static tmsize_t read(thandle_t stream, void* bytes, tmsize_t size);
  static tmsize_t write(thandle_t stream, void* bytes, tmsize_t size);
  static toff_t seek(thandle_t stream, toff_t offset, int whence);
  static toff_t size(thandle_t stream);
  static int note_error(TIFF* tiff, void* stream, const char* module, const char* format, va_list);

  static constexpr std::size_t gathered_bytes = std::size_t{4} << 20;

  [[nodiscard]] bool is_gathered(std::size_t size) const noexcept;
  [[nodiscard]] bool follows_gathered(std::size_t size) const noexcept;
  tmsize_t read_file(char* bytes, tmsize_t size);
  bool write_gathered();

  int fd_;
  std::uint64_t position_ = 0;
  std::uint64_t end_ = 0;  // of the file, with what is gathered
  std::vector<char> gathered_;
  std::uint64_t gathered_at_ = 0;  // where it belongs in the file
  std::uint64_t read_bytes_ = 0;
  int error_number_ = 0;
  std::string error_text_;
  UniqueHandle<TiffTraits> tiff_;  // last member: closing it writes through the others
};

}  // namespace tilewall
