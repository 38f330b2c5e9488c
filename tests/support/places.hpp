// Where tests find the project's programs and files: in the build and the sources, or, when the
// tests themselves were installed, in the installation (PREFIX/libexec/tilewall/tests).
#pragma once

#include <filesystem>
#include <string>

namespace tilewall::test {

/// PREFIX/libexec/tilewall; "" for tests that run from the build.
[[nodiscard]] inline std::filesystem::path installed_helpers() {
  const auto own = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const bool installed = own.filename() == "tests" && own.parent_path().filename() == "tilewall";
  return installed ? own.parent_path() : std::filesystem::path();
}

/// Where the project is built, for tests that run from the build: in that folder, or below it.
[[nodiscard]] inline std::filesystem::path build_folder() {
  auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  while (folder.has_relative_path() && !std::filesystem::exists(folder / "CMakeCache.txt"))
    folder = folder.parent_path();
  return folder;
}

/// A program of the project, such as "tilewall" or "tilewall-panel".
[[nodiscard]] inline std::string program_path(const std::string& name) {
  const std::filesystem::path helpers = installed_helpers();
  if (helpers.empty()) return (build_folder() / name).string();
  const std::filesystem::path helper = helpers / name;
  if (std::filesystem::exists(helper)) return helper.string();
  return (helpers.parent_path().parent_path() / "bin" / name).string();
}

/// A file of the sources that is installed too: of tests/data or wallconfigs.
[[nodiscard]] inline std::string source_path(const std::string& name) {
  const std::filesystem::path helpers = installed_helpers();
  if (helpers.empty()) return std::string(TILEWALL_SOURCE_DIR "/") + name;
  return (helpers.parent_path().parent_path() / "share" / "tilewall" / name).string();
}

/// A library that tests preload into programs; `built` is its file in the build.
[[nodiscard]] inline std::string preload_path(const std::filesystem::path& built) {
  const std::filesystem::path helpers = installed_helpers();
  return (helpers.empty() ? built : helpers / "tests" / built.filename()).string();
}

}  // namespace tilewall::test
