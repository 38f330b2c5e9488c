#include "player/movie/convert/import_plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <limits>

#include "player/movie/frames/block_layout.hpp"
#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/source/frame_timing.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {

namespace {

RectPx crop_of(const ImportOptions& options, SizePx displayed) {
  const RectPx whole{0, 0, displayed.width, displayed.height};
  if (!options.crop_px) return whole;
  const RectPx crop = *options.crop_px;
  if (crop.x < 0 || crop.y < 0 || crop.empty() || crop.width > displayed.width - crop.x ||
      crop.height > displayed.height - crop.y)
    throw InputError(
        {"--crop"}, "",
        fmt::format("a part of the picture, which is {}x{}", displayed.width, displayed.height),
        fmt::format("{},{},{},{}", crop.x, crop.y, crop.width, crop.height));
  return crop;
}

// Text of the options that change pixels or frame numbers, and have no key of their own in the
// manifest.
std::string canonical_options(const ImportOptions& options, const MovieInfo& info,
                              const RectPx& crop) {
  std::string text = fmt::format("crop={},{},{},{}", crop.x, crop.y, crop.width, crop.height);
  if (options.frames)
    text += fmt::format(" frames={}-{}", options.frames->first, options.frames->last);
  if (info.hdr()) text += options.hdr == HdrMode::map ? " hdr=map" : " hdr=clip";
  return text;
}

std::int64_t frames_to_store(const ImportOptions& options, const MovieInfo& info) {
  const std::int64_t in_source = std::max<std::int64_t>(1, info.frames);
  if (!options.frames) return in_source;
  return std::clamp<std::int64_t>(in_source - options.frames->first, 1,
                                  options.frames->last - options.frames->first + 1);
}

std::vector<std::filesystem::path> source_files(const ImportOptions& options) {
  if (auto images = resolve_images(options.inputs)) return std::move(images->files);
  return {options.inputs.front()};
}

}  // namespace

void check_import_options(const ImportOptions& options) {
  if (options.quality < 1 || options.quality > 100)
    throw InputError({"--quality"}, "", "a number from 1 to 100", std::to_string(options.quality));
  if (options.fps && (options.fps->num <= 0 || options.fps->value() > max_fps))
    throw InputError({"--fps"}, "", fmt::format("a rate over 0, at most {}", max_fps),
                     to_string(*options.fps));
  if (options.size_px &&
      (std::min(options.size_px->width, options.size_px->height) < 1 ||
       std::max(options.size_px->width, options.size_px->height) > max_movie_side_px))
    throw InputError({"--size"}, "", fmt::format("sides from 1 to {}", max_movie_side_px),
                     fmt::format("{}x{}", options.size_px->width, options.size_px->height));
  if (options.frames && (options.frames->first < 0 || options.frames->last < options.frames->first))
    throw InputError({"--frames"}, "", "A-B with 0 <= A <= B",
                     fmt::format("{}-{}", options.frames->first, options.frames->last));
}

StoredSource source_of(const ImportOptions& options) {
  return {options.inputs.front(), source_identity(source_files(options)), ""};
}

ImportPlan plan_import(const ImportOptions& options, const StoredSource& source,
                       const MovieInfo& info, Chroma chroma) {
  const RectPx crop = crop_of(options, info.size_px);
  ImportPlan plan;
  plan.name = source.name;
  plan.files = options.files;
  MovieManifest& movie = plan.manifest;
  movie.size_px = stored_size_px({crop.width, crop.height}, options.wall.canvas_px, options.fit,
                                 options.size_px);
  movie.fps = info.fps;
  movie.frames = frames_to_store(options, info);
  movie.compression = options.compression;
  movie.quality = options.quality;
  if (options.files != FrameFiles::movie) movie.compression = BlockCompression::deflate;
  movie.chroma = can_hold(movie.compression, chroma) ? chroma : Chroma::rgb;
  plan.panel_share_px = panel_share_px(movie.size_px, options.wall, options.fit);
  movie.block_px =
      choose_block_px(movie.size_px, panel_shares_px(movie.size_px, options.wall, options.fit));
  movie.levels = pyramid_levels(movie.size_px, movie.block_px);
  movie.order = fills_canvas(movie.size_px, options.wall, options.fit) ? BlockOrder::panels
                                                                       : BlockOrder::rows;
  movie.source = plan.name;
  movie.source_identity = source.identity;
  movie.import_options = canonical_options(options, info, crop) + source.options;
  plan.conversion = {info.size_px,
                     {static_cast<double>(crop.x), static_cast<double>(crop.y),
                      static_cast<double>(crop.width), static_cast<double>(crop.height)},
                     info.orientation,
                     movie.size_px,
                     movie.chroma,
                     options.hdr,
                     options.is_portable};
  plan.first_frame = options.frames ? options.frames->first : 0;
  plan.last_frame =
      options.frames ? options.frames->last : std::numeric_limits<std::int64_t>::max();
  return plan;
}

namespace {

constexpr std::size_t hashed_bytes = 65536;  // bytes hashed at each end of a file

std::uint64_t hash_range(int fd, std::int64_t offset) {
  std::vector<char> bytes(hashed_bytes);
  const ssize_t got = retry_eintr([&] { return ::pread(fd, bytes.data(), bytes.size(), offset); });
  return XXH3_64bits(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
}

std::string identity_of(const std::filesystem::path& file) {
  const UniqueFd fd = open_for_reading(file);
  struct stat status = {};
  check_sys(::fstat(fd.get(), &status), "fstat");
  const std::int64_t tail =
      std::max<std::int64_t>(0, std::int64_t{status.st_size} - std::int64_t{hashed_bytes});
  return fmt::format("{}-{}.{:09}-{:016x}{:016x}", std::int64_t{status.st_size},
                     std::int64_t{status.st_mtim.tv_sec}, std::int64_t{status.st_mtim.tv_nsec},
                     hash_range(fd.get(), 0), hash_range(fd.get(), tail));
}

}  // namespace

std::string source_identity(const std::vector<std::filesystem::path>& files) {
  if (files.size() == 1) return identity_of(files.front());
  std::string all;
  for (const std::filesystem::path& file : files)
    all += file.empty() ? std::string("gap\n")
                        : file.filename().string() + " " + identity_of(file) + "\n";
  return fmt::format("{}-files-{:016x}", files.size(), XXH3_64bits(all.data(), all.size()));
}

}  // namespace tilewall::movie
