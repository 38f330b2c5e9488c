#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "player/movie/frames/block_codec.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_file.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/frames/scaler.hpp"
#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

// One row of blocks of one level, filled from the top.
struct BlockRow {
  BlockGrid grid;
  PlanarPicture rows;
  int filled = 0;      // luma rows
  int next_block = 0;  // number of the row's first block
  // The compressed blocks of this level; none for level 0, whose blocks go straight to the file.
  std::vector<std::vector<std::uint8_t>> blocks;

  BlockRow(const BlockGrid& grid_, Chroma chroma)
      : grid(grid_), rows({grid_.level_px.width, grid_.block_px.height}, chroma) {}
};

int plane_rows(const PlanarPicture& picture, std::size_t plane, int luma_rows) {
  return picture.chroma == Chroma::yuv420 && plane > 0 ? (luma_rows + 1) / 2 : luma_rows;
}

void copy_rows(const PlanarPicture& from, int from_y, int count, PlanarPicture& to, int to_y) {
  for (std::size_t p = 0; p < to.planes.size(); ++p) {
    const Plane& src = from.planes[p];
    const int first = plane_rows(from, p, from_y);
    const int first_to = plane_rows(from, p, to_y);
    for (int y = 0; y < plane_rows(from, p, count); ++y)
      std::memcpy(to.planes[p].row(first_to + y), src.row(first + y),
                  static_cast<std::size_t>(src.size_px.width));
  }
}

// The row's planes, cut to the filled rows, for a picture that ends within the row.
PlanarPicture cut_to_filled(BlockRow& row) {
  PlanarPicture cut = std::move(row.rows);
  cut.size_px.height = row.filled;
  for (std::size_t p = 0; p < cut.planes.size(); ++p)
    cut.planes[p].size_px.height = plane_rows(cut, p, row.filled);
  return cut;
}

}  // namespace

struct HugeFrameWriter::State {
  MovieManifest manifest;
  BlockEncoder encoder;
  FrameFile file;
  std::vector<BlockRow> levels;
  std::vector<int> order;                            // blocks of level 0, as they lie in the file
  std::size_t written = 0;                           // how many blocks of `order` were written
  std::map<int, std::vector<std::uint8_t>> waiting;  // blocks of level 0 whose turn has not come
  int rows_added = 0;

  State(const MovieManifest& movie, SizePx panel_px, const std::filesystem::path& path)
      : manifest(movie),
        encoder(movie),
        file(movie, path),
        order(block_order(block_grid(movie, 0), movie.order, panel_px, 0)) {
    for (int level = 0; level < movie.levels; ++level)
      levels.emplace_back(block_grid(movie, level), movie.chroma);
  }

  // Writes a block of level 0, and those that wait for it.
  void write_in_order(int block, std::span<const std::uint8_t> bytes) {
    if (order[written] != block) {
      waiting.emplace(block, std::vector(bytes.begin(), bytes.end()));
      return;
    }
    file.write_block(0, block, bytes);
    ++written;
    while (written < order.size()) {
      const auto next = waiting.find(order[written]);
      if (next == waiting.end()) return;
      file.write_block(0, next->first, next->second);
      waiting.erase(next);
      ++written;
    }
  }

  void compress_row(std::size_t level, const PlanarPicture& rows) {
    BlockRow& row = levels[level];
    for (int column = 0; column < row.grid.columns(); ++column) {
      const auto bytes = encoder.encode(rows, {column * row.grid.block_px.width, 0});
      if (level == 0)
        write_in_order(row.next_block, bytes);
      else
        row.blocks.emplace_back(bytes.begin(), bytes.end());
      ++row.next_block;
    }
  }

  // Compresses the filled rows of `level`, and adds them, halved, to the next coarser level.
  void emit(std::size_t level, const PlanarPicture& rows) {
    compress_row(level, rows);
    if (level + 1 == levels.size()) return;
    BlockRow& below = levels[level + 1];
    halve_picture_rows(rows, rows.size_px.height, below.rows, below.filled);
    below.filled += (rows.size_px.height + 1) / 2;
    if (below.filled == below.grid.block_px.height) emit_full(level + 1);
  }

  void emit_full(std::size_t level) {
    levels[level].filled = 0;
    emit(level, levels[level].rows);
  }

  void add(const PlanarPicture& band) {
    BlockRow& top = levels.front();
    for (int y = 0; y < band.size_px.height;) {
      const int count = std::min(band.size_px.height - y, top.grid.block_px.height - top.filled);
      copy_rows(band, y, count, top.rows, top.filled);
      top.filled += count;
      y += count;
      if (top.filled == top.grid.block_px.height) emit_full(0);
    }
    rows_added += band.size_px.height;
  }

  void write_lower_levels() {
    for (std::size_t level = 1; level < levels.size(); ++level) {
      int block = 0;
      for (const auto& bytes : levels[level].blocks)
        file.write_block(static_cast<int>(level), block++, bytes);
    }
  }
};

HugeFrameWriter::HugeFrameWriter(const MovieManifest& manifest, SizePx panel_px,
                                 const std::filesystem::path& file)
    : state_(std::make_unique<State>(manifest, panel_px, file)) {}

HugeFrameWriter::~HugeFrameWriter() = default;

void HugeFrameWriter::add_rows(const PlanarPicture& band) {
  const MovieManifest& manifest = state_->manifest;
  TW_CHECK(band.size_px.width == manifest.size_px.width && band.chroma == manifest.chroma);
  TW_CHECK(state_->rows_added % 2 == 0, "{} rows before this band", state_->rows_added);
  TW_CHECK(state_->rows_added + band.size_px.height <= manifest.size_px.height);
  state_->add(band);
}

WrittenFrame HugeFrameWriter::finish() {
  State& state = *state_;
  TW_CHECK(state.rows_added == state.manifest.size_px.height, "{} rows", state.rows_added);
  for (std::size_t level = 0; level < state.levels.size(); ++level)
    if (state.levels[level].filled > 0) state.emit(level, cut_to_filled(state.levels[level]));
  state.write_lower_levels();
  return {state.file.finish()};
}

}  // namespace tilewall::movie
