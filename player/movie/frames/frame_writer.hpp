// Writes one frame of a wall movie: a tiled pyramidal BigTIFF whose blocks are JPEG (or lossless).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/planar_picture.hpp"

namespace tilewall::movie {

struct WrittenFrame {
  std::uint64_t bytes = 0;
};

/// Writes whole frames that fit into memory. One writer per thread; writers of one movie are
/// independent of each other.
class FrameWriter {
 public:
  /// `panel_px`: the panel's share of the movie in movie pixels, for BlockOrder::panels (else
  /// unused).
  FrameWriter(const MovieManifest& manifest, SizePx panel_px);
  ~FrameWriter();
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  /// Builds the pyramid, compresses every block and writes `file` under a temporary name, renamed
  /// when whole. Throws JobError naming the file (disk full, not writable); nothing is left behind
  /// then.
  WrittenFrame write(const PlanarPicture& picture, const std::filesystem::path& file);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes a frame too large for memory, row by row from the top. Holds one row of blocks of each
/// level and the compressed blocks of the lower levels. Blocks stand row by row, whatever the
/// manifest says.
class HugeFrameWriter {
 public:
  HugeFrameWriter(const MovieManifest& manifest, const std::filesystem::path& file);
  ~HugeFrameWriter();  ///< an unfinished file is removed
  HugeFrameWriter(const HugeFrameWriter&) = delete;
  HugeFrameWriter& operator=(const HugeFrameWriter&) = delete;

  /// The next rows of the picture, full width; the band's height is even except for the last one.
  void add_rows(const PlanarPicture& band);

  /// Throws JobError naming the file, as the others do.
  /// @pre all rows were added
  WrittenFrame finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
