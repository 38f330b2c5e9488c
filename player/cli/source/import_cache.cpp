#include "player/cli/source/import_cache.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <exception>

#include "player/command/confined_import.hpp"
#include "player/command/progress.hpp"
#include "player/movie/cache/movie_cache.hpp"
#include "player/movie/codecs/image_rows.hpp"
#include "player/movie/convert/import_job.hpp"
#include "player/movie/frames/image_file.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/source/image_file.hpp"
#include "player/movie/source/movie_file.hpp"
#include "sync/base/confined_call.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;

bool panels_read(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view known[] = {".jpg", ".jpeg", ".png", ".tif", ".tiff"};
  return file.empty() || std::find(std::begin(known), std::end(known), ending) != std::end(known);
}

bool is_large(const fs::path& file) {
  try {
    const auto rows = movie::open_image_rows(file);
    if (!rows) return false;
    return std::int64_t{rows->size_px().width} * rows->size_px().height > max_direct_image_px;
  } catch (const InputError&) {
    return false;  // opening it for the show will report the error, or succeed
  }
}

/// Whether panels and import would make the same picture of an image. Panels do not rotate images.
bool looks_alike_everywhere(const fs::path& file) {
  try {
    if (!movie::frame_orientation(*movie::decode_image_file(file)).upright()) return false;
    const UniqueFd fd = open_for_reading(file);
    movie::ImageDecoder decoder;
    return movie::decodes_whole(decoder, fd.get(),
                                movie::checked_info(decoder.read_header(fd.get()), file), 0);
  } catch (const InputError&) {
    return false;
  }
}

/// The name of a cache entry. It depends on everything that shapes the imported pixels, so another
/// wall has another entry.
std::string cache_key(const std::vector<std::string>& inputs, const movie::WallTarget& target,
                      movie::HdrMode hdr) {
  std::string text;
  for (const std::string& input : inputs) text += fs::absolute(input).string() + "\n";
  text += fmt::format("{}x{} {}x{} {}x{}", target.canvas_px.width, target.canvas_px.height,
                      target.abutting_px.width, target.abutting_px.height, target.panel_px.width,
                      target.panel_px.height);
  if (hdr == movie::HdrMode::clip) text += " clip";
  return fmt::format("{}-{:016x}", fs::path(inputs.front()).stem().string().substr(0, 60),
                     XXH3_64bits(text.data(), text.size()));
}

/// Returns whether frames were written.
bool import_confined(const movie::ImportOptions& options) {
  return command::import_confined(
             options,
             [] { return std::make_unique<command::ProgressLine>("import into the cache"); },
             [](const movie::ImportResult& result) {
               return std::string(result.written_frames > 0 ? "yes" : "no");
             }) == "yes";
}

/// Cleans the cache to its limit. Errors are only printed, because the show can play anyway.
void keep_to_limit(const fs::path& cache) {
  constexpr double gib = 1 << 30;
  try {
    const std::uint64_t limit = movie::cache_limit_bytes(cache);
    const movie::CacheCleaning cleaning = movie::clean_cache(cache, limit);
    for (const movie::CacheEntry& entry : cleaning.removed)
      print_line(stderr, "tilewall: {}: removed, {:.2f} GiB, as the cache is over its limit",
                 entry.path.string(), static_cast<double>(entry.bytes) / gib);
    if (cleaning.left_bytes > limit)
      print_line(stderr, "tilewall: {}: {:.2f} GiB, over its limit of {:.2f}, as all is in use",
                 cache.string(), static_cast<double>(cleaning.left_bytes) / gib,
                 static_cast<double>(limit) / gib);
  } catch (const std::exception& error) {
    print_line(stderr, "tilewall: {}", error.what());
  }
}

}  // namespace

bool images_need_cache(const movie::ImageSequence& images) {
  if (!std::all_of(images.files.begin(), images.files.end(), panels_read)) return true;
  const fs::path& first = images.files.front();
  return confined_call(movie::sandbox_to_read({first.string()}), [&](const std::stop_token&) {
           return std::string(is_large(first) || !looks_alike_everywhere(first) ? "yes" : "no");
         }) == "yes";
}

fs::path import_into_cache(const std::vector<std::string>& inputs, const movie::WallTarget& target,
                           movie::HdrMode hdr, const std::stop_token& stop,
                           movie::CacheUses& uses) {
  movie::ImportOptions options;
  options.inputs = inputs;
  options.wall = target;
  options.hdr = hdr;
  options.stop = stop;
  options.output = movie::cache_folder() / cache_key(inputs, target, hdr);
  std::error_code error;
  fs::create_directories(options.output.parent_path(), error);
  uses.add_if_cached(options.output);
  bool is_written = false;
  try {
    is_written = import_confined(options);
  } catch (const InputError&) {
    if (!scene::is_wall_movie(options.output)) throw;
    options.overwrite = true;  // the source has changed since its import
    is_written = import_confined(options);
  }
  if (is_written) keep_to_limit(options.output.parent_path());
  return options.output;
}

}  // namespace tilewall::cli
