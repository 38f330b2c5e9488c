#include "player/cli/play/default_wall.hpp"

#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"

namespace tilewall::cli {

namespace {

namespace fs = std::filesystem;

constexpr SizePx headless_screen_px{1280, 800};
constexpr const char* wall_variable = "TILEWALL_WALL";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// $XDG_CONFIG_HOME, else ~/.config; "" if HOME is not set.
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

wall::Wall default_wall(bool headless) {
  std::error_code error;
  if (const std::string named = environment(wall_variable); !named.empty()) {
    if (!fs::exists(named, error))
      throw InputError({wall_variable}, "", "a wall file",
                       "\"" + named + "\", which does not exist");
    return wall::load_wall(named);
  }
  for (const fs::path& file : default_wall_files())
    if (fs::exists(file, error)) return wall::load_wall(file);
  return small_wall(headless);
}

wall::Wall small_wall(bool headless) {
  if (headless) return wall::scaled_wall_5x3(headless_screen_px);
  const std::optional<RectPx> area = work_area_px();
  return area ? wall::scaled_wall_5x3(*area) : wall::scaled_wall_5x3(headless_screen_px);
}

namespace {

constexpr long max_items = 4L * 64;  // four numbers for each of 64 desktops

/// A property of the root window; empty if it has none. Xlib returns 32-bit items as longs.
std::vector<long> root_numbers(Display* display, const char* name) {
  const Atom property = XInternAtom(display, name, True);
  if (property == None) return {};
  Atom type = None;
  int format = 0;
  unsigned long items = 0;
  unsigned long bytes_left = 0;
  unsigned char* data = nullptr;
  const int status =
      XGetWindowProperty(display, DefaultRootWindow(display), property, 0, max_items, False,
                         XA_CARDINAL, &type, &format, &items, &bytes_left, &data);
  const std::unique_ptr<unsigned char, decltype(&::XFree)> owned(data, &::XFree);
  if (status != Success || type != XA_CARDINAL || format != 32) return {};
  const long* numbers = reinterpret_cast<const long*>(data);
  return {numbers, numbers + items};
}

}  // namespace

std::optional<RectPx> work_area_of(const std::vector<long>& areas,
                                   const std::vector<long>& desktops, SizePx screen) {
  const std::size_t first =
      desktops.size() == 1 && desktops[0] >= 0 ? static_cast<std::size_t>(desktops[0]) * 4 : 0;
  if (areas.size() < first + 4) return std::nullopt;
  const auto number = [&](std::size_t i) { return static_cast<int>(areas[first + i]); };
  const RectPx area = {number(0), number(1), number(2), number(3)};
  const bool inside = area.x >= 0 && area.y >= 0 && area.width > 0 && area.height > 0 &&
                      area.width <= screen.width - area.x && area.height <= screen.height - area.y;
  return inside ? std::optional(area) : std::nullopt;
}

std::optional<RectPx> work_area_px() {
  const std::unique_ptr<Display, decltype(&::XCloseDisplay)> display(::XOpenDisplay(nullptr),
                                                                     &::XCloseDisplay);
  if (!display) return std::nullopt;
  const int screen = DefaultScreen(display.get());
  const SizePx whole = {DisplayWidth(display.get(), screen), DisplayHeight(display.get(), screen)};
  return work_area_of(root_numbers(display.get(), "_NET_WORKAREA"),
                      root_numbers(display.get(), "_NET_CURRENT_DESKTOP"), whole)
      .value_or(RectPx{0, 0, whole.width, whole.height});
}

}  // namespace tilewall::cli
