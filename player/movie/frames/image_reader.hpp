// Decodes still images for panels in a process of its own, tilewall-image-reader, because files may
// be hostile.
//
// This process opens the files and sends their descriptors. The reader opens nothing: its sandbox
// (sync/base/sandbox.hpp) shows it no file at all. It writes the pixels to shared memory. A reader
// that crashes or hangs makes its image a damaged one, and the next image gets another reader.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "player/movie/frames/image_file.hpp"
#include "player/movie/frames/image_question.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {

/// Threads: one, which makes all calls but those of const functions. The reader ends with it.
class ImageReader {
 public:
  ImageReader() = default;
  ~ImageReader();
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;

  /// Reads a file's header. Throws InputError naming the file if it is missing, damaged, too large,
  /// or no JPEG, PNG or TIFF, or if it crashes its reader; JobError if there can be no reader.
  [[nodiscard]] ImageInfo read_info(const std::filesystem::path& file);

  /// Decodes `file`. A JPEG is halved `level` times (0..3), which is faster; for other images
  /// `level` is 0. Returns false if the file is missing, damaged, or not of the kind and size
  /// `expected`. Throws JobError if there can be no reader.
  [[nodiscard]] bool decode(const std::filesystem::path& file, const ImageInfo& expected,
                            int level);

  /// The image that decode() made; valid until the next call.
  [[nodiscard]] const ImageView& pixels() const noexcept { return pixels_; }
  /// Bytes that readers have read from files, and CPU time that they took for it.
  [[nodiscard]] std::uint64_t read_bytes() const noexcept { return read_bytes_; }
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept { return cpu_ns_; }

 private:
  void start();
  void end();
  void share(SizePx size);
  /// Empty where the reader has died, or was killed for a late answer.
  [[nodiscard]] std::optional<ImageAnswer> ask(ImageQuestion question, int file);

  UniqueFd socket_;
  pid_t pid_ = 0;                // 0: there is no reader
  UniqueFd memory_fd_;           // the file behind memory_
  std::span<std::byte> memory_;  // shared with the reader
  bool memory_is_sent_ = false;
  ImageView pixels_;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t cpu_ns_ = 0;
};

}  // namespace tilewall::movie
