// Folders in which jobs of this user write now, such as renderings and imports of movies, for other
// processes that tell how far these are. A job leaves a note in the user's folder for run
// directories, which counts as long as the job holds its lock.
//
// Threads: none is started; each object has one owner.
#pragma once

#include <filesystem>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall {

/// The note about one folder. A job goes on without it where it cannot be written.
class BusyFolder {
 public:
  explicit BusyFolder(const std::filesystem::path& folder);
  ~BusyFolder();
  BusyFolder(const BusyFolder&) = delete;
  BusyFolder& operator=(const BusyFolder&) = delete;

 private:
  std::filesystem::path note_;
  UniqueFd lock_;  // of the note; empty: there is none
};

/// The absolute paths of all folders with such a note, sorted. Removes notes
/// that killed jobs have left.
[[nodiscard]] std::vector<std::filesystem::path> busy_folders();

}  // namespace tilewall
