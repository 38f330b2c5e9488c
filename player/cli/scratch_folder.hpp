// A new folder for what a benchmark writes, removed with all that is in it.
#pragma once

#include <filesystem>

namespace tilewall {

class ScratchFolder {
 public:
  /// Throws JobError when `parent` cannot be written to.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewall
