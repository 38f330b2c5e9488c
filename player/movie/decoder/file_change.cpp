#include "player/movie/decoder/file_change.hpp"

#include <chrono>
#include <utility>

namespace tilewall::movie {
namespace {

constexpr std::chrono::seconds look_interval{1};

}  // namespace

FileChange::FileChange(std::string file) : file_(std::move(file)), known_(look()), last_(known_) {}

std::optional<FileChange::Identity> FileChange::look() const {
  struct stat status = {};
  if (::stat(file_.c_str(), &status) != 0) return std::nullopt;
  const timespec& modified = status.st_mtim;
  return Identity{status.st_dev, status.st_ino, status.st_size,
                  std::chrono::seconds(modified.tv_sec) + Nanos(modified.tv_nsec)};
}

bool FileChange::changed(LocalInstant now) {
  if (now < next_look_) return false;
  next_look_ = now + look_interval;
  const std::optional<Identity> found = look();
  const bool is_stable = std::exchange(last_, found) == found;
  if (!found || !is_stable || found == known_) return false;
  known_ = found;
  return true;
}

}  // namespace tilewall::movie
