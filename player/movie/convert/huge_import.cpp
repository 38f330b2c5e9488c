#include "player/movie/convert/huge_import.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/convert/import_folder.hpp"
#include "player/movie/convert/import_plan.hpp"
#include "player/movie/convert/transfer_status.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/source/picture_converter.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {

namespace {

constexpr int sample_rows = 1024;  // rows from the top that chroma and size are estimated by
constexpr double pyramid_share = 4.0 / 3;  // pixels of all levels per pixel of level 0

MovieInfo info_of(const ImageRows& rows, Rational fps) {
  MovieInfo info;
  info.container = "image";
  info.stored_px = info.size_px = rows.size_px();
  info.fps = fps;
  info.frames = 1;
  return info;
}

// The middle of the image's upper rows as a picture of its own.
PlanarPicture sample_of(const std::filesystem::path& file, Chroma chroma) {
  const std::unique_ptr<ImageRows> rows = open_image_rows(file);
  const int height = std::min(sample_rows, rows->size_px().height);
  const int width = std::min(4 * sample_rows, rows->size_px().width);
  const RectPx middle{(rows->size_px().width - width) / 2, 0, width, height};
  BandConverter bands(*rows, {middle, {width, height}, chroma}, file.string());
  return bands.next();
}

Chroma chroma_of(const ImageRows& rows, const ImportOptions& options) {
  if (rows.channels() == 1) return Chroma::gray;
  if (options.compression != BlockCompression::jpeg) return Chroma::rgb;
  if (rows.halved_chroma()) return Chroma::yuv420;
  return choose_chroma_of_rgb(sample_of(options.inputs.front(), Chroma::yuv444),
                              sample_of(options.inputs.front(), Chroma::yuv420), options.quality);
}

double estimated_bytes(const ImportPlan& plan, const ImportOptions& options) {
  const MovieManifest& movie = plan.manifest;
  const double pixels =
      static_cast<double>(movie.size_px.width) * movie.size_px.height * pyramid_share;
  if (movie.compression != BlockCompression::jpeg) return pixels * plane_count(movie.chroma);
  const PlanarPicture sample = sample_of(options.inputs.front(), movie.chroma);
  const double sample_px = static_cast<double>(sample.size_px.width) * sample.size_px.height;
  return pixels * static_cast<double>(encode_jpeg(sample, movie.quality).size()) / sample_px;
}

std::uint64_t store(ImageRows& rows, const ImportPlan& plan, const ImportFolder& folder,
                    const ImportOptions& options, ProgressSink& progress) {
  const RectF& crop = plan.conversion.crop_px;
  const RectPx crop_px{static_cast<int>(crop.x), static_cast<int>(crop.y),
                       static_cast<int>(crop.width), static_cast<int>(crop.height)};
  BandConverter bands(rows, {crop_px, plan.manifest.size_px, plan.manifest.chroma}, plan.name);
  HugeFrameWriter writer(plan.manifest, plan.panel_share_px, folder.path() / frame_file_name(0));
  for (PlanarPicture band = bands.next(); !band.planes.empty(); band = bands.next()) {
    if (options.stop.stop_requested())
      throw JobError("interrupted; run the same command again to resume");
    writer.add_rows(band);
    progress.update({bands.rows_done(), plan.manifest.size_px.height, 0, "rows"});
  }
  return writer.finish().bytes;
}

}  // namespace

std::unique_ptr<ImageRows> open_huge_image(const std::vector<std::string>& inputs) {
  const auto images = resolve_images(inputs);
  if (!images || images->files.size() != 1) return nullptr;
  try {
    auto rows = open_image_rows(images->files.front());
    if (!rows) return nullptr;
    const SizePx size = rows->size_px();
    return std::int64_t{size.width} * size.height > huge_from_px ? std::move(rows) : nullptr;
  } catch (const InputError&) {
    return nullptr;  // the ordinary import may read it all the same, or names the error
  }
}

ImportResult import_huge_image(const ImportOptions& options, std::unique_ptr<ImageRows> rows,
                               ProgressSink& progress) {
  const auto start = std::chrono::steady_clock::now();
  const MovieInfo info = info_of(*rows, options.fps.value_or(Rational{24, 1}));
  ImportPlan plan = plan_import(options, source_of(options), info, chroma_of(*rows, options));
  plan.manifest.order = BlockOrder::rows;
  const ImportFolder folder(options.output, FrameFiles::movie, plan.manifest, options.overwrite);
  ImportResult result;
  result.manifest = folder.existing();
  result.already_complete = folder.complete();
  if (result.already_complete) return result;
  require_space(folder.path(), estimated_bytes(plan, options), 1);
  save_manifest(folder.path(), plan.manifest);
  if (!folder.has_frame(0)) {
    StatusSink status(folder.path(), std::nullopt, progress);
    result.written_bytes = store(*rows, plan, folder, options, status);
    result.written_frames = result.decoded_pictures = 1;
  }
  plan.manifest.complete = true;
  save_manifest(folder.path(), plan.manifest);
  result.manifest = plan.manifest;
  result.duration_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

namespace {

constexpr std::size_t band_bytes = std::size_t{48} << 20;  // source rows of a band, about
constexpr int max_band_rows = 512;
constexpr int cut_rows = 8;  // even; the filter of halved chroma reaches 4 of its rows

std::size_t padded_row_bytes(const ImageRows& rows) {
  const std::size_t bytes =
      static_cast<std::size_t>(rows.size_px().width) * static_cast<std::size_t>(rows.channels());
  return (bytes + plane_alignment_bytes - 1) / plane_alignment_bytes * plane_alignment_bytes;
}

// Rows [first, first + count) of a picture. @pre first is even
PlanarPicture rows_of(const PlanarPicture& picture, int first, int count) {
  PlanarPicture out({picture.size_px.width, count}, picture.chroma);
  for (std::size_t p = 0; p < out.planes.size(); ++p) {
    Plane& to = out.planes[p];
    const int skipped = p > 0 && picture.chroma == Chroma::yuv420 ? first / 2 : first;
    for (int y = 0; y < to.size_px.height; ++y)
      std::memcpy(to.row(y), picture.planes[p].row(skipped + y),
                  static_cast<std::size_t>(to.size_px.width));
  }
  return out;
}

}  // namespace

struct BandConverter::State {
  ImageRows& rows;
  const BandTarget target;
  const std::string name;
  const std::size_t row_bytes;
  const double scale;  // source rows per stored row
  const int margin;    // source rows that the filters read beyond a band, halved chroma included
  int band_rows = 2;
  SampleVector held;  // source rows [held_from, held_until)
  int held_from = 0;
  int held_until = 0;
  int done = 0;  // stored rows

  State(ImageRows& image, const BandTarget& band_target, std::string image_name)
      : rows(image),
        target(band_target),
        name(std::move(image_name)),
        row_bytes(padded_row_bytes(image)),
        scale(static_cast<double>(band_target.crop_px.height) / band_target.size_px.height),
        margin(static_cast<int>(std::ceil(4 * std::max(1.0, scale))) + 4) {
    const std::size_t source_rows = band_bytes / row_bytes;
    const double fitting = static_cast<double>(source_rows) / std::max(scale, 1.0 / 64);
    band_rows = std::clamp(static_cast<int>(std::min(fitting, 1e6)) / 2 * 2, 2, max_band_rows);
  }

  [[nodiscard]] std::uint8_t* held_row(int row) {
    return held.data() + static_cast<std::size_t>(row - held_from) * row_bytes;
  }

  // Keeps the held rows from `from` on, and reads more up to `until`. Rows above the crop have to
  // be read too, and are dropped.
  void hold(int from, int until) {
    const int kept = std::max(0, held_until - std::max(from, held_from));
    if (kept > 0)
      std::memmove(held.data(), held_row(held_until - kept),
                   static_cast<std::size_t>(kept) * row_bytes);
    held.resize(static_cast<std::size_t>(std::max(until - from, 1)) * row_bytes);
    while (held_until < from) {
      rows.read_row(held.data());
      ++held_until;
    }
    held_from = from;
    for (; held_until < until; ++held_until) rows.read_row(held_row(held_until));
  }

  // A frame that refers to the held rows.
  [[nodiscard]] AvFrame held_frame() {
    AvFrame frame = new_frame();
    frame.get()->format = rows.channels() == 1 ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24;
    frame.get()->width = rows.size_px().width;
    frame.get()->height = held_until - held_from;
    frame.get()->color_range = AVCOL_RANGE_JPEG;
    frame.get()->data[0] = held.data();
    frame.get()->linesize[0] = static_cast<int>(row_bytes);
    return frame;
  }

  // Makes the stored rows [done, done + count). zimg halves chroma after scaling, and reads no rows
  // beyond its output then. So cut_rows more are made on either side and cut off; without them,
  // bands would show as seams in chroma.
  PlanarPicture convert(int count) {
    const int first = std::max(0, done - cut_rows);
    const int end = std::min(target.size_px.height, done + count + cut_rows);
    const double top = target.crop_px.y + first * scale;
    const double height = (end - first) * scale;
    const int from = std::max(0, static_cast<int>(top) - margin);
    const int until =
        std::min(rows.size_px().height, static_cast<int>(std::ceil(top + height)) + margin);
    hold(from, until);
    const AvFrame frame = held_frame();
    PictureConverter converter({{rows.size_px().width, until - from},
                                {static_cast<double>(target.crop_px.x), top - from,
                                 static_cast<double>(target.crop_px.width), height},
                                {},
                                {target.size_px.width, end - first},
                                target.chroma,
                                HdrMode::map,
                                target.is_portable},
                               name);
    return rows_of(converter.convert(*frame.get()), done - first, count);
  }
};

BandConverter::BandConverter(ImageRows& rows, const BandTarget& target, std::string name)
    : state_(std::make_unique<State>(rows, target, std::move(name))) {}
BandConverter::~BandConverter() = default;

PlanarPicture BandConverter::next() {
  const int count = std::min(state_->band_rows, state_->target.size_px.height - state_->done);
  if (count <= 0) return {};
  PlanarPicture band = state_->convert(count);
  state_->done += count;
  return band;
}

int BandConverter::rows_done() const noexcept { return state_->done; }

}  // namespace tilewall::movie
