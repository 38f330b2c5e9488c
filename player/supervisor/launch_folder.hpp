// A folder for what launchers of a short job leave: requests, answers, logs, mpirun's own files.
#pragma once

#include <filesystem>
#include <string>

namespace tilewall::supervisor {

/// Below the folder for temporary files; goes at the end. Making one also removes those of
/// processes that were killed. Threads: one owner.
class LaunchFolder {
 public:
  /// `job` becomes a part of its name. Throws JobError.
  explicit LaunchFolder(const std::string& job);
  ~LaunchFolder();
  LaunchFolder(const LaunchFolder&) = delete;
  LaunchFolder& operator=(const LaunchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewall::supervisor
