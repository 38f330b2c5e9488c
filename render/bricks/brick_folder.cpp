#include "render/bricks/brick_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::render {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* state_name = ".tilewall/brick.json";
constexpr std::size_t max_state_bytes = std::size_t{64} << 20;
constexpr ValueRange nothing_yet = {std::numeric_limits<float>::infinity(),
                                    -std::numeric_limits<float>::infinity()};

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw JobError(folder.string() + ": cannot make the folder: " + error.message());
}

void remove_all_of(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw JobError(path.string() + ": cannot remove it: " + error.message());
}

/// Removes the temporary files that a killed process left in a folder.
void remove_temporary_files(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".tmp") fs::remove(it->path(), error);
}

Json json_of(const BrickMark& mark) {
  Json counts = Json::array();
  for (const BrickCount& count : mark.counts) counts.push_back({count.bricks, count.bytes});
  Json json = {{"timestep", mark.timestep}, {"slabs", mark.slabs}, {"counts", counts}};
  if (!mark.stored.empty()) json["stored"] = {mark.stored.min, mark.stored.max};
  return json;
}

BrickMark mark_of(const Json& json) {
  BrickMark mark;
  mark.timestep = json.at("timestep").get<int>();
  mark.slabs = json.at("slabs").get<int>();
  for (const Json& count : json.at("counts"))
    mark.counts.push_back({count.at(0).get<std::int64_t>(), count.at(1).get<std::uint64_t>()});
  mark.stored = nothing_yet;
  if (json.contains("stored"))
    mark.stored = {json.at("stored").at(0).get<float>(), json.at("stored").at(1).get<float>()};
  return mark;
}

Json read_state(const fs::path& file) {
  Json state = Json::parse(read_text_file(file, max_state_bytes), nullptr, false);
  if (!state.is_object() || !state.contains("identity") || !state.contains("mark"))
    throw InputError({file.string()}, "", "the progress of an earlier run", "something else");
  return state;
}

}  // namespace

BrickFolder::BrickFolder(fs::path folder, Json identity, std::size_t levels, bool time_axis,
                         bool overwrite)
    : folder_(std::move(folder)),
      identity_(std::move(identity)),
      levels_(levels),
      time_axis_(time_axis) {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
    throw InputError({folder_.string()}, "output", "a folder", "a file");
  made_ = fs::create_directories(folder_, error);
  if (error == std::errc::not_a_directory || error == std::errc::file_exists)
    throw InputError({folder_.string()}, "output", "a path whose parents are folders", "a file");
  if (error) throw JobError(folder_.string() + ": cannot make the folder: " + error.message());
  lock();
  look(overwrite);
}

void BrickFolder::lock() {
  lock_ = UniqueFd(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_.empty()) throw JobError(folder_.string() + ": open: " + std::strerror(errno));
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    throw InputError({folder_.string()}, "output", "a folder that no other run writes to",
                     "one that another run of this command writes to");
  if (::access(folder_.c_str(), W_OK | X_OK) != 0)
    throw JobError(folder_.string() + ": cannot write here: " + std::strerror(errno));
}

void BrickFolder::look(bool overwrite) {
  const fs::path state_file = folder_ / state_name;
  std::error_code error;
  if (!fs::exists(state_file, error)) {
    // ".tilewall" alone is left by a run that was killed before it wrote brick.json.
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      if (entry.path().filename() != ".tilewall")
        throw InputError({folder_.string()}, "output",
                         "a new or empty folder, or one that this command began",
                         "\"" + entry.path().filename().string() + "\" in it");
    return start_anew();
  }
  if (overwrite) return start_anew();
  const Json state = read_state(state_file);
  compare(state.at("identity"));
  try {
    mark_ = mark_of(state.at("mark"));
  } catch (const Json::exception&) {
    throw InputError({state_file.string()}, "mark", "the progress of an earlier run",
                     "something else");
  }
  if (mark_.counts.size() != levels_ || mark_.at_start()) return start_anew();
  complete_ = fs::exists(folder_ / ".zattrs", error);
  if (!complete_) remove_leftovers();
}

void BrickFolder::compare(const Json& there) const {
  for (const auto& [key, wanted] : identity_.items()) {
    const Json found = there.is_object() ? there.value(key, Json()) : Json();
    if (found != wanted)
      throw InputError({folder_.string()}, key,
                       found.dump().substr(0, 200) + " as it was begun (--overwrite starts anew)",
                       wanted.dump().substr(0, 200));
  }
}

void BrickFolder::start_anew() {
  // .zattrs is removed first, then the progress is reset, and bricks come last. So a run that is
  // killed here never leaves bricks of one volume that count as those of another.
  remove_all_of(folder_ / ".zattrs");
  make_folder(folder_ / ".tilewall");
  set_mark({0, 0, std::vector<BrickCount>(levels_), nothing_yet});
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
    if (entry.path().filename() != ".tilewall") old.push_back(entry.path());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / ".tilewall"))
    if (entry.path().filename() != "brick.json") old.push_back(entry.path());
  for (const fs::path& path : old) remove_all_of(path);
}

void BrickFolder::remove_leftovers() const {
  remove_temporary_files(folder_);
  remove_temporary_files(folder_ / ".tilewall");
  for (std::size_t level = 0; level < levels_; ++level) {
    std::error_code error;
    const fs::path slab = slab_folder(level, mark_.timestep, mark_.slabs >> level);
    for (fs::directory_iterator it(slab, error), end; !error && it != end; it.increment(error))
      remove_temporary_files(it->path());
  }
}

fs::path BrickFolder::slab_folder(std::size_t level, int timestep, int slab) const {
  fs::path folder = folder_ / fmt::format("{}", level);
  if (time_axis_) folder /= fmt::format("{}", timestep);
  return folder / fmt::format("{}", slab);
}

void BrickFolder::write_text(const std::string& name, const std::string& text) const {
  const fs::path file = folder_ / name;
  make_folder(file.parent_path());
  write_file_atomically(file, text);
}

void BrickFolder::make_slab_folders(std::size_t level, int timestep, int slab, int bricks_y) const {
  const fs::path folder = slab_folder(level, timestep, slab);
  for (int y = 0; y < bricks_y; ++y) make_folder(folder / fmt::format("{}", y));
}

void BrickFolder::write_brick(std::size_t level, int timestep, VolumeSize at,
                              std::span<const std::byte> packed) const {
  write_file_atomically(
      slab_folder(level, timestep, at.z) / fmt::format("{}/{}", at.y, at.x),
      std::string_view(reinterpret_cast<const char*>(packed.data()), packed.size()));
}

void BrickFolder::set_mark(BrickMark mark) {
  mark_ = std::move(mark);
  const Json state = {{"version", 1}, {"identity", identity_}, {"mark", json_of(mark_)}};
  write_file_atomically(folder_ / state_name, json_text(state, 1) + "\n");
}

void BrickFolder::discard_beginning() {
  if (!made_ || !mark_.at_start()) return;
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace tilewall::render
