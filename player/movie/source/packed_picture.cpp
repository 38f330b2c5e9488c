#include "player/movie/source/packed_picture.hpp"

#include "sync/base/error.hpp"

namespace tilewall {

AvFrame new_packed_picture(AVPixelFormat format, SizePx size_px) {
  AvFrame frame = new_frame();
  frame.get()->format = format;
  frame.get()->width = size_px.width;
  frame.get()->height = size_px.height;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw JobError("no memory for a picture");
  return frame;
}

std::uint8_t* packed_row(AvFrame& picture, int y) noexcept {
  return picture.get()->data[0] + static_cast<std::ptrdiff_t>(y) * picture.get()->linesize[0];
}

}  // namespace tilewall
