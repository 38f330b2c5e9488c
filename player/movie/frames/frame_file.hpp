// Writes a frame's TIFF file from compressed blocks: one directory a level, under a temporary name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/tiff_stream.hpp"
#include "sync/base/handle.hpp"

namespace tilewall {

/// Levels are written one after the other from 0, each one's blocks in any order. Every call throws
/// JobError naming the file when the system or libtiff refuses.
class FrameFile {
 public:
  /// Creates `file` under the name "<file>.<pid>.tmp".
  FrameFile(const MovieManifest& manifest, const std::filesystem::path& file);
  ~FrameFile();  ///< removes the temporary file unless finish() was called
  FrameFile(const FrameFile&) = delete;
  FrameFile& operator=(const FrameFile&) = delete;

  void begin_level(int level);
  void write_block(int block, std::span<const std::uint8_t> bytes);
  void end_level();

  /// Gives the file its name and returns its size in bytes.
  std::uint64_t finish();

 private:
  [[noreturn]] void fail(const char* action) const;
  void set_tags(int level);
  void set_colour_tags();

  const MovieManifest manifest_;
  const std::string name_;
  std::string temporary_;  // "" once renamed
  UniqueFd fd_;
  std::optional<TiffStream> tiff_;  // after fd_: closed before it
};

}  // namespace tilewall
