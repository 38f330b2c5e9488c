#include "player/movie/transfer/huge_import.hpp"

#include <algorithm>
#include <chrono>

#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/transfer/band_converter.hpp"
#include "player/movie/transfer/chroma_choice.hpp"
#include "player/movie/transfer/disk_space.hpp"
#include "player/movie/transfer/import_folder.hpp"
#include "player/movie/transfer/import_plan.hpp"
#include "player/movie/transfer/jpeg_planes.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

constexpr int sample_rows = 1024;  // from the top; enough to see what content it is
constexpr double pyramid_share = 4.0 / 3;

MovieInfo info_of(const ImageRows& rows, Rational fps) {
  MovieInfo info;
  info.container = "image";
  info.stored_px = info.size_px = rows.size_px();
  info.fps = fps;
  info.frames = 1;
  return info;
}

// The upper rows as a picture of their own.
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
  HugeFrameWriter writer(plan.manifest, folder.path() / frame_file_name(0));
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
    return nullptr;  // the ordinary way says what is wrong, or reads it after all
  }
}

ImportResult import_huge_image(const ImportOptions& options, std::unique_ptr<ImageRows> rows,
                               ProgressSink& progress) {
  const auto start = std::chrono::steady_clock::now();
  const MovieInfo info = info_of(*rows, options.fps.value_or(Rational{24, 1}));
  ImportPlan plan = plan_import(options, info, chroma_of(*rows, options));
  plan.manifest.order = BlockOrder::rows;
  const ImportFolder folder(options.output, plan.manifest, options.overwrite);
  ImportResult result;
  result.manifest = folder.existing();
  result.already_complete = folder.complete();
  if (result.already_complete) return result;
  require_space(folder.path(), estimated_bytes(plan, options), 1);
  save_manifest(folder.path(), plan.manifest);
  if (!folder.has_frame(0)) {
    result.written_bytes = store(*rows, plan, folder, options, progress);
    result.written_frames = result.decoded_pictures = 1;
  }
  plan.manifest.complete = true;
  save_manifest(folder.path(), plan.manifest);
  result.manifest = plan.manifest;
  result.duration_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace tilewall
