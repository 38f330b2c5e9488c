#include "player/movie/source/tone_mapper.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "player/movie/frames/worker_pool.hpp"
#include "player/movie/source/sample_rows.hpp"
#include "player/movie/source/source_colour.hpp"
#include "player/movie/source/tone_table.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {
namespace {

constexpr int band_rows = 32;  // luma rows of one task; even, so that no chroma row is split
constexpr int row_margin = 8;  // samples before and behind a row, which repeat its end samples

/// Codes of one row, with margins so that filters need no special case at the ends.
class CodeRow {
 public:
  void resize(int width) {
    width_ = width;
    codes_.resize(static_cast<std::size_t>(width) + 2 * row_margin);
  }
  [[nodiscard]] std::uint16_t* begin() noexcept { return codes_.data() + row_margin; }
  [[nodiscard]] const std::uint16_t* begin() const noexcept { return codes_.data() + row_margin; }
  [[nodiscard]] int width() const noexcept { return width_; }
  void fill_margins() noexcept {
    std::fill_n(codes_.data(), row_margin, begin()[0]);
    std::fill_n(begin() + width_, row_margin, begin()[width_ - 1]);
  }

 private:
  int width_ = 0;
  std::vector<std::uint16_t> codes_;
};

/// Position of chroma samples along one axis. If halved, sample i lies at luma position
/// 2 * i + half / 2.
struct Siting {
  bool halved = false;
  int half = 0;  ///< 0: on the first of two luma samples, 1: between them, 2: on the second
};

struct Sitings {
  Siting across;
  Siting down;
};

Sitings sitings_of(const SampleFormat& format, zimg_chroma_location_e location) {
  const bool left = location == ZIMG_CHROMA_LEFT || location == ZIMG_CHROMA_TOP_LEFT ||
                    location == ZIMG_CHROMA_BOTTOM_LEFT;
  const bool top = location == ZIMG_CHROMA_TOP || location == ZIMG_CHROMA_TOP_LEFT;
  const bool bottom = location == ZIMG_CHROMA_BOTTOM || location == ZIMG_CHROMA_BOTTOM_LEFT;
  return {{format.subsample_w_log2 == 1, left ? 0 : 1},
          {format.subsample_h_log2 == 1, top      ? 0
                                         : bottom ? 2
                                                  : 1}};
}

/// Position of a luma sample among chroma samples: `quarters` / 4 of the way from chroma sample
/// `first` to the next one.
struct ChromaPlace {
  int first = 0;
  int quarters = 0;
};

ChromaPlace chroma_place(const Siting& siting, int at) noexcept {
  if (!siting.halved) return {at, 0};
  const int quarters = 2 * at - siting.half;
  return {quarters >> 2, quarters & 3};
}

void blend(const std::uint16_t* first, const std::uint16_t* second, int quarters,
           std::uint16_t* out, int count) noexcept {
  const auto near = static_cast<std::uint32_t>(4 - quarters);
  const auto far = static_cast<std::uint32_t>(quarters);
  for (int i = 0; i < count; ++i)
    out[i] = static_cast<std::uint16_t>((near * first[i] + far * second[i] + 2) >> 2);
}

/// Interpolates a chroma row to luma's sites.
void widen(const CodeRow& chroma, const Siting& siting, CodeRow& out) noexcept {
  const std::uint16_t* from = chroma.begin();
  std::uint16_t* to = out.begin();
  if (!siting.halved) {
    std::copy_n(from, out.width(), to);
    return;
  }
  const ChromaPlace even = chroma_place(siting, 0);
  const ChromaPlace odd = chroma_place(siting, 1);
  const auto at = [](const std::uint16_t* samples, std::uint32_t quarters) {
    return static_cast<std::uint16_t>(((4 - quarters) * samples[0] + quarters * samples[1] + 2) >>
                                      2);
  };
  const auto even_share = static_cast<std::uint32_t>(even.quarters);
  const auto odd_share = static_cast<std::uint32_t>(odd.quarters);
  const int pairs = (out.width() + 1) / 2;  // an odd width writes one sample into the margin
  for (int i = 0; i < pairs; ++i) {
    to[2 * i] = at(from + i + even.first, even_share);
    to[2 * i + 1] = at(from + i + odd.first, odd_share);
  }
}

/// Weights, in quarters, of the luma samples 2 * i - 1 .. 2 * i + 2 around chroma sample i.
std::array<std::uint32_t, 4> luma_weights(const Siting& siting) noexcept {
  switch (siting.half) {
    case 0:
      return {1, 2, 1, 0};
    case 1:
      return {0, 2, 2, 0};
    default:
      return {0, 1, 2, 1};
  }
}

/// Averages a luma row at chroma's sites.
void narrow(const CodeRow& luma, const Siting& siting, CodeRow& out) noexcept {
  const std::uint16_t* from = luma.begin();
  std::uint16_t* to = out.begin();
  if (!siting.halved) {
    std::copy_n(from, out.width(), to);
    return;
  }
  const auto weights = luma_weights(siting);
  for (int i = 0; i < out.width(); ++i) {
    const std::uint16_t* at = from + 2 * i;
    to[i] = static_cast<std::uint16_t>(
        (weights[0] * at[-1] + weights[1] * at[0] + weights[2] * at[1] + weights[3] * at[2] + 2) >>
        2);
  }
}

AVPixelFormat mapped_format(const SampleFormat& format) {
  if (format.family == SampleFamily::gray) return AV_PIX_FMT_GRAY8;
  if (format.family == SampleFamily::rgb) return AV_PIX_FMT_GBRP;
  if (format.subsample_h_log2 == 1)
    return format.subsample_w_log2 == 1 ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV440P;
  return format.subsample_w_log2 == 1 ? AV_PIX_FMT_YUV422P : AV_PIX_FMT_YUV444P;
}

/// Shares of red and blue in luma; empty for matrices that are not of Y'CbCr or R'G'B'.
std::optional<std::array<double, 2>> luma_equation(zimg_matrix_coefficients_e matrix) {
  switch (matrix) {
    case ZIMG_MATRIX_RGB:
    case ZIMG_MATRIX_BT2020_NCL:
      return {{0.2627, 0.0593}};
    case ZIMG_MATRIX_BT709:
      return {{0.2126, 0.0722}};
    case ZIMG_MATRIX_BT470_BG:
    case ZIMG_MATRIX_ST170_M:
      return {{0.299, 0.114}};
    case ZIMG_MATRIX_ST240_M:
      return {{0.212, 0.087}};
    case ZIMG_MATRIX_FCC:
      return {{0.30, 0.11}};
    default:
      return std::nullopt;
  }
}

AVChromaLocation av_location(zimg_chroma_location_e location) {
  return static_cast<AVChromaLocation>(location + 1);  // FFmpeg's 0 is "unspecified"
}

/// Everything that the mapping of a frame depends on, except its samples.
struct Kind {
  SampleFormat format;
  SourceColour colour;
  ToneSamples samples;
  HdrLight light;
};

std::optional<Kind> kind_of(const AVFrame& frame) {
  const auto light = hdr_light_of(frame);
  if (!light) return std::nullopt;
  Kind kind;
  kind.light = *light;
  // Not every picture has these, and the table does not depend on them: without this, it would be
  // made again whenever they come or go.
  kind.light.hdr10_plus = kind.light.dolby_vision = false;
  kind.format = sample_format(static_cast<AVPixelFormat>(frame.format), "");
  kind.colour = source_colour(frame, kind.format);
  const auto weights = luma_equation(kind.colour.matrix);
  if (!weights || kind.format.type == SampleType::f32 || kind.format.subsample_w_log2 > 1 ||
      kind.format.subsample_h_log2 > 1)
    return std::nullopt;
  kind.samples = {kind.format.depth_bits, kind.colour.full_range,
                  kind.format.family == SampleFamily::rgb, (*weights)[0], (*weights)[1]};
  return kind;
}

/// Maps bands of a frame's rows. Each worker has one, for the rows that it needs meanwhile.
class BandMapper {
 public:
  /// Maps luma rows [first_row, end_row) of `frame`, and the chroma rows that belong to them, into
  /// `to`. @pre `to` has mapped_format() and the frame's size; first_row is even
  void map(const AVFrame& frame, const Kind& kind, const ToneTable& table, ToneRowFn tone_row,
           AVFrame& to, int first_row, int end_row) {
    frame_ = &frame;
    kind_ = &kind;
    const int chroma_width = AV_CEIL_RSHIFT(frame.width, kind.format.subsample_w_log2);
    for (CodeRow& row : full_) row.resize(frame.width);
    for (CodeRow& row : own_) row.resize(chroma_width);
    for (CodeRow& row : rows_) row.resize(frame.width);
    sitings_ = sitings_of(kind.format, kind.colour.chroma_location);
    if (kind.format.family == SampleFamily::gray)
      for (CodeRow* row : {&full_[1], &full_[2]})
        std::fill_n(row->begin(), frame.width, table.neutral_code());
    const bool halved = kind.format.subsample_w_log2 + kind.format.subsample_h_log2 > 0;
    for (int y = first_row; y < end_row; ++y) {
      read_row(0, y, full_[0]);
      if (kind.format.planes == 3)
        for (int plane = 1; plane < 3; ++plane) read_chroma_for(plane, y);
      const int outputs = halved ? 1 : kind.format.planes;
      for (int plane = 0; plane < outputs; ++plane)
        tone_row(table.grid(plane), full_[0].begin(), full_[1].begin(), full_[2].begin(),
                 row_of(to, plane, y), frame.width);
    }
    if (!halved) return;
    const int shift = kind.format.subsample_h_log2;
    const int end_chroma = AV_CEIL_RSHIFT(end_row, shift);
    for (int y = first_row >> shift; y < end_chroma; ++y) {
      read_luma_for(y);
      for (int plane = 1; plane < 3; ++plane)
        read_row(plane, y, own_[static_cast<std::size_t>(plane)]);
      for (int plane = 1; plane < 3; ++plane)
        tone_row(table.grid(plane), own_[0].begin(), own_[1].begin(), own_[2].begin(),
                 row_of(to, plane, y), chroma_width);
    }
  }

 private:
  static std::uint8_t* row_of(AVFrame& to, int plane, int y) {
    constexpr int gbr[] = {2, 0, 1};  // FFmpeg's planes of R, G and B
    const int at = to.format == AV_PIX_FMT_GBRP ? gbr[plane] : plane;
    return to.data[at] + std::ptrdiff_t{y} * to.linesize[at];
  }

  /// Reads row `y` of a plane. Rows above and below the picture repeat its first and last row.
  /// Codes beyond the depth are clamped, because the table has no nodes for them.
  void read_row(int plane, int y, CodeRow& out) {
    const SampleFormat& format = kind_->format;
    const int shift = format.family == SampleFamily::yuv && plane > 0 ? format.subsample_h_log2 : 0;
    y = std::clamp(y, 0, AV_CEIL_RSHIFT(frame_->height, shift) - 1);
    const int width = plane == 0 || format.family != SampleFamily::yuv
                          ? frame_->width
                          : AV_CEIL_RSHIFT(frame_->width, format.subsample_w_log2);
    const PlaneInPlace place = plane_in_place(*frame_, format, plane);
    const std::uint8_t* samples = place.samples + std::ptrdiff_t{y} * place.stride_bytes;
    if (place.samples == nullptr) {
      packed_.resize(static_cast<std::size_t>(width) * format.bytes_per_sample());
      read_sample_row(*frame_, format, kind_->colour.full_range, plane, y, 0, width,
                      packed_.data());
      samples = packed_.data();
    }
    std::uint16_t* to = out.begin();
    if (format.type == SampleType::u8) {
      std::copy_n(samples, width, to);
    } else {
      const auto most = static_cast<std::uint16_t>((1U << format.depth_bits) - 1);
      const auto* codes = reinterpret_cast<const std::uint16_t*>(samples);
      for (int x = 0; x < width; ++x) to[x] = std::min(codes[x], most);
    }
    out.fill_margins();
  }

  /// Interpolates chroma to luma's sites in row `y`, into full_[plane].
  void read_chroma_for(int plane, int y) {
    CodeRow& out = full_[static_cast<std::size_t>(plane)];
    if (kind_->format.family == SampleFamily::rgb) return read_row(plane, y, out);
    const ChromaPlace place = chroma_place(sitings_.down, y);
    CodeRow& first = own_[0];
    read_row(plane, place.first, first);
    if (place.quarters > 0) {
      CodeRow& second = own_[1];
      read_row(plane, place.first + 1, second);
      blend(first.begin(), second.begin(), place.quarters, first.begin(), first.width());
      first.fill_margins();
    }
    widen(first, sitings_.across, out);
  }

  /// Averages luma at chroma's sites in chroma row `y`, into own_[0].
  void read_luma_for(int y) {
    CodeRow& sum = rows_[0];
    if (!sitings_.down.halved) {
      read_row(0, y, sum);
      return narrow(sum, sitings_.across, own_[0]);
    }
    const auto weights = luma_weights(sitings_.down);
    std::array<const std::uint16_t*, 4> from = {};
    for (int i = 0; i < 4; ++i) {
      CodeRow& row = rows_[static_cast<std::size_t>(i) + 1];
      if (weights[static_cast<std::size_t>(i)] > 0) read_row(0, 2 * y - 1 + i, row);
      from[static_cast<std::size_t>(i)] = row.begin();
    }
    std::uint16_t* to = sum.begin();
    for (int x = 0; x < sum.width(); ++x)
      to[x] = static_cast<std::uint16_t>((weights[0] * from[0][x] + weights[1] * from[1][x] +
                                          weights[2] * from[2][x] + weights[3] * from[3][x] + 2) >>
                                         2);
    sum.fill_margins();
    narrow(sum, sitings_.across, own_[0]);
  }

  const AVFrame* frame_ = nullptr;
  const Kind* kind_ = nullptr;
  Sitings sitings_;
  std::array<CodeRow, 3> full_;  // codes of the three planes at luma's sites
  std::array<CodeRow, 3> own_;   // codes of the three planes at chroma's sites
  std::array<CodeRow, 5> rows_;  // luma: the weighted sum, then the four rows that go into it
  std::vector<std::uint8_t> packed_;
};

}  // namespace

struct ToneMapper::State {
  HdrMode mode;
  int threads;
  ToneRowFn tone_row = pick_tone_row();
  HdrLight light;
  ToneSamples samples;
  std::optional<ToneTable> table;  // for `light` and `samples`
  AvFrame out = new_frame();
  std::vector<BandMapper> mappers;   // one per worker
  std::unique_ptr<WorkerPool> pool;  // last: its threads use the others

  void prepare(const AVFrame& frame, const Kind& kind) {
    if (!pool) {
      pool = std::make_unique<WorkerPool>(threads);
      mappers.resize(static_cast<std::size_t>(pool->threads()));
    }
    if (!table || light != kind.light || samples != kind.samples) {
      light = kind.light;
      samples = kind.samples;
      table.emplace(ToneCurve(light), samples);
    }
    AVFrame& to = *out.get();
    const AVPixelFormat format = mapped_format(kind.format);
    if (to.width == frame.width && to.height == frame.height && to.format == format) return;
    av_frame_unref(&to);
    to.width = frame.width;
    to.height = frame.height;
    to.format = format;
    if (av_frame_get_buffer(&to, static_cast<int>(plane_alignment_bytes)) < 0)
      throw JobError("out of memory for a frame");
  }

  void describe(const AVFrame& frame, const Kind& kind) {
    AVFrame& to = *out.get();
    const bool rgb = kind.format.family == SampleFamily::rgb;
    to.colorspace = rgb ? AVCOL_SPC_RGB : AVCOL_SPC_BT470BG;
    to.color_range = AVCOL_RANGE_JPEG;
    to.color_primaries = AVCOL_PRI_BT709;
    to.color_trc = AVCOL_TRC_BT709;
    to.chroma_location = av_location(kind.colour.chroma_location);
    to.sample_aspect_ratio = frame.sample_aspect_ratio;
  }
};

ToneMapper::ToneMapper(HdrMode mode, int threads) : state_(std::make_unique<State>()) {
  state_->mode = mode;
  state_->threads = threads;
}
ToneMapper::~ToneMapper() = default;

const AVFrame& ToneMapper::mapped(const AVFrame& frame) {
  State& state = *state_;
  if (state.mode == HdrMode::clip) return frame;
  const std::optional<Kind> kind = kind_of(frame);
  if (!kind) return frame;
  state.prepare(frame, *kind);
  state.describe(frame, *kind);
  const int bands = (frame.height + band_rows - 1) / band_rows;
  state.pool->run(bands, [&](int band, int worker) {
    const int first = band * band_rows;
    state.mappers[static_cast<std::size_t>(worker)].map(frame, *kind, *state.table, state.tone_row,
                                                        *state.out.get(), first,
                                                        std::min(frame.height, first + band_rows));
  });
  return *state.out.get();
}

}  // namespace tilewall::movie
