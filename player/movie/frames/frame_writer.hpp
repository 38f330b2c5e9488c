// Writes frames of wall movies as tiled, pyramidal BigTIFF files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/frames/manifest.hpp"

namespace tilewall::movie {

struct WrittenFrame {
  std::uint64_t bytes = 0;
};

/// Writes frames that fit into memory.
///
/// Threads: one owner; writers of one movie are independent of each other.
class FrameWriter {
 public:
  /// `panel_px` = size of each panel's share in movie pixels; used for BlockOrder::panels only.
  FrameWriter(const MovieManifest& manifest, SizePx panel_px);
  ~FrameWriter();
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  /// Builds the pyramid, compresses every block and writes `file`. It has a temporary name until it
  /// is complete. Throws JobError naming the file if it cannot be written, and removes it.
  WrittenFrame write(const PlanarPicture& picture, const std::filesystem::path& file);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes a frame that is too large for memory, row by row from the top, with the bytes that
/// FrameWriter gives it. Holds one row of blocks of each level, and the compressed blocks of all
/// levels from 1 on; for BlockOrder::panels also those of the panels that are not complete.
///
/// Threads: one owner.
class HugeFrameWriter {
 public:
  /// `panel_px` as for FrameWriter.
  HugeFrameWriter(const MovieManifest& manifest, SizePx panel_px,
                  const std::filesystem::path& file);
  ~HugeFrameWriter();  ///< removes a file that was not finished
  HugeFrameWriter(const HugeFrameWriter&) = delete;
  HugeFrameWriter& operator=(const HugeFrameWriter&) = delete;

  /// Adds the next rows of the picture in full width. The band's height is even, except for the
  /// last band. Throws JobError naming the file if it cannot be written.
  void add_rows(const PlanarPicture& band);

  /// Writes the levels from 1 on, and gives the file its name. Throws JobError naming the file if
  /// it cannot be written. @pre all rows were added
  WrittenFrame finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
