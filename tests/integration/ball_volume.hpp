// A volume of a ball, and the pictures of it that a wall of two panels shows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "player/volume/caster/picture_maker.hpp"
#include "render/transfer/named_transfers.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/picture.hpp"

namespace tilewall::test {

inline constexpr render::VolumeSize ball_size{24, 20, 16};
inline const std::string pair_wall = "two-by-one.toml";

/// A ball whose middle and size depend on `step`.
inline std::uint8_t ball_voxel(int x, int y, int z, int step) {
  const double r = std::hypot(x - 11.5 - step, y - 9.5, z - 7.5);
  return static_cast<std::uint8_t>(std::max(0.0, 255 - 24 * r));
}

/// NumPy's order: z, y, x, the last one fastest.
inline void write_npy(const std::filesystem::path& file, int step) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (16, 20, 24), }";
  header.resize(117, ' ');
  std::ofstream to(file, std::ios::binary);
  to << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
  for (int z = 0; z < ball_size.z; ++z)
    for (int y = 0; y < ball_size.y; ++y)
      for (int x = 0; x < ball_size.x; ++x) to.put(static_cast<char>(ball_voxel(x, y, z, step)));
}

/// The whole wall's picture by the caster, without processes; or as one that a screen tilted so is
/// a part of.
inline TestPicture reference(const render::VolumeCamera& camera, const nlohmann::json& change,
                             int step = 0, const std::optional<wall::PanelMap>& tilt = {}) {
  using namespace render;
  using namespace scene;
  using namespace volume;
  VoxelArray voxels(VoxelType::u8, ball_size);
  std::uint8_t* to = voxels.voxels<std::uint8_t>().data();
  for (int z = 0; z < ball_size.z; ++z)
    for (int y = 0; y < ball_size.y; ++y)
      for (int x = 0; x < ball_size.x; ++x) *to++ = ball_voxel(x, y, z, step);
  ReadyTimestep timestep(Volume(std::move(voxels)), 1);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  style = patched(style, change);
  CastMessage request;
  set_camera(request, camera);
  if (tilt) set_tilt(request, *tilt);
  request.picture_width = request.width = pair_canvas_px.width;
  request.picture_height = request.height = pair_canvas_px.height;
  TestPicture picture(pair_canvas_px);
  make_picture(timestep, {to_json(style).dump(), style}, request, picture.view(), 1);
  return picture;
}

}  // namespace tilewall::test
