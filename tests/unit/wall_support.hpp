// What the tests of walls share: shipped walls, and walls written for one test.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>

#include "sync/base/file.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

inline const char* const shipped_walls[] = {"5x3.toml",      "5x2.toml",    "mini-5x3.toml",
                                            "mini-5x2.toml", "single.toml", "mixed.toml"};

inline std::filesystem::path shipped_wall_file(const std::string& name) {
  return std::filesystem::path(TILEWALL_SOURCE_DIR) / "wallconfigs" / name;
}

inline Wall shipped_wall(const std::string& name) { return load_wall(shipped_wall_file(name)); }

/// A folder that goes away with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("tilewall-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directory(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The wall of a file with these contents.
inline Wall wall_of(std::string_view toml) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "wall.toml", toml);
  return load_wall(folder / "wall.toml");
}

}  // namespace tilewall
