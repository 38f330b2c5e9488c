#include "player/cli/play/default_wall.hpp"

#include <cstdlib>
#include <sstream>
#include <string>

#include "player/cli/play/screen.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;

constexpr SizePx headless_screen_px{1280, 800};
constexpr const char* wall_variable = "TILEWALL_WALL";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// $XDG_CONFIG_HOME, else ~/.config; "" where there is no home.
fs::path user_configuration() {
  if (const std::string folder = environment("XDG_CONFIG_HOME"); !folder.empty()) return folder;
  const std::string home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".config";
}

std::vector<fs::path> system_configurations() {
  std::string listed = environment("XDG_CONFIG_DIRS");
  if (listed.empty()) listed = "/etc/xdg";
  std::vector<fs::path> folders;
  std::istringstream list(listed);
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  folders.emplace_back("/etc");
  return folders;
}

}  // namespace

std::vector<fs::path> default_wall_files() {
  std::vector<fs::path> folders;
  if (const fs::path own = user_configuration(); !own.empty()) folders.push_back(own);
  for (const fs::path& folder : system_configurations()) folders.push_back(folder);
  if (program_folder().filename() == "bin")
    folders.push_back(program_folder().parent_path() / "etc");
  for (fs::path& folder : folders) folder = folder / "tilewall" / "wall.toml";
  return folders;
}

Wall default_wall(bool headless) {
  std::error_code error;
  if (const std::string named = environment(wall_variable); !named.empty()) {
    if (!fs::exists(named, error))
      throw InputError({wall_variable}, "", "a wall file", "\"" + named + "\", which is not there");
    return load_wall(named);
  }
  for (const fs::path& file : default_wall_files())
    if (fs::exists(file, error)) return load_wall(file);
  return small_wall(headless);
}

Wall small_wall(bool headless) {
  if (headless) return scaled_wall_5x3(headless_screen_px);
  const std::optional<RectPx> area = work_area_px();
  return area ? scaled_wall_5x3(*area) : scaled_wall_5x3(headless_screen_px);
}

}  // namespace tilewall
