#include "player/cli/volume_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "player/cli/number_list.hpp"
#include "player/movie/remote/remote_url.hpp"
#include "player/volume/cast_wire.hpp"
#include "player/volume/remote/open_voxels.hpp"
#include "player/volume/volume_levels.hpp"
#include "render/bricks/volume_inputs.hpp"
#include "render/transfer/files/transfer_file.hpp"
#include "render/transfer/transfer_json.hpp"
#include "sync/base/error.hpp"
#include "wallconfigs/toml_reader.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_camera_file_bytes = std::size_t{64} << 10;
constexpr Rational timestep_fps{10, 1};
constexpr int default_memory_share = 4;  // of the host's memory: a quarter
constexpr std::size_t most_named_bytes = max_caster_request_bytes - 1024;
constexpr double flattest = 1.0 / 16;  // a box's shortest side, of its longest, that is left so

[[noreturn]] void refuse(const std::string& option, const std::string& expected,
                         const std::string& found) {
  throw InputError({option}, "", expected, found.empty() ? "nothing" : "\"" + found + "\"");
}

std::vector<double> numbers(const std::string& option, const std::string& text, std::size_t count,
                            const char* expected) {
  std::vector<double> values = parse_number_list(text, max_transfer_value);
  if (values.size() != count) refuse(option, expected, text);
  return values;
}

double number(const std::string& option, const std::string& text, const char* expected) {
  return numbers(option, text, 1, expected).front();
}

double number_within(const std::string& option, const std::string& text, double least,
                     double most) {
  const std::string expected = fmt::format("a number from {:g} to {:g}", least, most);
  const double value = number(option, text, expected.c_str());
  if (!(value >= least && value <= most)) refuse(option, expected, text);
  return value;
}

Json colour_json(const std::string& option, const std::string& text) {
  unsigned value = 0;
  const char* const end = text.data() + text.size();
  const bool hex = text.size() == 7 && text[0] == '#' &&
                   std::from_chars(text.data() + 1, end, value, 16).ptr == end;
  if (!hex) refuse(option, "#RRGGBB", text);
  return {(value >> 16) / 255.0, (value >> 8 & 255) / 255.0, (value & 255) / 255.0};
}

Json range_json(const std::string& option, const std::string& text) {
  if (text == "data") return nullptr;
  const auto range = numbers(option, text, 2, "MIN,MAX, or data");
  if (!(range[0] < range[1])) refuse(option, "MIN,MAX with MIN below MAX", text);
  return range;
}

void add_clip(Json& change, const std::string& option, const std::string& text) {
  constexpr const char* expected = "X0,X1,Y0,Y1,Z0,Z1, shares of the sides from 0 to 1, or off";
  std::vector<double> sides = {0, 1, 0, 1, 0, 1};
  if (text != "off") sides = numbers(option, text, 6, expected);
  for (std::size_t i = 0; i < 6; i += 2)
    if (!(sides[i] >= 0 && sides[i] < sides[i + 1] && sides[i + 1] <= 1))
      refuse(option, expected, text);
  change["clip_min"] = {sides[0], sides[2], sides[4]};
  change["clip_max"] = {sides[1], sides[3], sides[5]};
}

void add_plane(Json& change, const std::string& option, const std::string& text) {
  Json& planes = change["clip_planes"];
  if (planes.is_null()) planes = Json::array();
  if (text == "off") return;
  const auto plane = numbers(option, text, 4, "NX,NY,NZ,OFFSET: kept is N.P + OFFSET >= 0, or off");
  if (planes.size() >= max_clip_planes) refuse(option, "six planes at most", text);
  if (!(std::hypot(plane[0], plane[1], plane[2]) > 0))
    refuse(option, "a normal with a length", text);
  planes.push_back(plane);
}

Json step_json(const std::string& option, const std::string& text) {
  const double step = number(option, text, "voxels between samples");
  if (!(step >= 1 / densest_sampling && step <= 1 / sparsest_sampling))
    refuse(option, "1/16 to 16 voxels between samples", text);
  return 1 / step;
}

/// Where an axis' lengths are of another kind (degrees beside metres), a box would be a needle or a
/// sheet of paper: its sides become equal shares of what is seen.
Vec3d usual_stretch(const VolumeInfo& info, std::string& note) {
  const Vec3d spacing = info.place.spacing;
  const Vec3d side{spacing.x * info.size.x, spacing.y * info.size.y, spacing.z * info.size.z};
  const double longest = std::max({side.x, side.y, side.z});
  Vec3d stretch{1, 1, 1};
  const auto bring = [&](double length, int voxels, double& by, const char* axis) {
    if (voxels == 1 || length >= flattest * longest) return;
    by = longest / 4 / length;
    note += fmt::format("{}{} {:.3g} times", note.empty() ? "" : ", ", axis, by);
  };
  bring(side.x, info.size.x, stretch.x, "x");
  bring(side.y, info.size.y, stretch.y, "y");
  bring(side.z, info.size.z, stretch.z, "z");
  return stretch;
}

Vec3d stretch_option(const std::string& text, const std::string& volume, const VolumeInfo& info) {
  if (!text.empty()) {
    const auto by = numbers("--stretch", text, 3, "X,Y,Z, factors above 0");
    if (!std::all_of(by.begin(), by.end(), [](double v) { return v > 0; }))
      refuse("--stretch", "factors above 0", text);
    return {by[0], by[1], by[2]};
  }
  std::string note;
  const Vec3d stretch = usual_stretch(info, note);
  if (!note.empty())
    fmt::print(stderr,
               "tilewall: {}: a flat box, drawn thicker: {} (--stretch 1,1,1 leaves it flat)\n",
               volume, note);
  return stretch;
}

/// An axis of one voxel is as thick as the voxel, half of it to each side.
WorldBox box_of(const VolumeInfo& info, Vec3d stretch) {
  const double spacing[3] = {info.place.spacing.x * stretch.x, info.place.spacing.y * stretch.y,
                             info.place.spacing.z * stretch.z};
  const int voxels[3] = {info.size.x, info.size.y, info.size.z};
  WorldBox box;
  box.centre = info.place.origin;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.half[axis] = (std::max(voxels[axis] - 1, 1) * spacing[axis] / 2) * info.place.axes[axis];
    if (voxels[axis] > 1) box.centre = box.centre + box.half[axis];
  }
  return box;
}

std::size_t host_memory_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t memory_option(const VolumeHostArguments& arguments) {
  if (!arguments.memory_mib) return host_memory_bytes() / default_memory_share;
  if (*arguments.memory_mib < 1)
    refuse("--memory", "MiB, 1 or more", std::to_string(*arguments.memory_mib));
  return static_cast<std::size_t>(*arguments.memory_mib) << 20;
}

CasterChoice caster_option(const std::string& name) {
  if (name.empty()) return CasterChoice::automatic;
  const auto choice = parse_caster_choice(name);
  if (!choice) refuse("--caster", "auto, cpu or gl", name);
  return *choice;
}

void tell_reduction(const std::string& volume, const VolumeInfo& info, const VolumeJob& job) {
  const auto levels = volume_levels(info, job.stretch);
  const MemoryPlan plan = plan_memory(levels, info.type, info.timesteps(), job.memory_bytes);
  if (plan.overview == 0) return;
  const VolumeSize shown = levels[static_cast<std::size_t>(plan.overview)].size;
  fmt::print(stderr,
             "tilewall: {}: {} x {} x {} voxels do not fit into {} MiB (--memory): all of it is "
             "shown by {} x {} x {}, and what stays in view as finely as fits\n",
             volume, info.size.x, info.size.y, info.size.z, job.memory_bytes >> 20, shown.x,
             shown.y, shown.z);
}

/// As seen from the first one's folder. Throws InputError where they are not alike.
std::vector<std::string> later_files(const std::vector<std::string>& files,
                                     const VolumeOptions& options) {
  for (const std::string& file : files)
    if (is_remote(file)) throw InputError({file}, "", "files alone as one series", "a server's");
  const int timesteps = VolumeInputs(files, options).info().timesteps();
  if (timesteps != static_cast<int>(files.size()))
    throw InputError(
        {files.front()}, "timesteps", "one in each of several inputs",
        fmt::format("{} in {} inputs (tilewall brick makes one of them)", timesteps, files.size()));
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(files.front()).parent_path();
  std::vector<std::string> later;
  for (auto file = files.begin() + 1; file != files.end(); ++file)
    later.push_back(fs::absolute(*file).lexically_proximate(folder).string());
  return later;
}

/// "" stays so: it is refused where it is opened.
std::string absolute_name(const std::string& file) {
  return file.empty() ? file : std::filesystem::absolute(file).string();
}

/// Of a line about a message what follows its first word.
std::string as_of_file(const std::string& line) {
  return line.substr(std::min(line.find(':'), line.size()));
}

double fov_option(const std::string& fov, std::optional<double> true_fov_rad) {
  if (fov != "true") return number_within("--fov", fov, 0.1, 179) * std::numbers::pi / 180;
  if (!true_fov_rad)
    refuse("--fov",
           "degrees; true needs a wall whose screens stand around its eye point, and --content "
           "arc_length",
           fov);
  return *true_fov_rad;
}

VolumeCamera camera_option(const VolumeArguments& arguments, const SourceSpec& volume,
                           const VolumeFrame& frame) {
  const double aspect = frame.canvas_px.width / frame.canvas_px.height;
  VolumeCamera camera = whole_volume(volume, frame.canvas_px);
  if (!arguments.direction.empty()) {
    const auto angles = numbers("--from", arguments.direction, 2, "AZIMUTH,ELEVATION in degrees");
    constexpr double radians = std::numbers::pi / 180;
    camera = camera_at(volume.box, angles[0] * radians, angles[1] * radians, aspect);
  }
  if (!arguments.lens.empty()) {
    if (arguments.lens != "perspective" && arguments.lens != "orthographic")
      refuse("--lens", "perspective or orthographic", arguments.lens);
    camera.lens = arguments.lens == "perspective" ? Lens::perspective : Lens::orthographic;
  }
  if (!arguments.fov.empty()) {
    camera.fov_rad = fov_option(arguments.fov, frame.true_fov_rad);
    camera = seeing_all(camera, volume.box, aspect);
  }
  if (arguments.camera.empty()) return camera;
  Json change = read_camera_file(arguments.camera);
  if (!arguments.fov.empty()) change.erase("fov_deg");  // what is typed goes before
  try {
    camera = patched(camera, change);
    check_reach(camera, volume);
    return camera;
  } catch (const InputError& error) {
    throw InputError(arguments.camera + as_of_file(error.what()));
  }
}

}  // namespace

void add_style_change(Json& change, const std::string& name, const std::string& value,
                      const std::string& option) {
  if (name == "tf") {
    const TransferSpec spec = read_transfer(value);
    for (const std::string& note : spec.notes)
      fmt::print(stderr, "tilewall: {}: {}\n", value, note);
    change["transfer"] = to_json(spec);
    if (!spec.look) return;
    change["lit"] = spec.look->shading == Shading::headlight;
    change["light"] = {spec.look->lighting.ambient, spec.look->lighting.diffuse,
                       spec.look->lighting.specular};
  } else if (name == "mode") {
    if (!parse_cast_mode(value)) refuse(option, "composite, maximum, average or isosurface", value);
    change["mode"] = value;
  } else if (name == "lit") {
    if (value != "on" && value != "off") refuse(option, "on or off", value);
    change["lit"] = value == "on";
  } else if (name == "axes" || name == "bar" || name == "label") {
    if (value != "on" && value != "off") refuse(option, "on or off", value);
    change[name == "bar" ? "colour_bar" : name] = value == "on";
  } else if (name == "iso") {
    change["iso_value"] = number(option, value, "a value");
    change["iso_shift"] = 0;
  } else if (name == "range") {
    change["range"] = range_json(option, value);
    change["window"] = 1;
    change["level"] = 0.5;
  } else if (name == "opacity") {
    change["opacity"] = number_within(option, value, 1 / most_opacity, most_opacity);
  } else if (name == "window") {
    change["window"] = number_within(option, value, narrowest_window, widest_window);
  } else if (name == "level") {
    change["level"] = number_within(option, value, -farthest_level, farthest_level);
  } else if (name == "clip") {
    add_clip(change, option, value);
  } else if (name == "plane") {
    add_plane(change, option, value);
  } else if (name == "step") {
    change["samples_per_voxel"] = step_json(option, value);
  } else if (name == "background") {
    change["background"] = colour_json(option, value);
  } else {
    refuse(option,
           "tf=, mode=, lit=, iso=, range=, clip=, plane=, step=, opacity=, window=, level=, "
           "background=, axes=, bar= or label=",
           name);
  }
}

void add_volume_file_options(CLI::App& command, VolumeArguments& arguments) {
  command.add_option("--time", arguments.time, "N or FIRST-LAST: timesteps, from 0");
  command.add_option("--dataset", arguments.dataset, "dataset, variable or array by name");
  command.add_option("--component", arguments.component, "of a vector, from 0; its length without");
  command.add_option("--level", arguments.level, "of a file with levels, 0 the finest");
}

VolumeOptions volume_file_options(const VolumeArguments& arguments) {
  const auto check = [](const char* option, const std::optional<int>& value) {
    if (value.value_or(0) < 0) refuse(option, "a whole number from 0", std::to_string(*value));
  };
  check("--component", arguments.component);
  check("--level", arguments.level);
  VolumeOptions options;
  options.dataset = arguments.dataset;
  options.component = arguments.component.value_or(-1);
  options.level = arguments.level.value_or(-1);
  return options;
}

void add_volume_options(CLI::App& command, VolumeArguments& arguments) {
  command.add_option("--tf", arguments.transfer,
                     "transfer function: a name (viridis, gray, ...), or a file: ParaView's JSON, "
                     "Slicer's XML, a table of colours, TOML; FILE#NAME picks one of several");
  command.add_option("--range", arguments.range, "MIN,MAX: values that it covers; else the data's");
  command.add_option("--mode", arguments.mode, "composite, maximum, average or isosurface");
  command.add_flag("--lit", arguments.lit, "shade composites by their gradients");
  command.add_option("--iso", arguments.iso,
                     "value of the isosurface; without --mode that is shown");
  command.add_option("--step", arguments.step, "voxels between samples; 1 without");
  command.add_option("--opacity", arguments.opacity, "so many times as dense; 1 without");
  command.add_option("--clip", arguments.clip, "X0,X1,Y0,Y1,Z0,Z1: shares of the sides");
  command.add_option("--plane", arguments.planes, "NX,NY,NZ,OFFSET keeps N.P + OFFSET >= 0")
      ->allow_extra_args(false);
  command.add_flag("--axes", arguments.axes, "show which way the axes point");
  command.add_flag("--bar", arguments.bar, "show what colours mean");
  command.add_flag("--label", arguments.label, "show dataset or file, timestep and time");
  command.add_option("--background", arguments.background, "#RRGGBB");
  command.add_option("--camera", arguments.camera,
                     "TOML with eye, look_at, up, fov_deg, lens, view_height");
  command.add_option("--from", arguments.direction,
                     "AZIMUTH,ELEVATION in degrees: all of the volume, seen from there");
  command.add_option("--lens", arguments.lens, "perspective or orthographic");
  command.add_option(
      "--fov", arguments.fov,
      "degrees of the picture's height; true: as an arc's eye point sees it, so that "
      "all is in its true direction");
  add_volume_file_options(command, arguments);
  command.add_option("--stretch", arguments.stretch, "X,Y,Z: factors of the sides");
}

void add_volume_host_options(CLI::App& command, VolumeHostArguments& arguments) {
  command.add_option("--caster", arguments.caster,
                     "auto, cpu or gl: what draws a volume; auto takes a GPU where a host has one");
  command.add_option("--memory", arguments.memory_mib,
                     "MiB of a host's memory for a volume; a quarter of it without");
}

Json read_camera_file(const std::string& file) {
  static constexpr std::string_view keys[] = {"eye",     "look_at", "up",
                                              "fov_deg", "lens",    "view_height"};
  static constexpr NumberRange any{-1e12, 1e12};
  const TomlFile toml(file, max_camera_file_bytes);
  const TomlSection top = toml.root(keys);
  Json change = Json::object();
  for (const std::string_view key : {"eye", "look_at", "up"})
    if (const auto v = top.numbers(key, 3, any)) change[std::string(key)] = *v;
  if (const auto fov = top.number("fov_deg", {0, 179, true})) change["fov_deg"] = *fov;
  if (const auto height = top.number("view_height", {0, 1e12, true}))
    change["view_height"] = *height;
  if (const auto lens = top.text("lens")) {
    if (*lens != "perspective" && *lens != "orthographic")
      top.refuse("lens", "perspective or orthographic", *lens);
    change["lens"] = *lens;
  }
  return change;
}

TimeRange time_option(const std::string& text, std::int64_t timesteps) {
  if (text.empty()) return {0, timesteps - 1};
  TimeRange range{-1, -1};
  const char* const end = text.data() + text.size();
  const auto [dash, error] = std::from_chars(text.data(), end, range.first);
  range.last = range.first;
  bool whole = error == std::errc{} && dash == end;
  if (error == std::errc{} && dash != end && *dash == '-')
    whole = std::from_chars(dash + 1, end, range.last).ptr == end;
  if (!whole || range.first < 0 || range.last < range.first || range.last >= timesteps)
    refuse("--time", fmt::format("N or FIRST-LAST, timesteps of 0 to {}", timesteps - 1), text);
  return range;
}

SourceSpec open_volume(const std::vector<std::string>& files, const VolumeArguments& arguments,
                       const VolumeHostArguments& host) {
  const std::string& volume = files.front();
  VolumeJob job;
  job.path = is_remote(volume) ? to_string(parse_remote_url(volume)) : absolute_name(volume);
  job.options = volume_file_options(arguments);
  if (files.size() > 1) job.options.more = later_files(files, job.options);
  const std::unique_ptr<VoxelReader> file = open_voxels(job);
  const VolumeInfo& info = file->info();
  for (const std::string& note : info.notes) fmt::print(stderr, "tilewall: {}: {}\n", volume, note);
  job.memory_bytes = memory_option(host);
  job.stretch = stretch_option(arguments.stretch, volume, info);
  job.caster = caster_option(host.caster);
  tell_reduction(volume, info, job);
  SourceSpec source;
  source.kind = SourceKind::volume;
  source.path = to_text(job);
  if (source.path.size() > most_named_bytes)
    throw InputError({volume}, "",
                     fmt::format("inputs whose names take {} KiB together at most (a folder or a "
                                 "quoted glob may hold any number)",
                                 most_named_bytes >> 10),
                     fmt::format("{} inputs", files.size()));
  source.frames = info.timesteps();
  source.fps = timestep_fps;
  source.box = box_of(info, job.stretch);
  return source;
}

VolumeLook look_option(const VolumeArguments& arguments, const SourceSpec& volume,
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
  add("opacity", arguments.opacity);
  add("clip", arguments.clip);
  add("step", arguments.step);
  add("background", arguments.background);
  for (const std::string& plane : arguments.planes) add("plane", plane);
  if (arguments.lit) add("lit", "on");
  if (arguments.axes) add("axes", "on");
  if (arguments.bar) add("bar", "on");
  if (arguments.label) add("label", "on");
  VolumeLook look = usual_look(volume, frame.canvas_px);
  look.style =
      StylePath::at_rest(std::make_shared<const VolumeStyle>(patched(*look.style.to, change)));
  look.camera = CameraPath::at_rest(camera_option(arguments, volume, frame));
  return look;
}

}  // namespace tilewall
