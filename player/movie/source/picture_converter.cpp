#include "player/movie/source/picture_converter.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "player/movie/frames/zimg_graph.hpp"
#include "player/movie/source/sample_rows.hpp"
#include "player/movie/source/source_colour.hpp"
#include "player/movie/source/tone_mapper.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

std::size_t padded(std::size_t bytes) {
  return (bytes + plane_alignment_bytes - 1) / plane_alignment_bytes * plane_alignment_bytes;
}

// A circular buffer of lines of one plane. zimg expects line i at index (i & mask).
struct LineBuffer {
  mutable SampleVector bytes;  // zimg and its callbacks write through it
  std::size_t stride_bytes = 0;
  unsigned mask = 0;

  LineBuffer() = default;
  LineBuffer(unsigned line_width, std::size_t bytes_per_sample, unsigned lines, unsigned height)
      : stride_bytes(padded(line_width * bytes_per_sample)), mask(zimg_select_buffer_mask(lines)) {
    const std::size_t held = mask == ZIMG_BUFFER_MAX ? height : std::size_t{mask} + 1;
    bytes.resize(stride_bytes * held);
  }
  [[nodiscard]] std::uint8_t* line(unsigned i) const {
    return bytes.data() + (i & mask) * stride_bytes;
  }
};

// Everything that the zimg graph depends on. A broken or spliced movie may change it between two
// pictures.
struct FrameKind {
  int width = 0;
  int height = 0;
  int pixel_format = -1;
  SourceColour colour;
  bool operator==(const FrameKind&) const = default;
};

void copy_rows(const std::uint8_t* from, std::ptrdiff_t stride, Plane& to) {
  for (int y = 0; y < to.size_px.height; ++y)
    std::memcpy(to.row(y), from + y * stride, static_cast<std::size_t>(to.size_px.width));
}

bool covers_all(const RectF& rect, const AVFrame& frame) {
  return rect == RectF{0, 0, static_cast<double>(frame.width), static_cast<double>(frame.height)};
}

}  // namespace

struct PictureConverter::State {
  ConversionTarget target;
  std::string name;
  ToneMapper tone;  // with one thread, because import converts many pictures at once

  FrameKind kind;
  SampleFormat format;
  bool as_rgb = false;  // a gray picture is given to zimg as three equal planes
  ZimgGraph graph;
  zimg_image_format source = {};
  zimg_image_format stored = {};
  SampleVector scratch;
  std::array<LineBuffer, 3> in_lines;
  std::array<LineBuffer, 3> out_lines;

  explicit State(HdrMode hdr) : tone(hdr, 1) {}

  // Set while zimg runs, for its callbacks.
  const AVFrame* frame = nullptr;
  PlanarPicture* result = nullptr;

  [[nodiscard]] RectF source_rect(const AVFrame& from) const {
    return stored_rect_px(target.crop_px, target.displayed_px, {from.width, from.height},
                          target.orientation);
  }

  void adopt(const AVFrame& next) {
    const SampleFormat next_format =
        sample_format(static_cast<AVPixelFormat>(next.format), name.c_str());
    const FrameKind next_kind{next.width, next.height, next.format,
                              source_colour(next, next_format)};
    if (next_kind == kind) return;
    kind = next_kind;
    format = next_format;
    graph.reset();
  }

  // Whether the decoded planes are what is stored, so that they can be copied: JPEG's colour, whole
  // and unscaled.
  [[nodiscard]] bool as_decoded(const AVFrame& from, SizePx size) const {
    const SourceColour& colour = kind.colour;
    const bool same_colour =
        format.family == SampleFamily::gray ||
        (format.family == SampleFamily::yuv && colour.chroma_location == ZIMG_CHROMA_CENTER &&
         (colour.matrix == ZIMG_MATRIX_BT470_BG || colour.matrix == ZIMG_MATRIX_ST170_M));
    const Chroma own = format.family == SampleFamily::gray                      ? Chroma::gray
                       : format.subsample_w_log2 + format.subsample_h_log2 == 2 ? Chroma::yuv420
                                                                                : Chroma::yuv444;
    const bool whole_chroma = format.subsample_w_log2 == format.subsample_h_log2;
    return same_colour && own == target.chroma && whole_chroma && format.subsample_w_log2 <= 1 &&
           format.type == SampleType::u8 && !format.alpha && colour.full_range &&
           !colour.needs_linear_light() && size == SizePx{from.width, from.height} &&
           covers_all(source_rect(from), from) &&
           plane_in_place(from, format, 0).samples != nullptr;
  }

  void build_graph(const AVFrame& from, SizePx size) {
    as_rgb = format.family == SampleFamily::gray &&
             (target.chroma != Chroma::gray || kind.colour.needs_linear_light());
    source = zimg_source_format(from, format, kind.colour, as_rgb);
    stored = zimg_stored_format(size, target.chroma, kind.colour);
    const RectF rect = source_rect(from);
    // With halved chroma zimg needs even sides. An odd side is converted with one more pixel, so
    // the source rectangle grows in proportion.
    source.active_region.left = rect.x;
    source.active_region.top = rect.y;
    source.active_region.width = rect.width * stored.width / size.width;
    source.active_region.height = rect.height * stored.height / size.height;
    const zimg_graph_builder_params params =
        zimg_scaling_params(target.is_portable ? ZimgInstructions::common : ZimgInstructions::best);
    graph = ZimgGraph(zimg_filter_graph_build(&source, &stored, &params));
    if (graph.empty())
      throw InputError({name}, "picture", "one that zimg can convert", zimg_error_text());
    allocate_buffers();
  }

  void allocate_buffers() {
    unsigned in_count = 0;
    unsigned out_count = 0;
    check_zimg(zimg_filter_graph_get_input_buffering(graph.get(), &in_count),
               "zimg input_buffering");
    check_zimg(zimg_filter_graph_get_output_buffering(graph.get(), &out_count),
               "zimg output_buffering");
    scratch.resize(zimg_scratch_bytes(graph));
    for (std::size_t plane = 0; plane < 3; ++plane) {
      // zimg gives the number of lines for the first plane; the other planes need no more.
      in_lines[plane] =
          LineBuffer(source.width, format.bytes_per_sample(), in_count, source.height);
      out_lines[plane] = LineBuffer(stored.width, 1, out_count, stored.height);
    }
  }

  [[nodiscard]] int source_planes() const { return as_rgb ? 3 : format.planes; }

  static int unpack(void* user, unsigned row, unsigned left, unsigned right) {
    auto& state = *static_cast<State*>(user);
    for (int plane = 0; plane < state.source_planes(); ++plane)
      state.unpack_plane(plane, row, left, right);
    return 0;
  }

  void unpack_plane(int plane, unsigned row, unsigned left, unsigned right) {
    const bool subsampled = format.family == SampleFamily::yuv && plane > 0;
    const int shift_w = subsampled ? format.subsample_w_log2 : 0;
    const int shift_h = subsampled ? format.subsample_h_log2 : 0;
    const unsigned rows = 1U << (format.subsample_h_log2 - shift_h);
    const int last = static_cast<int>((right + (1U << shift_w) - 1) >> shift_w);
    for (unsigned i = row >> shift_h; i < (row >> shift_h) + rows; ++i)
      read_sample_row(*frame, format, kind.colour.full_range, plane, static_cast<int>(i),
                      static_cast<int>(left >> shift_w), last,
                      in_lines[static_cast<std::size_t>(plane)].line(i));
  }

  static int pack(void* user, unsigned row, unsigned left, unsigned right) {
    auto& state = *static_cast<State*>(user);
    for (std::size_t plane = 0; plane < state.result->planes.size(); ++plane)
      state.pack_plane(plane, row, left, right);
    return 0;
  }

  void pack_plane(std::size_t plane, unsigned row, unsigned left, unsigned right) {
    Plane& to = result->planes[plane];
    const unsigned shift = plane > 0 ? stored.subsample_w : 0;
    const unsigned rows = 1U << (stored.subsample_h - (plane > 0 ? stored.subsample_h : 0));
    const auto width = static_cast<unsigned>(to.size_px.width);
    const unsigned from = std::min(left >> shift, width);
    const unsigned until = std::min((right + (1U << shift) - 1) >> shift, width);
    for (unsigned i = row >> shift; i < (row >> shift) + rows; ++i)
      if (i < static_cast<unsigned>(to.size_px.height))
        std::memcpy(to.row(static_cast<int>(i)) + from, out_lines[plane].line(i) + from,
                    until - from);
  }

  // Points zimg at the decoded planes; false if it cannot read one of them where it is.
  bool set_source_in_place(const AVFrame& from, zimg_image_buffer_const& in) const {
    for (int plane = 0; plane < source_planes(); ++plane) {
      const PlaneInPlace place = plane_in_place(from, format, as_rgb ? 0 : plane);
      if (place.samples == nullptr) return false;
      in.plane[plane] = {place.samples, place.stride_bytes, ZIMG_BUFFER_MAX};
    }
    return true;
  }

  PlanarPicture run(const AVFrame& from, SizePx size) {
    PlanarPicture out(size, target.chroma);
    frame = &from;
    result = &out;
    zimg_image_buffer_const in_buffer = {};
    zimg_image_buffer out_buffer = {};
    in_buffer.version = out_buffer.version = ZIMG_API_VERSION;
    const bool in_place = set_source_in_place(from, in_buffer);
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const LineBuffer& in = in_lines[plane];
      const LineBuffer& to = out_lines[plane];
      if (!in_place)
        in_buffer.plane[plane] = {in.bytes.data(), static_cast<std::ptrdiff_t>(in.stride_bytes),
                                  in.mask};
      out_buffer.plane[plane] = {to.bytes.data(), static_cast<std::ptrdiff_t>(to.stride_bytes),
                                 to.mask};
    }
    check_zimg(
        zimg_filter_graph_process(graph.get(), &in_buffer, &out_buffer, scratch.data(),
                                  in_place ? nullptr : &State::unpack, this, &State::pack, this),
        "zimg process");
    return out;
  }
};

PictureConverter::PictureConverter(const ConversionTarget& target, std::string name)
    : state_(std::make_unique<State>(target.hdr)) {
  TW_CHECK(target.size_px.width > 0 && target.size_px.height > 0);
  state_->target = target;
  state_->name = std::move(name);
}
PictureConverter::~PictureConverter() = default;

PlanarPicture PictureConverter::convert(const AVFrame& decoded) {
  State& state = *state_;
  const AVFrame& frame = state.tone.mapped(decoded);
  state.adopt(frame);
  const Orientation& orientation = state.target.orientation;
  const SizePx size = turned(state.target.size_px, orientation);  // before it is turned
  if (state.graph.empty() && state.as_decoded(frame, size)) {
    PlanarPicture out(size, state.target.chroma);
    for (std::size_t plane = 0; plane < out.planes.size(); ++plane)
      copy_rows(frame.data[plane], frame.linesize[plane], out.planes[plane]);
    return orientation.upright() ? std::move(out) : turned(out, orientation);
  }
  if (state.graph.empty()) state.build_graph(frame, size);
  PlanarPicture out = state.run(frame, size);
  return orientation.upright() ? std::move(out) : turned(out, orientation);
}

Chroma native_chroma(AVPixelFormat pixel_format, const char* file) {
  const SampleFormat format = sample_format(pixel_format, file);
  if (format.family == SampleFamily::gray) return Chroma::gray;
  const bool halved = format.subsample_w_log2 > 0 && format.subsample_h_log2 > 0;
  return format.family == SampleFamily::yuv && halved ? Chroma::yuv420 : Chroma::yuv444;
}

bool is_rgb(AVPixelFormat format, const char* file) {
  return sample_format(format, file).family == SampleFamily::rgb;
}

}  // namespace tilewall::movie
