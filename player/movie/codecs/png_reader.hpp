// Reads PNG files by libpng, as 8-bit samples.
//
// libpng reports errors by longjmp. PngReader turns them into a result and a message, so that no
// other file needs libpng's interface for reading.
#pragma once

#include <cstdint>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

struct png_struct_def;
struct png_info_def;

namespace tilewall::movie {

enum class PngSamples {
  stored,  ///< gray, gray and alpha, RGB, or RGBA, as in the file; palettes become RGB
  bgra,    ///< B, G, R and alpha, which is 255 where the file has none
};

/// Reads one file from its start. Functions that return false leave a message in error_text(), and
/// nothing can be read afterwards. Threads: one owner.
class PngReader {
 public:
  /// Reads from `fd` by pread(); it belongs to the caller and has to stay open.
  explicit PngReader(int fd) noexcept;
  ~PngReader();
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  /// Reads up to the first pixel. Refuses sides of more than 1,000,000 pixels.
  [[nodiscard]] bool read_header() noexcept;

  /// Chooses the samples of the rows. @pre read_header() succeeded
  [[nodiscard]] bool convert_to(PngSamples samples) noexcept;

  /// @pre read_header() succeeded
  [[nodiscard]] SizePx size_px() const noexcept;
  [[nodiscard]] bool interlaced() const noexcept;
  [[nodiscard]] bool has_alpha() const noexcept;  ///< an alpha channel, or one transparent colour

  /// What convert_to() chose.
  [[nodiscard]] int channels() const noexcept;
  [[nodiscard]] std::size_t row_bytes() const noexcept;

  /// Reads the next row of a file that is not interlaced. @pre convert_to() succeeded
  [[nodiscard]] bool read_row(std::uint8_t* row) noexcept;

  /// Reads all rows, and the rest of the file. @pre convert_to() succeeded; `pixels` has the
  /// picture's size and the rows of its samples
  [[nodiscard]] bool read_rows(const ImageView& pixels) noexcept;

  /// Bytes read from the file so far.
  [[nodiscard]] std::uint64_t read_bytes() const noexcept { return read_bytes_; }

  /// libpng's message, or "".
  [[nodiscard]] const char* error_text() const noexcept { return error_text_; }

 private:
  struct Callbacks;
  template <typename Work>
  bool guarded(const Work& work) noexcept;

  int fd_;
  std::uint64_t read_bytes_ = 0;  // the next read's offset, too
  png_struct_def* png_ = nullptr;
  png_info_def* info_ = nullptr;
  bool has_alpha_ = false;
  int passes_ = 1;
  char error_text_[128] = {};
};

}  // namespace tilewall::movie
