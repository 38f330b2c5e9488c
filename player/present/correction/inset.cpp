#include "player/present/correction/inset.hpp"

#include "player/present/correction/copy_picture.hpp"

namespace tilewall {

Inset clipped(const Inset& inset, SizePx picture_px) noexcept {
  const SizePx size = inset.image.size_px;
  const RectPx seen = intersection(RectPx{inset.at_px.x, inset.at_px.y, size.width, size.height},
                                   {0, 0, picture_px.width, picture_px.height});
  if (inset.empty() || seen.empty()) return {};
  return {{inset.image.pixel(seen.x - inset.at_px.x, seen.y - inset.at_px.y),
           {seen.width, seen.height},
           inset.image.stride_bytes},
          {seen.x, seen.y}};
}

void copy_inset(const Inset& inset, Rotation rotation, const ColorTables* tables,
                const ImageView& frame_buffer) noexcept {
  const Inset seen = clipped(inset, turned_size_px(frame_buffer.size_px, rotation));
  if (seen.empty()) return;
  const SizePx size = seen.image.size_px;
  const RectPx place = frame_buffer_place({seen.at_px.x, seen.at_px.y, size.width, size.height},
                                          frame_buffer.size_px, rotation);
  copy_picture(seen.image, rotation, tables,
               {frame_buffer.pixel(place.x, place.y),
                {place.width, place.height},
                frame_buffer.stride_bytes});
}

}  // namespace tilewall
