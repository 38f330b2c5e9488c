#include "player/movie/convert/import_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "player/movie/convert/transfer_status.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view frame_prefix = "frame-";
constexpr std::string_view frame_suffixes[] = {".tif", ".png", ".exr"};  // by FrameFiles
constexpr std::string_view manifest_names[] = {scene::manifest_name, "pictures.toml",
                                               "pictures.toml"};
constexpr std::string_view temporary_suffix = ".tmp";

bool is_status(std::string_view name) {
  return name == status_file_name || name == status_picture_name;
}

// Whether the name is that of a file that a killed import may have left, such as
// "frame-000001.tif.123.tmp", "movie.toml.123.tmp" or "status.json".
bool is_leftover(std::string_view name) {
  return is_status(name) ||
         (name.ends_with(temporary_suffix) &&
          (name.starts_with(frame_prefix) || name.starts_with("movie.toml.") ||
           name.starts_with("pictures.toml.") || name.starts_with("audio.") ||
           name.starts_with(status_file_name) || name.starts_with(status_picture_name)));
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    files.push_back(entry.path());
  return files;
}

void expect_same(const fs::path& manifest, std::string_view field, std::string_view there,
                 std::string_view wanted) {
  if (there != wanted)
    throw InputError({manifest.string()}, field,
                     fmt::format("\"{}\" as the import began (--overwrite starts anew)", there),
                     fmt::format("\"{}\"", wanted));
}

std::string text_of(SizePx size) { return fmt::format("{}x{}", size.width, size.height); }

}  // namespace

std::optional<std::int64_t> frame_number_in(std::string_view name, std::string_view suffix) {
  if (!name.starts_with(frame_prefix) || !name.ends_with(suffix)) return std::nullopt;
  name.remove_prefix(frame_prefix.size());
  name.remove_suffix(suffix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number < 0 ||
      number >= max_frames)
    return std::nullopt;
  return number;
}

UniqueFd lock_output_folder(const fs::path& folder) {
  UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.empty()) throw JobError(folder.string() + ": open: " + std::strerror(errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    throw InputError({folder.string()}, "output",
                     "a folder that no other import or rendering writes to",
                     "one that is locked by a running import or rendering");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw JobError(folder.string() + ": cannot write here: " + std::strerror(errno));
  return lock;
}

fs::path manifest_file_of(const fs::path& folder, FrameFiles files) {
  return folder / manifest_names[static_cast<std::size_t>(files)];
}

std::string frame_file_name(std::int64_t frame, FrameFiles files) {
  return fmt::format("frame-{:06}{}", frame, frame_suffixes[static_cast<std::size_t>(files)]);
}

ImportFolder::ImportFolder(fs::path folder, FrameFiles files, const MovieManifest& wanted,
                           bool overwrite)
    : folder_(std::move(folder)), files_(files) {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
    throw InputError({folder_.string()}, "output", "a folder", "a file");
  made_ = fs::create_directories(folder_, error);
  if (error) throw JobError(folder_.string() + ": cannot make the folder: " + error.message());
  lock_ = lock_output_folder(folder_);
  const bool movie_there = fs::is_regular_file(manifest_file(), error);
  look_at_files(movie_there);
  if (!movie_there) return;
  if (overwrite) {
    remove_movie();
    return;
  }
  existing_ = load_manifest_file(manifest_file());
  compare(wanted);
  complete_ = existing_.complete && frames_there_ >= existing_.frames;
}

fs::path ImportFolder::frame_file(std::int64_t frame) const {
  return folder_ / frame_file_name(frame, files_);
}

void ImportFolder::save(const MovieManifest& manifest) const {
  save_manifest_file(manifest_file(), manifest);
}

void ImportFolder::remove_manifest() const {
  std::error_code ignored;
  fs::remove(manifest_file(), ignored);
}

std::optional<std::int64_t> ImportFolder::frame_number(std::string_view name) const {
  return frame_number_in(name, frame_suffixes[static_cast<std::size_t>(files_)]);
}

bool ImportFolder::is_ours(std::string_view name) const {
  return name == manifest_file().filename().string() || frame_number(name) || is_leftover(name) ||
         name == "audio.mka";
}

ImportFolder::~ImportFolder() {
  std::error_code ignored;
  if (made_) fs::remove(folder_, ignored);  // only when it is empty
}

void ImportFolder::look_at_files(bool movie_there) {
  const std::vector<fs::path> files = files_of(folder_);
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    // A status without a manifest is not that of a movie.
    if (!is_ours(name) || (!movie_there && (!is_leftover(name) || is_status(name))))
      throw InputError({folder_.string()}, "output",
                       files_ == FrameFiles::movie
                           ? "a new or empty folder, or a wall movie to go on with"
                           : "a new or empty folder, or images to go on with",
                       "\"" + name + "\" in it");
  }
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (is_leftover(name)) fs::remove(file);
    if (const auto number = frame_number(name)) mark_present(*number);
  }
}

void ImportFolder::remove_leftovers() const {
  for (const fs::path& file : files_of(folder_))
    if (is_leftover(file.filename().string())) fs::remove(file);
}

void ImportFolder::mark_present(std::int64_t frame) {
  const auto at = static_cast<std::size_t>(frame);
  if (present_.size() <= at) present_.resize(at + 1);
  if (!present_[at]) ++frames_there_;
  present_[at] = true;
}

void ImportFolder::compare(const MovieManifest& wanted) const {
  const MovieManifest& there = existing_;
  expect_same(manifest_file(), "source_identity", there.source_identity, wanted.source_identity);
  expect_same(manifest_file(), "size_px", text_of(there.size_px), text_of(wanted.size_px));
  expect_same(manifest_file(), "fps", to_string(there.fps), to_string(wanted.fps));
  expect_same(manifest_file(), "import_options", there.import_options, wanted.import_options);
  expect_same(manifest_file(), "compression", to_string(there.compression),
              to_string(wanted.compression));
  expect_same(manifest_file(), "quality", std::to_string(there.quality),
              std::to_string(wanted.quality));
  expect_same(manifest_file(), "chroma", to_string(there.chroma), to_string(wanted.chroma));
  expect_same(manifest_file(), "block_px", text_of(there.block_px), text_of(wanted.block_px));
  expect_same(manifest_file(), "levels", std::to_string(there.levels),
              std::to_string(wanted.levels));
  expect_same(manifest_file(), "order", there.order == BlockOrder::rows ? "rows" : "panels",
              wanted.order == BlockOrder::rows ? "rows" : "panels");
}

void ImportFolder::remove_movie() {
  // The manifest is removed last. Until then the folder counts as a wall movie, so that a killed
  // removal can be repeated.
  for (const fs::path& file : files_of(folder_))
    if (is_ours(file.filename().string()) && file.filename() != manifest_file().filename())
      fs::remove(file);
  fs::remove(manifest_file());
  present_.clear();
  frames_there_ = 0;
}

bool ImportFolder::has_frame(std::int64_t frame) const noexcept {
  return frame >= 0 && static_cast<std::size_t>(frame) < present_.size() &&
         present_[static_cast<std::size_t>(frame)];
}

void require_space(const std::filesystem::path& folder, double frame_bytes, std::int64_t frames) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error || frames <= 0) return;
  const double needed = frame_bytes * static_cast<double>(frames);
  if (needed > static_cast<double>(space.available))
    throw JobError(fmt::format("{}: not enough space: {} more frames need about {}, {} are free",
                               folder.string(), frames, bytes_text(needed),
                               bytes_text(static_cast<double>(space.available))));
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

}  // namespace tilewall::movie
