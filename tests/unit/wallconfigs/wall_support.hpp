// What the tests of walls share: shipped walls, and walls written for one test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sync/base/file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

inline const char* const shipped_walls[] = {"5x3.toml",      "5x2.toml",    "mini-5x3.toml",
                                            "mini-5x2.toml", "single.toml", "mixed.toml",
                                            "blend-2x2.toml"};

inline std::filesystem::path shipped_wall_file(const std::string& name) {
  return test::source_path("wallconfigs/" + name);
}

inline wall::Wall shipped_wall(const std::string& name) {
  return wall::load_wall(shipped_wall_file(name));
}

using test::TemporaryFolder;

/// The wall of a file with these contents.
inline wall::Wall wall_of(std::string_view toml) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "wall.toml", toml);
  return wall::load_wall(folder / "wall.toml");
}

}  // namespace tilewall
