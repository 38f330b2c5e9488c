// Writes small SM movies (Blockbuster) for tests: any codec, tile size, number of levels, version
// and order of the tile word.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "player/movie/source/sm_header.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::test {

using Rgb = std::array<std::uint8_t, 3>;

struct SmSpec {
  int version = 2;
  movie::SmCodec codec = movie::SmCodec::raw;
  SizePx size_px{48, 32};
  SizePx tile_px{48, 32};  ///< Tiles of level 0; smaller levels are one tile
  movie::SmTileOrder order = movie::SmTileOrder::height_width;
  int levels = 1;
  int pictures = 3;  ///< Pictures of both eyes
  bool stereo = false;
  int fps_twentieths = 600;  ///< 0: the file has no rate
};

/// The colour that picture `picture` has at `at`, from the upper left corner; every pixel differs
/// from its neighbours, and every picture from the others.
[[nodiscard]] Rgb sm_colour(int picture, PointPx at) noexcept;

/// The file's bytes. Tiles beyond the frame's edge are filled up with black.
[[nodiscard]] std::string sm_bytes(const SmSpec& spec);

void write_sm(const SmSpec& spec, const std::filesystem::path& file);

}  // namespace tilewall::test
