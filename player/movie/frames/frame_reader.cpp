#include "player/movie/frames/frame_reader.hpp"

#include <fmt/format.h>

#include "player/movie/frames/block_codec.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/block_reader.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

constexpr std::size_t max_problems = 20;

// Decodes a level's blocks one row of blocks at a time, to keep few compressed bytes in memory.
class LevelReader {
 public:
  LevelReader(const MovieManifest& manifest, int fd, int level)
      : fd_(fd), grid_(block_grid(manifest, level)), decoder_(manifest) {
    has_index_ = index_.load(fd, manifest, level);
  }

  [[nodiscard]] const std::string& index_problem() const { return index_.problem(); }
  [[nodiscard]] bool has_index() const { return has_index_; }
  [[nodiscard]] const BlockGrid& grid() const { return grid_; }

  /// Decodes a row of blocks into `rows`, beginning at its row `y`. Calls on_damaged(block) for
  /// each block that fails.
  template <typename OnDamaged>
  void decode_row(int block_row, PlanarPicture& rows, int y, OnDamaged&& on_damaged) {
    wanted_.clear();
    for (int column = 0; column < grid_.columns(); ++column)
      wanted_.push_back(block_row * grid_.columns() + column);
    reader_.read(fd_, index_.blocks(), wanted_);
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      if (!decoder_.to_planes(reader_.bytes(i), rows, {grid_.rect_px(wanted_[i]).x, y}))
        on_damaged(wanted_[i]);
  }

 private:
  int fd_;
  BlockGrid grid_;
  BlockDecoder decoder_;
  FrameIndex index_;
  bool has_index_ = false;
  BlockReader reader_;
  std::vector<int> wanted_;
};

SizePx whole_blocks_px(const BlockGrid& grid, int block_rows) {
  return {grid.columns() * grid.block_px.width, block_rows * grid.block_px.height};
}

// The upper left part of a picture, in the picture's own memory.
PlanarPicture cut(PlanarPicture picture, SizePx size_px) {
  picture.size_px = size_px;
  for (std::size_t p = 0; p < picture.planes.size(); ++p)
    picture.planes[p].size_px = plane_size_px(size_px, picture.chroma, static_cast<int>(p));
  return picture;
}

std::vector<std::string> level_problems(const MovieManifest& manifest, int fd, int level) {
  std::vector<std::string> problems;
  LevelReader reader(manifest, fd, level);
  if (!reader.has_index()) return {fmt::format("level {}: {}", level, reader.index_problem())};
  PlanarPicture rows(whole_blocks_px(reader.grid(), 1), manifest.chroma);
  for (int row = 0; row < reader.grid().rows(); ++row)
    reader.decode_row(row, rows, 0, [&](int block) {
      problems.push_back(
          fmt::format("level {}: block {}: expected a whole block, found damage", level, block));
    });
  return problems;
}

}  // namespace

PlanarPicture decode_frame_to_planes(const MovieManifest& manifest,
                                     const std::filesystem::path& folder, std::int64_t frame,
                                     int level) {
  const std::filesystem::path file = folder / frame_file_name(frame);
  const UniqueFd fd = open_for_reading(file);
  LevelReader reader(manifest, fd.get(), level);
  if (!reader.has_index()) throw InputError(file.string() + ": " + reader.index_problem());
  PlanarPicture picture(whole_blocks_px(reader.grid(), reader.grid().rows()), manifest.chroma);
  for (int row = 0; row < reader.grid().rows(); ++row)
    reader.decode_row(row, picture, row * reader.grid().block_px.height, [&](int block) {
      throw InputError({file.string()}, fmt::format("block {} of level {}", block, level),
                       "a whole block", "damage");
    });
  return cut(std::move(picture), reader.grid().level_px);
}

std::vector<std::string> verify_frame(const MovieManifest& manifest,
                                      const std::filesystem::path& folder, std::int64_t frame) {
  const std::filesystem::path file = folder / frame_file_name(frame);
  std::vector<std::string> problems;
  try {
    const UniqueFd fd = open_for_reading(file);
    for (int level = 0; level < manifest.levels; ++level)
      for (const std::string& problem : level_problems(manifest, fd.get(), level))
        problems.push_back(file.string() + ": " + problem);
  } catch (const InputError& error) {
    problems.emplace_back(error.what());
  }
  if (problems.size() > max_problems) {
    const std::size_t more = problems.size() - max_problems + 1;
    problems.resize(max_problems - 1);
    problems.push_back(fmt::format("{}: {} more problems", file.string(), more));
  }
  return problems;
}

}  // namespace tilewall::movie
