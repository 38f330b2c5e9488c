#include "player/movie/frames/scaler.hpp"

#include <zimg.h>

#include <algorithm>
#include <cmath>

#include "player/movie/frames/bgrx.hpp"
#include "player/movie/frames/view_plan.hpp"
#include "sync/base/handle.hpp"

namespace tilewall {
namespace {

constexpr int band_rows = 64;  // at least: each band filters a few rows of its neighbours again
constexpr int bands_per_worker = 3;  // so that one slow band does not leave the others idle
constexpr int row_step_px = 64;      // where a source row may start: zimg wants aligned rows

struct GraphTraits {
  using Raw = zimg_filter_graph*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw graph) noexcept { zimg_filter_graph_free(graph); }
};

struct Band {
  int first_row = 0;  // of the target
  int rows = 0;
  RectPx source;  // what zimg gets to see of the source
  UniqueHandle<GraphTraits> graph;
  unsigned output_lines = 0;  // of the ring of rows that zimg fills
  std::size_t scratch_bytes = 0;
};

struct WorkerBuffers {
  SampleVector scratch;
  SampleVector output;  // three planes of output_lines rows
};

std::size_t padded_row_bytes(int width) {
  return (static_cast<std::size_t>(width) + plane_alignment_bytes - 1) / plane_alignment_bytes *
         plane_alignment_bytes;
}

zimg_image_format source_format(const ScaleJob& job, const Band& band) {
  zimg_image_format format;
  zimg_image_format_default(&format, ZIMG_API_VERSION);
  format.width = static_cast<unsigned>(band.source.width);
  format.height = static_cast<unsigned>(band.source.height);
  format.pixel_type = ZIMG_PIXEL_BYTE;
  format.pixel_range = ZIMG_RANGE_FULL;
  if (job.chroma == Chroma::rgb) {
    format.color_family = ZIMG_COLOR_RGB;
    format.matrix_coefficients = ZIMG_MATRIX_RGB;
  } else if (job.chroma != Chroma::gray) {
    format.color_family = ZIMG_COLOR_YUV;
    format.matrix_coefficients = ZIMG_MATRIX_ST170_M;
  }
  if (job.chroma == Chroma::yuv420) {
    format.subsample_w = format.subsample_h = 1;
    format.chroma_location = ZIMG_CHROMA_CENTER;
  }
  const double row_px = job.shown_px.height / job.target_px.height;
  format.active_region.left = job.shown_px.x - band.source.x;
  format.active_region.top = job.shown_px.y + band.first_row * row_px - band.source.y;
  format.active_region.width = job.shown_px.width;
  format.active_region.height = band.rows * row_px;
  return format;
}

zimg_image_format target_format(const ScaleJob& job, const Band& band) {
  zimg_image_format format;
  zimg_image_format_default(&format, ZIMG_API_VERSION);
  format.width = static_cast<unsigned>(job.target_px.width);
  format.height = static_cast<unsigned>(band.rows);
  format.pixel_type = ZIMG_PIXEL_BYTE;
  format.pixel_range = ZIMG_RANGE_FULL;
  if (job.chroma != Chroma::gray) {
    format.color_family = ZIMG_COLOR_RGB;
    format.matrix_coefficients = ZIMG_MATRIX_RGB;
  }
  return format;
}

// What the filter looks at for [begin, begin + length) of the source, in whole steps.
void trim_axis(double begin, double length, double scale, int source_length, int first_step,
               int& at, int& size) {
  const int reach = filter_reach_px(scale);
  const int first = std::clamp(static_cast<int>(std::floor(begin)) - reach, 0, source_length - 1);
  const int last =
      std::clamp(static_cast<int>(std::ceil(begin + length)) + reach, first + 1, source_length);
  at = first / first_step * first_step;
  size = std::min((last - at + 1) / 2 * 2, source_length - at);
}

bool build(const ScaleJob& job, Band& band) {
  const double column_px = job.shown_px.width / job.target_px.width;
  const double row_px = job.shown_px.height / job.target_px.height;
  trim_axis(job.shown_px.x, job.shown_px.width, column_px, job.source_px.width, row_step_px,
            band.source.x, band.source.width);
  trim_axis(job.shown_px.y + band.first_row * row_px, band.rows * row_px, row_px,
            job.source_px.height, 2, band.source.y, band.source.height);
  zimg_graph_builder_params params;
  zimg_graph_builder_params_default(&params, ZIMG_API_VERSION);
  const zimg_image_format from = source_format(job, band);
  const zimg_image_format to = target_format(job, band);
  band.graph = UniqueHandle<GraphTraits>(zimg_filter_graph_build(&from, &to, &params));
  return !band.graph.empty() &&
         zimg_filter_graph_get_tmp_size(band.graph.get(), &band.scratch_bytes) == 0 &&
         zimg_filter_graph_get_output_buffering(band.graph.get(), &band.output_lines) == 0;
}

// Rows of zimg's output until a callback packs them: as many as its mask, plus one, in each plane.
struct RowRing {
  std::uint8_t* plane[3] = {};
  std::size_t stride_bytes;
  unsigned mask;

  static std::size_t bytes(const Band& band, int width) {
    return 3 * rows_of(band) * padded_row_bytes(width);
  }
  RowRing(SampleVector& memory, const Band& band, int width)
      : stride_bytes(padded_row_bytes(width)), mask(zimg_select_buffer_mask(band.output_lines)) {
    for (std::size_t p = 0; p < 3; ++p) plane[p] = memory.data() + p * rows_of(band) * stride_bytes;
  }
  [[nodiscard]] const std::uint8_t* row(int p, unsigned i) const {
    return plane[p] + (i & mask) * stride_bytes;
  }

 private:
  static std::size_t rows_of(const Band& band) {
    const unsigned mask = zimg_select_buffer_mask(band.output_lines);
    return mask == ZIMG_BUFFER_MAX ? static_cast<std::size_t>(band.rows) : std::size_t{mask} + 1;
  }
};

struct PackRow {
  const RowRing* ring;
  const ImageView* target;
  int first_row;
  bool gray;
};

int pack_row(void* user, unsigned i, unsigned left, unsigned right) {
  const auto& pack = *static_cast<const PackRow*>(user);
  const auto row = [&](int p) { return pack.ring->row(pack.gray ? 0 : p, i) + left; };
  pack_bgrx_row(row(0), row(1), row(2),
                pack.target->row(pack.first_row + static_cast<int>(i)) + std::size_t{4} * left,
                static_cast<int>(right - left));
  return 0;
}

zimg_image_buffer_const source_buffer(const PlanarPicture& source, const RectPx& window) {
  zimg_image_buffer_const buffer = {};
  buffer.version = ZIMG_API_VERSION;
  for (std::size_t p = 0; p < source.planes.size(); ++p) {
    const bool halved = source.chroma == Chroma::yuv420 && p > 0;
    const Plane& plane = source.planes[p];
    buffer.plane[p].data =
        plane.row(halved ? window.y / 2 : window.y) + (halved ? window.x / 2 : window.x);
    buffer.plane[p].stride = static_cast<std::ptrdiff_t>(plane.stride_bytes);
    buffer.plane[p].mask = ZIMG_BUFFER_MAX;
  }
  return buffer;
}

zimg_image_buffer target_buffer(const RowRing& ring, Chroma chroma) {
  zimg_image_buffer buffer = {};
  buffer.version = ZIMG_API_VERSION;
  for (std::size_t p = 0; p < static_cast<std::size_t>(plane_count(chroma)); ++p) {
    buffer.plane[p].data = ring.plane[p];
    buffer.plane[p].stride = static_cast<std::ptrdiff_t>(ring.stride_bytes);
    buffer.plane[p].mask = ring.mask;
  }
  return buffer;
}

}  // namespace

struct Scaler::State {
  ScaleJob job;
  std::vector<Band> bands;
  std::vector<WorkerBuffers> buffers;  // one per worker
  bool ok = true;

  void cut_into_bands(int workers) {
    const int rows = job.target_px.height;
    const int most = workers == 1 ? 1 : workers * bands_per_worker;
    const int count = std::clamp(rows / band_rows, 1, most);
    bands.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      Band& band = bands[static_cast<std::size_t>(i)];
      band.first_row = rows * i / count;
      band.rows = rows * (i + 1) / count - band.first_row;
      ok = ok && build(job, band);
    }
  }

  void allocate(int workers) {
    std::size_t scratch = 0;
    std::size_t output = 0;
    for (const Band& band : bands) {
      scratch = std::max(scratch, band.scratch_bytes);
      output = std::max(output, RowRing::bytes(band, job.target_px.width));
    }
    buffers.resize(static_cast<std::size_t>(workers));
    for (WorkerBuffers& buffer : buffers) {
      buffer.scratch.resize(scratch);
      buffer.output.resize(output);
    }
  }
};

Scaler::Scaler(const ScaleJob& job, int workers) : state_(std::make_unique<State>()) {
  state_->job = job;
  state_->cut_into_bands(workers);
  if (state_->ok) state_->allocate(workers);
}

Scaler::~Scaler() = default;

bool Scaler::ok() const noexcept { return state_->ok; }

int Scaler::bands() const noexcept { return static_cast<int>(state_->bands.size()); }

bool Scaler::run(int band_number, int worker, const PlanarPicture& source,
                 const ImageView& target) {
  const Band& band = state_->bands[static_cast<std::size_t>(band_number)];
  WorkerBuffers& buffers = state_->buffers[static_cast<std::size_t>(worker)];
  const Chroma chroma = state_->job.chroma;
  const RowRing ring(buffers.output, band, target.size_px.width);
  PackRow pack{&ring, &target, band.first_row, chroma == Chroma::gray};
  const zimg_image_buffer_const from = source_buffer(source, band.source);
  const zimg_image_buffer to = target_buffer(ring, chroma);
  return zimg_filter_graph_process(band.graph.get(), &from, &to, buffers.scratch.data(), nullptr,
                                   nullptr, &pack_row, &pack) == ZIMG_ERROR_SUCCESS;
}

}  // namespace tilewall
