#include "player/movie/frames/frame_writer.hpp"

#include "player/movie/frames/block_codec.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_file.hpp"
#include "player/movie/frames/scaler.hpp"
#include "sync/base/check.hpp"

namespace tilewall::movie {

struct FrameWriter::State {
  MovieManifest manifest;
  SizePx panel_px;
  BlockEncoder encoder;

  void write_level(const PlanarPicture& picture, int level, FrameFile& file) {
    const BlockGrid grid = block_grid(manifest, level);
    for (const int block : block_order(grid, manifest.order, panel_px, level)) {
      const RectPx rect = grid.rect_px(block);
      file.write_block(level, block, encoder.encode(picture, {rect.x, rect.y}));
    }
  }
};

FrameWriter::FrameWriter(const MovieManifest& manifest, SizePx panel_px)
    : state_(new State{manifest, panel_px, BlockEncoder(manifest)}) {}

FrameWriter::~FrameWriter() = default;

WrittenFrame FrameWriter::write(const PlanarPicture& picture, const std::filesystem::path& file) {
  const MovieManifest& manifest = state_->manifest;
  TW_CHECK(picture.size_px == manifest.size_px && picture.chroma == manifest.chroma);
  FrameFile out(manifest, file);
  state_->write_level(picture, 0, out);
  PlanarPicture smaller;
  for (int level = 1; level < manifest.levels; ++level) {
    smaller = halved(level == 1 ? picture : smaller);
    state_->write_level(smaller, level, out);
  }
  return {out.finish()};
}

}  // namespace tilewall::movie
