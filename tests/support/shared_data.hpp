// Files of other people that tests read where they are there: $TILEWALL_DATA, or the folder beside
// this project.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

namespace tilewall::test {

/// A file or folder of theirs; empty, after a warning that says which, where it is not there.
[[nodiscard]] inline std::filesystem::path shared_data(const std::filesystem::path& part) {
  const char* const set = std::getenv("TILEWALL_DATA");
  const std::filesystem::path data = set != nullptr ? set : TILEWALL_SOURCE_DIR "/../shared/data";
  if (std::filesystem::exists(data / part)) return data / part;
  WARN("skipped: no " << (data / part).string() << " (set TILEWALL_DATA)");
  return {};
}

}  // namespace tilewall::test
