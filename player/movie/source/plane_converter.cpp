#include "player/movie/source/plane_converter.hpp"

#include <algorithm>
#include <cstring>

#include "player/movie/frames/zimg_graph.hpp"
#include "player/movie/source/source_colour.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

SizePx even(SizePx size) { return {size.width + size.width % 2, size.height + size.height % 2}; }

// A copy of the picture with even sides, as zimg needs them to halve chroma.
PlanarPicture padded_even(const PlanarPicture& picture) {
  PlanarPicture out(even(picture.size_px), picture.chroma);
  for (std::size_t p = 0; p < out.planes.size(); ++p) {
    const Plane& from = picture.planes[p];
    Plane& to = out.planes[p];
    for (int y = 0; y < to.size_px.height; ++y) {
      const std::uint8_t* row = from.row(std::min(y, from.size_px.height - 1));
      std::memcpy(to.row(y), row, static_cast<std::size_t>(from.size_px.width));
      if (to.size_px.width > from.size_px.width)
        to.row(y)[from.size_px.width] = row[from.size_px.width - 1];
    }
  }
  return out;
}

zimg_image_format format_of(SizePx size, Chroma chroma) {
  zimg_image_format format;
  zimg_image_format_default(&format, ZIMG_API_VERSION);
  format.width = static_cast<unsigned>(size.width);
  format.height = static_cast<unsigned>(size.height);
  format.pixel_type = ZIMG_PIXEL_BYTE;
  format.depth = 8;
  format.subsample_w = format.subsample_h = chroma == Chroma::yuv420 ? 1 : 0;
  format.color_family = chroma == Chroma::rgb ? ZIMG_COLOR_RGB : ZIMG_COLOR_YUV;
  format.matrix_coefficients = chroma == Chroma::rgb ? ZIMG_MATRIX_RGB : ZIMG_MATRIX_BT470_BG;
  format.pixel_range = ZIMG_RANGE_FULL;
  format.chroma_location = ZIMG_CHROMA_CENTER;
  return format;
}

zimg_image_format video_format(SizePx size) {
  zimg_image_format format = format_of(size, Chroma::yuv420);
  format.matrix_coefficients = static_cast<zimg_matrix_coefficients_e>(video_matrix(size));
  format.pixel_range = ZIMG_RANGE_LIMITED;
  format.chroma_location = ZIMG_CHROMA_LEFT;
  return format;
}

}  // namespace

AVColorSpace video_matrix(SizePx size) noexcept {
  return size.height >= hd_from_lines ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

struct PlaneConverter::State {
  SizePx size;  // even
  Chroma chroma = Chroma::yuv420;
  ZimgGraph graph;
  SampleVector scratch;

  // The picture as zimg expects it: with even sides, and gray as a colour picture of neutral
  // chroma.
  [[nodiscard]] PlanarPicture prepared(const PlanarPicture& picture) const {
    PlanarPicture even_picture = padded_even(picture);
    if (picture.chroma != Chroma::gray) return even_picture;
    PlanarPicture out(size, Chroma::yuv420);
    out.planes[0] = std::move(even_picture.planes[0]);
    for (const std::size_t plane : {std::size_t{1}, std::size_t{2}})
      std::fill(out.planes[plane].samples.begin(), out.planes[plane].samples.end(),
                std::uint8_t{128});
    return out;
  }
};

PlaneConverter::PlaneConverter(SizePx size, Chroma chroma) : state_(std::make_unique<State>()) {
  state_->size = even(size);
  state_->chroma = chroma == Chroma::gray ? Chroma::yuv420 : chroma;
  const zimg_image_format from = format_of(state_->size, state_->chroma);
  const zimg_image_format to = video_format(state_->size);
  const zimg_graph_builder_params params = zimg_scaling_params();
  state_->graph = ZimgGraph(zimg_filter_graph_build(&from, &to, &params));
  if (state_->graph.empty()) throw JobError("zimg graph: " + zimg_error_text());
  state_->scratch.resize(zimg_scratch_bytes(state_->graph));
}
PlaneConverter::~PlaneConverter() = default;

SizePx PlaneConverter::video_px() const noexcept { return state_->size; }

AvFrame PlaneConverter::convert(const PlanarPicture& picture) {
  const PlanarPicture from = state_->prepared(picture);
  AvFrame frame = new_frame();
  frame.get()->format = AV_PIX_FMT_YUV420P;
  frame.get()->width = state_->size.width;
  frame.get()->height = state_->size.height;
  frame.get()->colorspace = video_matrix(state_->size);
  frame.get()->color_range = AVCOL_RANGE_MPEG;
  if (av_frame_get_buffer(frame.get(), static_cast<int>(plane_alignment_bytes)) < 0)
    throw JobError("out of memory for a frame");
  zimg_image_buffer_const in = {};
  zimg_image_buffer out = {};
  in.version = out.version = ZIMG_API_VERSION;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    const Plane& source = from.planes[plane];
    in.plane[plane] = {source.samples.data(), static_cast<std::ptrdiff_t>(source.stride_bytes),
                       ZIMG_BUFFER_MAX};
    out.plane[plane] = {frame.get()->data[plane], frame.get()->linesize[plane], ZIMG_BUFFER_MAX};
  }
  check_zimg(zimg_filter_graph_process(state_->graph.get(), &in, &out, state_->scratch.data(),
                                       nullptr, nullptr, nullptr, nullptr),
             "zimg process");
  return frame;
}

}  // namespace tilewall::movie
