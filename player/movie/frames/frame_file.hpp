// Writes a frame's TIFF file from compressed blocks, its index in front, under a temporary name.
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

/// Blocks stand in the file in the order in which they are written. A file of up to 4 MiB reaches
/// the disk by one write. Every call throws JobError naming the file when the system refuses.
class FrameFile {
 public:
  /// Creates `file` under the name "<file>.<pid>.tmp".
  FrameFile(const MovieManifest& manifest, const std::filesystem::path& file);
  ~FrameFile();  ///< removes the temporary file unless finish() was called
  FrameFile(const FrameFile&) = delete;
  FrameFile& operator=(const FrameFile&) = delete;

  /// @pre once a block
  void write_block(int level, int block, std::span<const std::uint8_t> bytes);

  /// Gives the file its name and returns its size in bytes.
  std::uint64_t finish();

 private:
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  void write_gathered();

  const FrameLayout layout_;
  const std::string name_;
  std::string temporary_;  // "" once renamed
  UniqueFd fd_;
  std::vector<std::uint8_t> index_;
  std::vector<std::uint8_t> gathered_;  // bytes of the file that are not written yet
  std::uint64_t gathered_at_ = 0;       // where they belong; 0: the index is their start
};

}  // namespace tilewall::movie
