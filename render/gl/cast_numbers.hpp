// A picture as shaders/cast.comp reads it: its block "Picture", member by member.
#pragma once

#include <cstddef>
#include <cstdint>

#include "render/volume/clip.hpp"

namespace tilewall {

struct CastNumbers {
  float eye[4] = {};
  float ahead[4] = {};
  float right[4] = {};
  float down[4] = {};
  float box_min[4] = {};
  float box_max[4] = {};
  float planes[max_clip_planes][4] = {};
  float along_scale[4] = {};
  float gradient_scale[4] = {};
  float atlas_scale[4] = {};
  float table[4] = {};
  float iso_colour[4] = {};
  float background[4] = {};
  std::int32_t size[4] = {};
  std::int32_t part[4] = {};
  std::int32_t cells[4] = {};
};
static_assert(sizeof(CastNumbers) == 16 * 21 && offsetof(CastNumbers, along_scale) == 16 * 12);

}  // namespace tilewall
