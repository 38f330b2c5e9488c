// The options of a volume and their parsing, for `view`, `play` and `brick`.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/scene/volume_look.hpp"
#include "player/volume/volume_job.hpp"
#include "render/readers/volume_info.hpp"

namespace tilewall::cli {

/// The options of a volume as typed; "" = not given.
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
  bool box = false;
  bool ruler = false;
  std::string annotate;
  std::string title;
  std::string date;
  std::string letters;
  std::string iso;
  std::string range;
  std::string scale;
  std::string low;
  std::string opacity;
  std::string clip;
  std::vector<std::string> planes;
  std::string background;
  std::string dataset;
  std::optional<int> component;
  std::optional<int> level;
  std::vector<std::string> fixed;  ///< --axis: NAME=INDEX
  std::string levels;
  std::string stretch;
  std::string up;
  std::string time;
  /// Whether any of the options of the camera is given.
  [[nodiscard]] bool moves_camera() const { return !(camera + direction + lens + fov).empty(); }

  std::string look;  ///< camera and style as JSON, which the options above change; no option
};

/// The options about the resources of hosts for a volume, as typed.
struct VolumeHostArguments {
  std::optional<int> memory_mib;
  std::string caster;
  [[nodiscard]] bool any() const { return memory_mib || !caster.empty(); }
};

void add_volume_options(CLI::App& command, VolumeArguments& arguments);
/// Adds only the options of the style: how the volume is drawn, and what is written over it.
void add_volume_style_options(CLI::App& command, VolumeArguments& arguments);
void add_volume_host_options(CLI::App& command, VolumeHostArguments& arguments);

/// Adds only the options about the part of a file that is read, beside its timesteps: --dataset,
/// --component, --level, --axis, --levels.
void add_volume_part_options(CLI::App& command, VolumeArguments& arguments);
/// The same and --time.
void add_volume_file_options(CLI::App& command, VolumeArguments& arguments);
/// The part of a file that these options name. Throws InputError naming the option.
[[nodiscard]] render::VolumeOptions volume_file_options(const VolumeArguments& arguments);

/// A job with the limits of these options. Throws InputError naming the option.
[[nodiscard]] volume::VolumeJob host_job(const VolumeHostArguments& host);

/// The files of a series after the first, for VolumeOptions::more. Throws InputError if the files
/// differ in size, type or scale, if one has several timesteps, or if one is on a server.
[[nodiscard]] std::vector<std::string> later_files(const std::vector<std::string>& files,
                                                   const render::VolumeOptions& options);

/// Opens files as the source of a scene, in reader processes. Several files are one series in the
/// order given, a timestep each, equal in size, type and scale. Prints the reader's assumptions to
/// stderr. Throws InputError naming file and field. @pre `files` is not empty.
[[nodiscard]] scene::SourceSpec open_volume(const std::vector<std::string>& files,
                                            const VolumeArguments& arguments,
                                            const VolumeHostArguments& host);

/// The place of a volume's picture.
struct VolumeFrame {
  RectF canvas_px;
  /// The angle under which the wall's eye point sees the picture's height; empty if the screens do
  /// not stand around an eye point.
  std::optional<double> true_fov_rad;
};

/// The camera and style that the options give, at rest. Throws InputError naming the option or
/// file.
[[nodiscard]] scene::VolumeLook look_option(const VolumeArguments& arguments,
                                            const scene::SourceSpec& volume,
                                            const VolumeFrame& frame);

}  // namespace tilewall::cli
