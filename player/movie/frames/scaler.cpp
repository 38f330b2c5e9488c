#include "player/movie/frames/scaler.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "player/movie/frames/view_plan.hpp"
#include "player/movie/frames/zimg_graph.hpp"
#include "player/picture/bgrx.hpp"

namespace tilewall::movie {
namespace {

// With fewer rows, a band would mostly filter rows that its neighbours filter too.
constexpr int least_band_rows = 64;
constexpr int row_step_px = 128;   // source columns begin at multiples: chroma too is on 64 bytes
constexpr int chroma_step_px = 4;  // luma pixels of the widest chroma sample

enum class BandState { cut, built, refused };

struct Band {
  int first_row = 0;  // first row in the target
  int rows = 0;
  BandState state = BandState::cut;
  RectPx source;  // the part of the source that zimg reads
  ZimgGraph graph;
  unsigned output_lines = 0;  // rows in the ring that zimg fills
  std::size_t scratch_bytes = 0;
};

std::size_t ring_row_bytes(int width) {
  return (static_cast<std::size_t>(width) + plane_alignment_bytes - 1) / plane_alignment_bytes *
         plane_alignment_bytes;
}

zimg_image_format source_format(const ScaleJob& job, const Band& band) {
  zimg_image_format format = zimg_format_of({band.source.width, band.source.height}, job.format);
  const double row_px = job.shown_px.height / job.target_px.height;
  format.active_region.left = job.shown_px.x - band.source.x;
  format.active_region.top = job.shown_px.y + band.first_row * row_px - band.source.y;
  format.active_region.width = job.shown_px.width;
  format.active_region.height = band.rows * row_px;
  return format;
}

zimg_image_format target_format(const ScaleJob& job, const Band& band) {
  PlaneFormat rgb = stored_format(Chroma::rgb);
  if (job.format.family == ZIMG_COLOR_GREY) rgb = stored_format(Chroma::gray);
  if (job.format.transfer != ZIMG_TRANSFER_UNSPECIFIED) {
    rgb.transfer = job.format.transfer == ZIMG_TRANSFER_LINEAR ? ZIMG_TRANSFER_IEC_61966_2_1
                                                               : ZIMG_TRANSFER_BT709;
    rgb.primaries = ZIMG_PRIMARIES_BT709;
  }
  return zimg_format_of({job.target_px.width, band.rows}, rgb);
}

// Computes the interval that the filter reads for [begin, begin + length) of the source, in whole
// steps. filter_reach_px() includes chroma samples of two pixels; samples of four reach twice as
// far.
void trim_axis(double begin, double length, double scale, int source_length, int chroma_log2,
               int first_step, int& at, int& size) {
  const int coarser = std::max(0, chroma_log2 - 1);
  const int reach = filter_reach_px(scale) << coarser;
  const int first = std::clamp(static_cast<int>(std::floor(begin)) - reach, 0, source_length - 1);
  const int last =
      std::clamp(static_cast<int>(std::ceil(begin + length)) + reach, first + 1, source_length);
  at = first / (first_step << coarser) * (first_step << coarser);
  size = std::min((last - at + chroma_step_px - 1) / chroma_step_px * chroma_step_px,
                  source_length - at);
}

bool build(const ScaleJob& job, Band& band) {
  const double column_px = job.shown_px.width / job.target_px.width;
  const double row_px = job.shown_px.height / job.target_px.height;
  trim_axis(job.shown_px.x, job.shown_px.width, column_px, job.source_px.width,
            job.format.subsample_w_log2, row_step_px, band.source.x, band.source.width);
  trim_axis(job.shown_px.y + band.first_row * row_px, band.rows * row_px, row_px,
            job.source_px.height, job.format.subsample_h_log2, chroma_step_px, band.source.y,
            band.source.height);
  zimg_graph_builder_params params = zimg_scaling_params();
  // All rows here start on 64 bytes: AVX-512 where there is one. 1080p in 4:2:0 to 855x480 in 5x3
  // parts, cpu-ms: 2.12 without, 1.86 with it (Sapphire Rapids class).
  params.cpu_type = ZIMG_CPU_AUTO_64B;
  const zimg_image_format from = source_format(job, band);
  const zimg_image_format to = target_format(job, band);
  band.graph = ZimgGraph(zimg_filter_graph_build(&from, &to, &params));
  return !band.graph.empty() &&
         zimg_filter_graph_get_tmp_size(band.graph.get(), &band.scratch_bytes) == 0 &&
         zimg_filter_graph_get_output_buffering(band.graph.get(), &band.output_lines) == 0;
}

// Rows of zimg's output until a callback packs them: mask + 1 rows of each plane.
struct RowRing {
  std::uint8_t* plane[3] = {};
  std::size_t stride_bytes;
  unsigned mask;

  static std::size_t bytes(const Band& band, int width) {
    return 3 * rows_of(band) * ring_row_bytes(width);
  }
  RowRing(SampleVector& memory, const Band& band, int width)
      : stride_bytes(ring_row_bytes(width)), mask(zimg_select_buffer_mask(band.output_lines)) {
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

struct WorkerBuffers {
  SampleVector scratch;
  SampleVector output;  // memory of a RowRing

  void make_room(const Band& band, int width) {
    grow(scratch, band.scratch_bytes);
    grow(output, RowRing::bytes(band, width));
  }

 private:
  static void grow(SampleVector& memory, std::size_t bytes) {
    if (memory.size() >= bytes) return;
    memory.clear();  // else resize() would copy the old bytes
    memory.resize(bytes);
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
  picture::pack_bgrx_row(
      row(0), row(1), row(2),
      pack.target->row(pack.first_row + static_cast<int>(i)) + std::size_t{4} * left,
      static_cast<int>(right - left));
  return 0;
}

// Prefetches the source rows that zimg reads a few rows later. A panel's rows are too short and too
// far apart for the processor's own prefetcher, and lie in another core's cache.
struct RowsAhead {
  static constexpr int rows = 8;
  static constexpr std::size_t cache_line_bytes = 64;

  const zimg_image_buffer_const* source;
  const PlaneFormat* format;
  int end_row;

  void fetch_plane(std::size_t plane, int first_row, int step_rows, unsigned left,
                   unsigned right) const {
    const int w_log2 = plane > 0 ? format->subsample_w_log2 : 0;
    const int h_log2 = plane > 0 ? format->subsample_h_log2 : 0;
    const auto* const begin = static_cast<const std::uint8_t*>(source->plane[plane].data);
    const std::size_t from = (left >> w_log2) * format->bytes_per_sample();
    const std::size_t to = (right >> w_log2) * format->bytes_per_sample();
    const int end = std::min(first_row + step_rows, end_row) >> h_log2;
    for (int y = first_row >> h_log2; y < end; ++y)
      for (std::size_t x = from; x < to; x += cache_line_bytes)
        __builtin_prefetch(begin + std::ptrdiff_t{y} * source->plane[plane].stride + x);
  }

  /// zimg's unpack callback, called before it reads the rows of a chroma sample from `first_row`
  /// on.
  static int fetch(void* user, unsigned first_row, unsigned left, unsigned right) {
    const auto& self = *static_cast<const RowsAhead*>(user);
    const int step_rows = 1 << self.format->subsample_h_log2;
    for (int plane = 0; plane < self.format->planes(); ++plane)
      self.fetch_plane(static_cast<std::size_t>(plane), static_cast<int>(first_row) + rows,
                       step_rows, left, right);
    return 0;
  }
};

zimg_image_buffer_const source_buffer(const PlanesView& source, const PlaneFormat& format,
                                      const RectPx& window) {
  zimg_image_buffer_const buffer = {};
  buffer.version = ZIMG_API_VERSION;
  for (std::size_t p = 0; p < static_cast<std::size_t>(format.planes()); ++p) {
    const int x = p > 0 ? window.x >> format.subsample_w_log2 : window.x;
    const int y = p > 0 ? window.y >> format.subsample_h_log2 : window.y;
    buffer.plane[p].data = source.samples[p] +
                           static_cast<std::size_t>(y) * source.stride_bytes[p] +
                           static_cast<std::size_t>(x) * format.bytes_per_sample();
    buffer.plane[p].stride = static_cast<std::ptrdiff_t>(source.stride_bytes[p]);
    buffer.plane[p].mask = ZIMG_BUFFER_MAX;
  }
  return buffer;
}

zimg_image_buffer target_buffer(const RowRing& ring, int planes) {
  zimg_image_buffer buffer = {};
  buffer.version = ZIMG_API_VERSION;
  for (std::size_t p = 0; p < static_cast<std::size_t>(planes); ++p) {
    buffer.plane[p].data = ring.plane[p];
    buffer.plane[p].stride = static_cast<std::ptrdiff_t>(ring.stride_bytes);
    buffer.plane[p].mask = ring.mask;
  }
  return buffer;
}

}  // namespace

struct Scaler::State {
  std::optional<ScaleJob> job;
  std::vector<Band> bands;
  std::vector<WorkerBuffers> buffers;  // one per worker
};

Scaler::Scaler(int workers) : state_(std::make_unique<State>()) {
  state_->buffers.resize(static_cast<std::size_t>(workers));
}

Scaler::~Scaler() = default;

// Makes one band for each worker, and not more: while a view moves, zimg's horizontal filter is set
// up again in every picture, for 1.9 cpu-ms a band at 2560 px. The vertical one takes 1.4 cpu-ms
// for 1600 rows with any number of bands.
void Scaler::prepare(const ScaleJob& job) {
  if (state_->job == job) return;
  state_->job = job;
  const int rows = job.target_px.height;
  const int count = std::clamp(rows / least_band_rows, 1, static_cast<int>(state_->buffers.size()));
  state_->bands.clear();
  state_->bands.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Band& band = state_->bands[static_cast<std::size_t>(i)];
    band.first_row = rows * i / count;
    band.rows = rows * (i + 1) / count - band.first_row;
  }
}

bool Scaler::refused() const noexcept {
  return std::any_of(state_->bands.begin(), state_->bands.end(),
                     [](const Band& band) { return band.state == BandState::refused; });
}

int Scaler::bands() const noexcept { return static_cast<int>(state_->bands.size()); }

bool Scaler::run(int band_number, int worker, const PlanesView& source, const ImageView& target) {
  const ScaleJob& job = *state_->job;
  Band& band = state_->bands[static_cast<std::size_t>(band_number)];
  if (band.state == BandState::cut)
    band.state = build(job, band) ? BandState::built : BandState::refused;
  if (band.state == BandState::refused) return false;
  WorkerBuffers& buffers = state_->buffers[static_cast<std::size_t>(worker)];
  buffers.make_room(band, job.target_px.width);
  const PlaneFormat& format = job.format;
  const RowRing ring(buffers.output, band, target.size_px.width);
  PackRow pack{&ring, &target, band.first_row, format.planes() == 1};
  const zimg_image_buffer_const from = source_buffer(source, format, band.source);
  const zimg_image_buffer to = target_buffer(ring, format.planes());
  RowsAhead ahead{&from, &format, band.source.height};
  return zimg_filter_graph_process(band.graph.get(), &from, &to, buffers.scratch.data(),
                                   &RowsAhead::fetch, &ahead, &pack_row,
                                   &pack) == ZIMG_ERROR_SUCCESS;
}

}  // namespace tilewall::movie
