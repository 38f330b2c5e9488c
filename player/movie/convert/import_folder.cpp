#include "player/movie/convert/import_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::movie {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view frame_prefix = "frame-";
constexpr std::string_view frame_suffix = ".tif";
constexpr std::string_view temporary_suffix = ".tmp";

std::optional<std::int64_t> frame_number(std::string_view name) {
  if (!name.starts_with(frame_prefix) || !name.ends_with(frame_suffix)) return std::nullopt;
  name.remove_prefix(frame_prefix.size());
  name.remove_suffix(frame_suffix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number < 0 ||
      number >= max_frames)
    return std::nullopt;
  return number;
}

// Whether the name is that of a file that a killed import may have left, such as
// "frame-000001.tif.123.tmp", "movie.toml.123.tmp" or "audio.mka.123.tmp".
bool is_leftover(std::string_view name) {
  return name.ends_with(temporary_suffix) &&
         (name.starts_with(frame_prefix) || name.starts_with("movie.toml.") ||
          name.starts_with("audio."));
}

bool is_ours(std::string_view name) {
  return name == scene::manifest_name || frame_number(name) || is_leftover(name) ||
         name == "audio.mka";
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    files.push_back(entry.path());
  return files;
}

void expect_same(const fs::path& folder, std::string_view field, std::string_view there,
                 std::string_view wanted) {
  if (there != wanted)
    throw InputError({(folder / scene::manifest_name).string()}, field,
                     fmt::format("\"{}\" as the import began (--overwrite starts anew)", there),
                     fmt::format("\"{}\"", wanted));
}

std::string text_of(SizePx size) { return fmt::format("{}x{}", size.width, size.height); }

}  // namespace

ImportFolder::ImportFolder(fs::path folder, const MovieManifest& wanted, bool overwrite)
    : folder_(std::move(folder)) {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
    throw InputError({folder_.string()}, "output", "a folder", "a file");
  made_ = fs::create_directories(folder_, error);
  if (error) throw JobError(folder_.string() + ": cannot make the folder: " + error.message());
  lock();
  const bool movie_there = scene::is_wall_movie(folder_);
  look_at_files(movie_there);
  if (!movie_there) return;
  if (overwrite) {
    remove_movie();
    return;
  }
  existing_ = load_manifest(folder_);
  compare(wanted);
  complete_ = existing_.complete && frames_there_ >= existing_.frames;
}

ImportFolder::~ImportFolder() {
  std::error_code ignored;
  if (made_) fs::remove(folder_, ignored);  // only when it is empty
}

void ImportFolder::lock() {
  lock_ = UniqueFd(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_.empty()) throw JobError(folder_.string() + ": open: " + std::strerror(errno));
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    throw InputError({folder_.string()}, "output", "a folder that no other import writes to",
                     "one that is locked by a running import");
  if (::access(folder_.c_str(), W_OK | X_OK) != 0)
    throw JobError(folder_.string() + ": cannot write here: " + std::strerror(errno));
}

void ImportFolder::look_at_files(bool movie_there) {
  const std::vector<fs::path> files = files_of(folder_);
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (!is_ours(name) || (!movie_there && !is_leftover(name)))
      throw InputError({folder_.string()}, "output",
                       "a new or empty folder, or a wall movie to go on with",
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
  expect_same(folder_, "source_identity", there.source_identity, wanted.source_identity);
  expect_same(folder_, "size_px", text_of(there.size_px), text_of(wanted.size_px));
  expect_same(folder_, "fps", to_string(there.fps), to_string(wanted.fps));
  expect_same(folder_, "import_options", there.import_options, wanted.import_options);
  expect_same(folder_, "compression", to_string(there.compression), to_string(wanted.compression));
  expect_same(folder_, "quality", std::to_string(there.quality), std::to_string(wanted.quality));
  expect_same(folder_, "chroma", to_string(there.chroma), to_string(wanted.chroma));
  expect_same(folder_, "block_px", text_of(there.block_px), text_of(wanted.block_px));
  expect_same(folder_, "levels", std::to_string(there.levels), std::to_string(wanted.levels));
  expect_same(folder_, "order", there.order == BlockOrder::rows ? "rows" : "panels",
              wanted.order == BlockOrder::rows ? "rows" : "panels");
}

void ImportFolder::remove_movie() {
  // The manifest is removed last. Until then the folder counts as a wall movie, so that a killed
  // removal can be repeated.
  for (const fs::path& file : files_of(folder_))
    if (is_ours(file.filename().string()) && file.filename() != scene::manifest_name)
      fs::remove(file);
  fs::remove(folder_ / scene::manifest_name);
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
