// A new folder that is removed again with all it holds.
#pragma once

#include <filesystem>

namespace tilewall {

class ScratchFolder {
 public:
  /// In `parent`; "" = the system's temporary folder. Throws JobError.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewall
