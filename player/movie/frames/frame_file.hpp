// Writes a frame's TIFF file from compressed blocks, with its index in front, under a temporary
// name until it is complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/manifest.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {

/// Blocks are stored in the order of the calls. A file of less than 4 MiB is written by one system
/// call. Every function throws JobError naming the file if a system call fails.
///
/// Threads: one owner.
class FrameFile {
 public:
  /// Creates `file` under the name "<file>.<pid>.tmp".
  FrameFile(const MovieManifest& manifest, const std::filesystem::path& file);
  ~FrameFile();  ///< removes the temporary file unless finish() was called
  FrameFile(const FrameFile&) = delete;
  FrameFile& operator=(const FrameFile&) = delete;

  /// Appends a block's bytes and enters its place in the index. @pre called once for each block
  void write_block(int level, int block, std::span<const std::uint8_t> bytes);

  /// Writes the rest, renames the file to its final name, and returns its size in bytes.
  std::uint64_t finish();

 private:
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  void write_gathered();

  const FrameLayout layout_;
  const std::string name_;
  std::string temporary_;  // "" after the file was renamed
  UniqueFd fd_;
  std::vector<std::uint8_t> index_;
  std::vector<std::uint8_t> gathered_;  // bytes of the file that are not written yet
  std::uint64_t gathered_at_ = 0;       // their offset in the file; 0: they begin with the index
};

}  // namespace tilewall::movie
