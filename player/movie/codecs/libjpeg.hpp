// One JPEG at a time, read by libjpeg, whose errors become results. For the sources of this folder.
#pragma once

#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it first

// clang-format off
#include <jpeglib.h>
// clang-format on

#include "sync/base/check.hpp"

namespace tilewall::movie {

/// Owns libjpeg's state of reading. libjpeg reports errors by longjmp, so its functions that may
/// fail are called in guarded() alone. Threads: one owner.
class JpegDecompressor {
 public:
  JpegDecompressor() {
    jpeg_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = &leave;
    errors_.base.emit_message = &count_warning;
    errors_.base.output_message = &print_nothing;
    TW_CHECK(guarded([](jpeg_decompress_struct& jpeg) { jpeg_create_decompress(&jpeg); }));
  }
  ~JpegDecompressor() { jpeg_destroy_decompress(&jpeg_); }
  JpegDecompressor(const JpegDecompressor&) = delete;
  JpegDecompressor& operator=(const JpegDecompressor&) = delete;

  /// Runs work(jpeg_decompress_struct&); false if libjpeg found an error. libjpeg then jumps back
  /// here, so `work` may have no objects with destructors.
  template <typename Work>
  [[nodiscard]] bool guarded(const Work& work) noexcept {
    if (setjmp(errors_.jump) != 0) return false;
    work(jpeg_);
    return true;
  }

  /// Ends the image; the next one may be read then.
  void abort() noexcept { jpeg_abort_decompress(&jpeg_); }

  [[nodiscard]] const jpeg_decompress_struct& state() const noexcept { return jpeg_; }

  /// Errors of the image that libjpeg went on after.
  [[nodiscard]] long warnings() const noexcept { return errors_.base.num_warnings; }

  /// libjpeg's message, or "".
  [[nodiscard]] const char* error_text() const noexcept { return errors_.text; }

 private:
  struct Errors {
    jpeg_error_mgr base = {};  // first: libjpeg hands back a pointer to it
    std::jmp_buf jump = {};
    char text[JMSG_LENGTH_MAX] = {};
  };
  [[noreturn]] static void leave(j_common_ptr jpeg) {
    auto* errors = reinterpret_cast<Errors*>(jpeg->err);
    errors->base.format_message(jpeg, errors->text);
    std::longjmp(errors->jump, 1);
  }
  static void count_warning(j_common_ptr jpeg, int level) {
    if (level < 0) ++jpeg->err->num_warnings;
  }
  static void print_nothing(j_common_ptr) {}

  Errors errors_;
  jpeg_decompress_struct jpeg_ = {};
};

}  // namespace tilewall::movie
