// The options of a volume, as typed and as meant; shared by `view` and `play`.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/scene/volume_look.hpp"
#include "render/readers/volume_info.hpp"

namespace tilewall::cli {

/// As typed; "" where it was not.
struct VolumeArguments {
  std::string transfer;   ///< --tf
  std::string camera;     ///< --camera
  std::string direction;  ///< --from: azimuth,elevation
  std::string lens;
  std::string fov;  ///< --fov: degrees, or "true"
  std::string step;
  std::string mode;
  bool lit = false;
  bool axes = false;
  bool bar = false;
  bool label = false;
  std::string iso;
  std::string range;
  std::string opacity;
  std::string clip;
  std::vector<std::string> planes;
  std::string background;
  std::string dataset;
  std::optional<int> component;
  std::optional<int> level;
  std::string stretch;
  std::string time;
};

/// What hosts give for a volume, as typed.
struct VolumeHostArguments {
  std::optional<int> memory_mib;
  std::string caster;
  [[nodiscard]] bool any() const { return memory_mib || !caster.empty(); }
};

void add_volume_options(CLI::App& command, VolumeArguments& arguments);
void add_volume_host_options(CLI::App& command, VolumeHostArguments& arguments);

/// Of them, those that say what of a file is read: --time, --dataset, --component, --level.
void add_volume_file_options(CLI::App& command, VolumeArguments& arguments);
[[nodiscard]] render::VolumeOptions volume_file_options(const VolumeArguments& arguments);

/// Of files that `view` takes as one series: those after the first, as VolumeOptions::more has
/// them. Throws InputError where they are not alike, or one has several timesteps.
[[nodiscard]] std::vector<std::string> later_files(const std::vector<std::string>& files,
                                                   const render::VolumeOptions& options);

/// What the files hold, as a source of scenes: opened in processes of their own. Several are one
/// series in the order given, a timestep each, alike in size, type and scale. What had to be
/// assumed is said on stderr. Throws InputError naming file and field. @pre not empty
[[nodiscard]] scene::SourceSpec open_volume(const std::vector<std::string>& files,
                                            const VolumeArguments& arguments,
                                            const VolumeHostArguments& host);

/// Where a volume's picture goes.
struct VolumeFrame {
  RectF canvas_px;
  /// The angle under which the wall's eye point sees the picture's height; empty where the wall's
  /// screens do not stand around one.
  std::optional<double> true_fov_rad;
};

/// Throws InputError naming the option or file.
[[nodiscard]] scene::VolumeLook look_option(const VolumeArguments& arguments,
                                            const scene::SourceSpec& volume,
                                            const VolumeFrame& frame);

}  // namespace tilewall::cli
