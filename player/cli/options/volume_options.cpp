#include "player/cli/options/volume_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "net/slab/remote_url.hpp"
#include "player/cli/options/option_values.hpp"
#include "player/cli/options/volume_fields.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/remote/open_voxels.hpp"
#include "player/volume/volume_levels.hpp"
#include "render/bricks/volume_inputs.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

constexpr Rational timestep_fps{10, 1};
constexpr int default_memory_share = 4;  // a quarter of the host's memory
constexpr std::size_t most_named_bytes = volume::max_caster_request_bytes - 1024;
// Share of a box's longest side below which a side is short.
constexpr double flattest = 1.0 / 16;

/// The option that thickens a box with a very short side, which looks like a needle or a sheet of
/// paper; empty for other boxes.
std::string thicker(const render::VolumeInfo& info) {
  const Vec3d spacing = info.place.spacing;
  const double sides[] = {spacing.x * info.size.x, spacing.y * info.size.y,
                          spacing.z * info.size.z};
  const int voxels[] = {info.size.x, info.size.y, info.size.z};
  const double longest = *std::max_element(std::begin(sides), std::end(sides));
  std::string factors;
  bool is_flat = false;
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_short = voxels[i] > 1 && sides[i] < flattest * longest;
    factors += fmt::format("{}{:.3g}", i == 0 ? "" : ",", is_short ? longest / 4 / sides[i] : 1.0);
    is_flat |= is_short;
  }
  return is_flat ? "--stretch " + factors : "";
}

Vec3d stretch_option(const std::string& text, const std::string& volume,
                     const render::VolumeInfo& info) {
  if (!text.empty()) {
    const auto by = option_numbers("--stretch", text, 3, "X,Y,Z, factors above 0");
    if (!std::all_of(by.begin(), by.end(), [](double v) { return v > 0; }))
      refuse_option("--stretch", "factors above 0", text);
    return {by[0], by[1], by[2]};
  }
  if (const std::string option = thicker(info); !option.empty())
    print_line(stderr, "tilewall: {}: a flat box, drawn as it is ({} thickens it)", volume, option);
  return {1, 1, 1};
}

Vec3d up_option(const std::string& text) {
  if (text.empty()) return {0, 0, 1};
  const auto up = option_numbers("--up", text, 3, "X,Y,Z, a direction");
  if (!(std::hypot(up[0], up[1], up[2]) > 0)) refuse_option("--up", "a direction X,Y,Z", text);
  return {up[0], up[1], up[2]};
}

/// The axes of `--axis NAME=INDEX`.
std::map<std::string, int> fixed_option(const std::vector<std::string>& texts) {
  std::map<std::string, int> fixed;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    int index = -1;
    const char* const end = text.data() + text.size();
    if (equals == std::string::npos || name.empty() || name.size() > render::longest_axis_name ||
        std::from_chars(text.data() + equals + 1, end, index).ptr != end || index < 0)
      refuse_option("--axis", "NAME=INDEX, an axis of the file and a whole number from 0", text);
    fixed[name] = index;
  }
  if (fixed.size() > render::most_fixed_axes)
    refuse_option("--axis", fmt::format("at most {} axes", render::most_fixed_axes),
                  fmt::format("{}", fixed.size()));
  return fixed;
}

/// The volume's box, from the centres of the first voxels to those of the last. An axis of one
/// voxel is as thick as the voxel, half of it on each side.
render::WorldBox box_of(const render::VolumeInfo& info, Vec3d stretch) {
  const double spacing[3] = {info.place.spacing.x * stretch.x, info.place.spacing.y * stretch.y,
                             info.place.spacing.z * stretch.z};
  const int voxels[3] = {info.size.x, info.size.y, info.size.z};
  render::WorldBox box;
  box.centre = info.place.origin;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.half[axis] = ((voxels[axis] - 1) * spacing[axis] / 2) * info.place.axes[axis];
    box.centre = box.centre + box.half[axis];
  }
  // A volume of one layer is a sheet, which whole_volume() knows by its box without a thickness.
  // Where fewer sides are longer than a voxel, there is no plane to face.
  const auto layers = std::ranges::count(voxels, 1);
  for (std::size_t axis = 0; layers > 1 && axis < 3; ++axis)
    if (voxels[axis] == 1) box.half[axis] = spacing[axis] / 2 * info.place.axes[axis];
  return box;
}

std::size_t host_memory_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t memory_option(const VolumeHostArguments& arguments) {
  if (!arguments.memory_mib) return host_memory_bytes() / default_memory_share;
  if (*arguments.memory_mib < 1)
    refuse_option("--memory", "MiB, 1 or more", std::to_string(*arguments.memory_mib));
  return static_cast<std::size_t>(*arguments.memory_mib) << 20;
}

volume::CasterChoice caster_option(const std::string& name) {
  if (name.empty()) return volume::CasterChoice::automatic;
  return static_cast<volume::CasterChoice>(
      option_word_index("--caster", name, volume::wall_caster_names));
}

void tell_reduction(const std::string& volume, const render::VolumeInfo& info,
                    const volume::VolumeJob& job) {
  const auto levels = volume::volume_levels(info, job.stretch);
  const volume::MemoryPlan plan =
      volume::plan_memory(levels, info.type, info.timesteps(), job.memory_bytes);
  if (plan.overview == 0) return;
  const render::VolumeSize shown = levels[static_cast<std::size_t>(plan.overview)].size;
  print_line(stderr,
             "tilewall: {}: {} x {} x {} voxels do not fit into {} MiB (--memory): the whole is "
             "shown by {} x {} x {}, and still pictures as finely as fits",
             volume, info.size.x, info.size.y, info.size.z, job.memory_bytes >> 20, shown.x,
             shown.y, shown.z);
}

/// Whether low values mean as much as high ones, as in temperatures. Files of densities and of
/// scans mark no missing values; their background is low.
bool is_field(const render::VolumeInfo& info) {
  return info.fill_value.has_value() || info.format.starts_with("NetCDF");
}

void tell_low_values(const std::string& volume, const render::VolumeInfo& info) {
  if (!is_field(info)) return;
  fmt::print(
      stderr,
      "tilewall: {}: a field ({}): all values are shown (--low off hides the lowest tenth)\n",
      volume, info.fill_value ? "it has a fill value" : info.format);
}

/// The absolute path of a file. "" stays "", so that opening it is refused.
std::string absolute_name(const std::string& file) {
  return file.empty() ? file : std::filesystem::absolute(file).string();
}

/// The line of an error about a message, without "message" at its beginning, so that the camera's
/// file can be named instead.
std::string as_of_file(const std::string& line) {
  return line.substr(std::min(line.find(':'), line.size()));
}

double fov_option(const std::string& fov, std::optional<double> true_fov_rad) {
  if (fov != "true") return option_number_within("--fov", fov, 0.1, 179) * std::numbers::pi / 180;
  if (!true_fov_rad)
    refuse_option(
        "--fov",
        "degrees; true needs a wall whose screens stand around its eye point, and --content "
        "arc_length",
        fov);
  return *true_fov_rad;
}

std::string camera_field_list() {
  std::string names;
  for (const CameraField& field : camera_fields())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", field.name);
  return names;
}

render::VolumeCamera camera_option(const VolumeArguments& arguments,
                                   const scene::SourceSpec& volume, const VolumeFrame& frame) {
  const double aspect = frame.canvas_px.width / frame.canvas_px.height;
  render::VolumeCamera camera = scene::whole_volume(volume, frame.canvas_px);
  if (!arguments.direction.empty()) {
    const auto angles =
        option_numbers("--from", arguments.direction, 2, "AZIMUTH,ELEVATION in degrees");
    constexpr double radians = std::numbers::pi / 180;
    camera =
        render::camera_at(volume.box, angles[0] * radians, angles[1] * radians, aspect, volume.up);
  }
  if (!arguments.lens.empty())
    camera.lens =
        static_cast<render::Lens>(option_word_index("--lens", arguments.lens, scene::lens_names));
  if (!arguments.fov.empty()) {
    if (arguments.lens.empty()) camera.lens = render::Lens::perspective;
    camera.fov_rad = fov_option(arguments.fov, frame.true_fov_rad);
    camera = render::seeing_all(camera, volume.box, aspect);
  }
  if (arguments.camera.empty()) return camera;
  Json change = read_camera_file(arguments.camera);
  if (!arguments.fov.empty()) change.erase("fov_deg");  // --fov has precedence over the file
  try {
    camera = scene::patched(camera, change);
    scene::check_reach(camera, volume);
    return camera;
  } catch (const InputError& error) {
    throw InputError(arguments.camera + as_of_file(error.what()));
  }
}

}  // namespace

void add_volume_file_options(CLI::App& command, VolumeArguments& arguments) {
  command.add_option("--time", arguments.time, "A-B, A-, -B or N: timesteps, from 0");
  add_volume_part_options(command, arguments);
}

void add_volume_part_options(CLI::App& command, VolumeArguments& arguments) {
  command.add_option("--dataset", arguments.dataset, "dataset, variable or array by name");
  command.add_option("--component", arguments.component,
                     "component of vectors, from 0; default: their length");
  command.add_option("--level", arguments.level, "level of a file with levels; 0: the finest");
  command
      .add_option("--axis", arguments.fixed,
                  "NAME=INDEX: of this axis of a NetCDF file, such as member, only one index, "
                  "from 0; may be given for several axes")
      ->allow_extra_args(false);
  takes_one_of(command.add_option("--levels", arguments.levels,
                                  "how NetCDF's uneven axes are drawn: even: resampled, true to "
                                  "their coordinates; index: as stored; log: as even, but the "
                                  "vertical axis by its logarithm, for pressures"),
               render::level_spacing_names);
}

render::VolumeOptions volume_file_options(const VolumeArguments& arguments) {
  const auto check = [](const char* option, const std::optional<int>& value) {
    if (value.value_or(0) < 0)
      refuse_option(option, "a whole number from 0", std::to_string(*value));
  };
  check("--component", arguments.component);
  check("--level", arguments.level);
  render::VolumeOptions options;
  options.dataset = arguments.dataset;
  options.component = arguments.component.value_or(-1);
  options.level = arguments.level.value_or(-1);
  options.fixed = fixed_option(arguments.fixed);
  if (!arguments.levels.empty())
    options.levels = static_cast<render::LevelSpacing>(
        option_word_index("--levels", arguments.levels, render::level_spacing_names));
  return options;
}

void add_volume_style_options(CLI::App& command, VolumeArguments& arguments) {
  const auto typed = [](const char* name) {
    const StyleField& field = style_field(name);
    return fmt::format("{}: {}", field.value, field.help);
  };
  const auto flag = [&](const char* name, bool& value) {
    command.add_flag(std::string("--") + name, value, style_field(name).help);
  };
  command.add_option("--tf", arguments.transfer, typed("tf"));
  command.add_option("--range", arguments.range, typed("range"));
  command.add_option("--scale", arguments.scale, typed("scale"));
  command.add_option("--low", arguments.low, typed("low"));
  takes_one_of(command.add_option("--mode", arguments.mode, style_field("mode").help),
               scene::cast_mode_names);
  flag("lit", arguments.lit);
  command.add_option("--iso", arguments.iso, typed("iso"));
  command.add_option("--step", arguments.step, typed("step"));
  command.add_option("--opacity", arguments.opacity, typed("opacity"));
  command.add_option("--clip", arguments.clip, typed("clip"));
  command.add_option("--plane", arguments.planes, typed("plane"))->allow_extra_args(false);
  command.add_option("--annotate", arguments.annotate, typed("annotate"));
  flag("axes", arguments.axes);
  flag("bar", arguments.bar);
  flag("label", arguments.label);
  flag("box", arguments.box);
  flag("ruler", arguments.ruler);
  command.add_option("--title", arguments.title, typed("title"));
  command.add_option("--date", arguments.date, typed("date"));
  command.add_option("--letters", arguments.letters, typed("letters"));
  command.add_option("--background", arguments.background, typed("background"));
}

void add_volume_options(CLI::App& command, VolumeArguments& arguments) {
  add_volume_style_options(command, arguments);
  command.add_option("--camera", arguments.camera, "TOML with any of " + camera_field_list());
  command.add_option("--from", arguments.direction,
                     "AZIMUTH,ELEVATION in degrees: the whole volume, seen from there");
  takes_one_of(command.add_option("--lens", arguments.lens, "rays from the eye, or parallel ones"),
               scene::lens_names);
  command.add_option(
      "--fov", arguments.fov,
      "field of view in degrees of the picture's height; true: as an arc's eye point sees it, so "
      "that everything is in its true direction");
  add_volume_file_options(command, arguments);
  command.add_option("--stretch", arguments.stretch, "X,Y,Z: factors of the volume's sides");
  command.add_option("--up", arguments.up,
                     "X,Y,Z: the direction that is up at first, in the volume's world; default: "
                     "0,0,1");
}

void add_volume_host_options(CLI::App& command, VolumeHostArguments& arguments) {
  takes_one_of(command.add_option("--caster", arguments.caster,
                                  "what draws a volume; auto: a GPU if the host has one"),
               volume::wall_caster_names);
  command.add_option("--memory", arguments.memory_mib,
                     "MiB of a host's memory for a volume; default: a quarter of it");
}

volume::VolumeJob host_job(const VolumeHostArguments& host) {
  volume::VolumeJob job;
  job.memory_bytes = memory_option(host);
  job.caster = caster_option(host.caster);
  return job;
}

std::vector<std::string> later_files(const std::vector<std::string>& files,
                                     const render::VolumeOptions& options) {
  for (const std::string& file : files)
    if (net::is_remote(file))
      throw InputError({file}, "", "files for a series", "a volume on a server");
  const int timesteps = render::VolumeInputs(files, options).info().timesteps();
  if (timesteps != static_cast<int>(files.size()))
    throw InputError(
        {files.front()}, "timesteps", "one in each of several inputs",
        fmt::format("{} in {} inputs ('tilewall brick' joins them)", timesteps, files.size()));
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(files.front()).parent_path();
  std::vector<std::string> later;
  for (auto file = files.begin() + 1; file != files.end(); ++file)
    later.push_back(fs::absolute(*file).lexically_proximate(folder).string());
  return later;
}

namespace {

scene::SourceName name_of(const std::vector<std::string>& files, const VolumeArguments& arguments) {
  scene::SourceName name;
  for (const std::string& file : files)
    name.inputs.push_back(net::is_remote(file) ? file : absolute_name(file));
  const auto option = [&](const char* key, const std::string& value) {
    if (!value.empty()) name.options.emplace(key, value);
  };
  option("dataset", arguments.dataset);
  option("stretch", arguments.stretch);
  option("up", arguments.up);
  option("levels", arguments.levels);
  option("axis", fmt::format("{}", fmt::join(arguments.fixed, ";")));
  if (arguments.component) option("component", std::to_string(*arguments.component));
  if (arguments.level) option("level", std::to_string(*arguments.level));
  return name;
}

}  // namespace

scene::SourceSpec open_volume(const std::vector<std::string>& files,
                              const VolumeArguments& arguments, const VolumeHostArguments& host) {
  const std::string& volume = files.front();
  volume::VolumeJob job = host_job(host);
  job.path = net::is_remote(volume) ? net::to_string(net::parse_remote_url(volume))
                                    : absolute_name(volume);
  job.options = volume_file_options(arguments);
  if (files.size() > 1) job.options.more = later_files(files, job.options);
  const std::unique_ptr<render::VoxelReader> file = volume::open_voxels(job);
  const render::VolumeInfo& info = file->info();
  for (const std::string& note : info.notes) print_line(stderr, "tilewall: {}: {}", volume, note);
  job.stretch = stretch_option(arguments.stretch, volume, info);
  tell_reduction(volume, info, job);
  scene::SourceSpec source;
  source.kind = scene::SourceKind::volume;
  source.path = volume::to_text(job);
  if (source.path.size() > most_named_bytes)
    throw InputError({volume}, "",
                     fmt::format("inputs whose names take {} KiB together at most (a folder or a "
                                 "quoted glob may hold any number)",
                                 most_named_bytes >> 10),
                     fmt::format("{} inputs", files.size()));
  source.frames = info.timesteps();
  source.fps = timestep_fps;
  source.box = box_of(info, job.stretch);
  source.is_field = is_field(info);
  source.is_anatomical = info.is_anatomical;
  source.up = up_option(arguments.up);
  if (arguments.transfer.empty() && arguments.low.empty() && arguments.look.empty())
    tell_low_values(volume, info);
  source.named = name_of(files, arguments);
  return source;
}

namespace {

/// The look that the options change.
scene::VolumeLook look_before(const VolumeArguments& arguments, const scene::SourceSpec& volume,
                              const VolumeFrame& frame) {
  if (arguments.look.empty()) return scene::usual_look(volume, frame.canvas_px);
  try {
    const Json look = parse_json(arguments.look);
    const render::VolumeCamera camera = scene::camera_from_json(json_field<Json>(look, "camera"));
    scene::check_reach(camera, volume);
    return {scene::CameraPath::at_rest(camera),
            scene::StylePath::at_rest(std::make_shared<const scene::VolumeStyle>(
                scene::volume_style_from_json(json_field<Json>(look, "style"))))};
  } catch (const InputError& error) {
    throw InputError("look" + as_of_file(error.what()));
  }
}

}  // namespace

scene::VolumeLook look_option(const VolumeArguments& arguments, const scene::SourceSpec& volume,
                              const VolumeFrame& frame) {
  Json change = Json::object();
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) add_style_change(change, name, value, std::string("--") + name);
  };
  add("tf", arguments.transfer);
  const bool shows_iso = arguments.mode.empty() && !arguments.iso.empty();
  add("mode", shows_iso ? "isosurface" : arguments.mode);
  add("iso", arguments.iso);
  add("range", arguments.range);
  add("scale", arguments.scale);
  add("low", arguments.low);
  add("opacity", arguments.opacity);
  add("clip", arguments.clip);
  add("step", arguments.step);
  add("background", arguments.background);
  for (const std::string& plane : arguments.planes) add("plane", plane);
  if (arguments.lit) add("lit", "on");
  add("annotate", arguments.annotate);  // first, so that the others change it
  if (arguments.axes) add("axes", "on");
  if (arguments.bar) add("bar", "on");
  if (arguments.label) add("label", "on");
  if (arguments.box) add("box", "on");
  if (arguments.ruler) add("ruler", "on");
  add("title", arguments.title);
  add("date", arguments.date);
  add("letters", arguments.letters);
  scene::VolumeLook look = look_before(arguments, volume, frame);
  try {
    look.style = scene::StylePath::at_rest(
        std::make_shared<const scene::VolumeStyle>(scene::patched(*look.style.to, change)));
  } catch (const InputError& error) {  // options that do not go together
    throw InputError("the volume's options" + as_of_file(error.what()));
  }
  if (arguments.look.empty() || arguments.moves_camera())
    look.camera = scene::CameraPath::at_rest(camera_option(arguments, volume, frame));
  return look;
}

}  // namespace tilewall::cli
