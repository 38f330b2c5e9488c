#include "player/cli/ctl/path_keys.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "player/cli/ctl/words.hpp"
#include "player/cli/options/path_styles.hpp"
#include "player/path/foreign_paths.hpp"
#include "player/path/path_report.hpp"
#include "player/scene/volume_style.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

/// These are the arguments of the commands about keys, as typed.
struct KeyArguments {
  std::string file;
  std::string key;
  std::string place;
  std::string copy;
  std::string name;
  std::optional<double> time_s;
  std::optional<double> timestep;
  double hold_s = 0;
  std::string time;
  std::string from;
  std::string to;
  bool loops = false;
  bool nearest = false;
  std::shared_ptr<CtlArguments> ctl;
};

/// The wall's camera glides from one place of a preview to the next one in this time.
constexpr std::chrono::milliseconds preview_step{250};

path::PathKey shown_key(const KeyArguments& arguments, const Json& region) {
  path::PathKey key;
  key.name = arguments.name;
  key.flight.camera = scene::camera_from_json(region.at("volume").at("camera"));
  key.flight.time_s = arguments.time_s;
  key.flight.hold_s = arguments.hold_s;
  if (arguments.timestep)
    key.timestep = arguments.timestep;
  else if (region.at("frames") > 1)
    key.timestep = region.at("frame").get<double>();
  return key;
}

int run_key_add(const KeyArguments& arguments) {
  command::WallConnection wall(arguments.ctl->address);
  const Json region = shown_volume_region(*arguments.ctl, wall, "keyframe add");
  // The status names only the first file of a series, and a live source is no file.
  const std::string shown = region.value("path", "");
  const bool is_file = region.at("frames") == 1 && !shown.starts_with("live:");
  const std::size_t keys = add_shown_key(
      arguments.file, shown_key(arguments, region),
      scene::volume_style_from_json(region.at("volume").at("style")), is_file ? shown : "");
  print_line(stdout, "keyframe: number {} in {}", keys, arguments.file);
  return exit_done;
}

/// Lists the fields of a style that a key has, as in "; clip=0,0.5,0,1,0,1".
std::string words_text(const std::vector<path::StyleWord>& words) {
  std::string text;
  for (const path::StyleWord& word : words)
    text += fmt::format("{}{}={}", text.empty() ? "; " : " ", word.field, word.value);
  return text;
}

int run_key_list(const KeyArguments& arguments) {
  const path::PathFile path = path::read_path_draft(arguments.file);
  for (std::size_t i = 0; i < path.keys.size(); ++i) {
    const path::PathKey& key = path.keys[i];
    const Vec3d eye = key.flight.camera.eye;
    print_line(stdout, "{:4}  {}eye {:.4g}, {:.4g}, {:.4g}{}{}", i + 1,
               key.name.empty() ? "" : key.name + ": ", eye.x, eye.y, eye.z,
               key.flight.time_s ? fmt::format(", at {:g} s", *key.flight.time_s) : "",
               (key.timestep ? fmt::format(", timestep {:g}", *key.timestep) : "") +
                   words_text(key.style));
  }
  return exit_done;
}

std::size_t key_nearest_to_wall(const KeyArguments& arguments, const path::PathFile& path) {
  command::WallConnection wall(arguments.ctl->address);
  const Json region = shown_volume_region(*arguments.ctl, wall, "keyframe remove");
  return path::nearest_key(path, arguments.file,
                           scene::camera_from_json(region.at("volume").at("camera")));
}

int run_key_remove(const KeyArguments& arguments) {
  if (arguments.key.empty() != arguments.nearest)
    refuse_word("keyframe remove", "a key or --nearest",
                arguments.nearest ? arguments.key + " --nearest" : "");
  const path::PathFile path = path::read_path_draft(arguments.file);
  path::remove_key(arguments.file, arguments.nearest
                                       ? key_nearest_to_wall(arguments, path)
                                       : path::find_key(path, arguments.file, arguments.key));
  print_line(stdout, "keyframe: {} left in {}", path.keys.size() - 1, arguments.file);
  return exit_done;
}

int run_key_move(const KeyArguments& arguments) {
  const path::PathFile path = path::read_path_draft(arguments.file);
  path::move_key(arguments.file, path::find_key(path, arguments.file, arguments.key),
                 path::find_key(path, arguments.file, arguments.place));
  print_line(stdout, "keyframe: {} is in the place of {}", arguments.key, arguments.place);
  return exit_done;
}

int run_key_save(const KeyArguments& arguments) {
  namespace fs = std::filesystem;
  path::PathFile path = path::read_path_draft(arguments.file);
  std::error_code ignored;
  if (fs::exists(arguments.copy, ignored) && !fs::is_regular_file(arguments.copy, ignored))
    throw InputError({arguments.copy}, "", "a new file, or a regular one to replace", "another");
  const fs::path folder = fs::absolute(arguments.copy).parent_path();
  // The files that it names are found from the copy's folder.
  const auto from_there = [&](std::string& file) {
    file = fs::absolute(file).lexically_normal().lexically_proximate(folder).string();
  };
  for (std::string& volume : path.volume)
    if (volume.find("://") == std::string::npos) from_there(volume);
  if (path.logo) from_there(path.logo->file);
  for (path::PathKey& key : path.keys)
    for (path::StyleWord& word : key.style)
      if (word.field == "tf" &&
          fs::is_regular_file(word.value.substr(0, word.value.find('#')), ignored))
        from_there(word.value);
  rewrite_file_atomically(arguments.copy, path::path_text(path));
  print_line(stdout, "keyframe: {} keys in {}", path.keys.size(), arguments.copy);
  return exit_done;
}

int run_key_retime(const KeyArguments& arguments) {
  const path::PathFile path = path::read_path_draft(arguments.file);
  const std::size_t key = path::find_key(path, arguments.file, arguments.key);
  std::optional<double> time_s;
  if (arguments.time != "none") time_s = number("keyframe retime", arguments.time);
  if (time_s && !(*time_s >= 0 && *time_s <= render::longest_flight_s))
    refuse_word("keyframe retime", "seconds from 0 to a day, or none", arguments.time);
  path::retime_key(arguments.file, key, time_s);
  print_line(stdout, "keyframe: {} has {}", arguments.key,
             time_s ? fmt::format("the time {:g} s", *time_s) : "no time of its own");
  return exit_done;
}

Json camera_request(const CtlArguments& arguments, const render::VolumeCamera& camera,
                    double glide_s) {
  Json request = request_of(arguments, "camera");
  request["camera"] = scene::to_json(camera);
  if (glide_s > 0) request["glide_s"] = glide_s;
  return request;
}

/// Shows styles on a wall. Only what differs from the style before is sent.
class ShownStyle {
 public:
  ShownStyle(const KeyArguments& arguments, command::WallConnection& wall, std::string_view verb)
      : ctl_(*arguments.ctl),
        wall_(wall),
        style_(std::make_shared<const scene::VolumeStyle>(scene::volume_style_from_json(
            shown_volume_region(*arguments.ctl, wall, verb).at("volume").at("style")))) {}

  [[nodiscard]] const scene::VolumeStyle& style() const { return *style_; }

  void show(const std::shared_ptr<const scene::VolumeStyle>& style, double glide_s) {
    Json change = style_change(*style_, *style);
    if (change.empty()) return;
    Json request = request_of(ctl_, "style");
    request["change"] = std::move(change);
    request["glide_s"] = glide_s;
    static_cast<void>(wall_.ask(request));
    style_ = style;
  }

 private:
  const CtlArguments& ctl_;
  command::WallConnection& wall_;
  std::shared_ptr<const scene::VolumeStyle> style_;  // The wall shows it, or glides to it.
};

int run_key_goto(const KeyArguments& arguments) {
  const path::PathFile path = path::read_path_draft(arguments.file);
  const std::size_t key = path::find_key(path, arguments.file, arguments.key);
  command::WallConnection wall(arguments.ctl->address);
  const double glide_s = arguments.ctl->glide.empty() ? 0 : number("--glide", arguments.ctl->glide);
  ShownStyle shown(arguments, wall, "keyframe goto");
  const path::KeyStyles styles = key_styles(path, style_before(path, shown.style()));
  static_cast<void>(
      wall.ask(camera_request(*arguments.ctl, path.keys[key].flight.camera, glide_s)));
  shown.show(styles[key], glide_s);
  print_line(stdout, "keyframe: the wall shows {}", arguments.key);
  return exit_done;
}

/// Returns where a preview is at an instant. A loop begins again at its end.
double place_in(double from_s, double to_s, double after_s, bool loops) {
  const double length_s = to_s - from_s;
  return from_s + (loops ? std::fmod(after_s, length_s) : std::min(after_s, length_s));
}

int run_key_preview(const KeyArguments& arguments) {
  const path::PathFile path = path::read_any_path({arguments.file});
  const render::FlightPath flight = path::flight_of(path, arguments.file);
  const auto time_of = [&](const std::string& key, double usual) {
    return key.empty() ? usual : flight.arrival_s(path::find_key(path, arguments.file, key));
  };
  const double from_s = time_of(arguments.from, 0);
  const double to_s = time_of(arguments.to, flight.duration_s());
  if (!(from_s < to_s))
    refuse_word("keyframe preview", "a key of --to behind that of --from", arguments.to);
  command::WallConnection wall(arguments.ctl->address);
  const StopSignals signals;
  ShownStyle shown(arguments, wall, "keyframe preview");
  const path::KeyStyles styles = key_styles(path, style_before(path, shown.style()));
  static_cast<void>(wall.ask(camera_request(*arguments.ctl, flight.camera_at(from_s), 0)));
  shown.show(path::style_at(styles, flight, from_s), 0);
  const double step_s = std::chrono::duration<double>(preview_step).count();
  const auto began = SteadyClock::now();
  for (int step = 1; !signals.token().stop_requested(); ++step) {
    const double at_s = place_in(from_s, to_s, step * step_s, arguments.loops);
    shown.show(path::style_at(styles, flight, at_s), step_s);
    const Json answer = wall.ask(camera_request(*arguments.ctl, flight.camera_at(at_s), step_s));
    std::this_thread::sleep_until(began + step * preview_step);
    if (arguments.loops || step * step_s < to_s - from_s) continue;
    // The last glide begins at its instant, which the wall has named.
    const Nanos ahead(answer.at("at_ns").get<std::int64_t>() -
                      answer.at("now_ns").get<std::int64_t>());
    std::this_thread::sleep_for(ahead + preview_step);
    break;
  }
  return exit_done;
}

}  // namespace

void add_key_commands(CLI::App& ctl, command::CommandRun& run,
                      const std::shared_ptr<CtlArguments>& ctl_arguments) {
  const auto arguments = std::make_shared<KeyArguments>();
  arguments->ctl = ctl_arguments;
  CLI::App* const key = ctl.add_subcommand(
      "keyframe", "Key cameras of a flight path (PATH.toml): from the wall, and shown on it");
  key->require_subcommand(1);
  const auto command = [&](const char* name, const char* help, int (*work)(const KeyArguments&)) {
    CLI::App* const made = key->add_subcommand(name, help);
    made->add_option("FILE", arguments->file, "the path's file")->required();
    made->callback(
        [arguments, work, &run] { run = [arguments, work] { return work(*arguments); }; });
    return made;
  };
  const auto with_key = [&](CLI::App* made) {
    made->add_option("KEY", arguments->key, "name or number of the key, from 1")->required();
    return made;
  };
  const auto with_wall = [&](CLI::App* made) {
    made->add_option("--run-dir", ctl_arguments->address.run_dir,
                     "the wall's run directory; default: the wall that runs on this machine");
    made->add_option("--key-file", ctl_arguments->address.key_file,
                     "the wall's key, if it has one");
    made->add_option("--region", ctl_arguments->region,
                     "name of the region; default: the first one with a volume");
    return made;
  };
  CLI::App* const added = with_wall(command(
      "add", "Adds what the wall shows as the last key; makes the file if need be", run_key_add));
  added->add_option("--name", arguments->name, "name of the key");
  added->add_option("--time", arguments->time_s, "seconds at which the camera comes here");
  added->add_option("--timestep", arguments->timestep,
                    "timestep of the stored series; default: that of the wall, if it shows one");
  added->add_option("--hold", arguments->hold_s, "seconds that it stays here");
  command("list", "Lists the keys", run_key_list);
  CLI::App* const removed = with_wall(
      command("remove", "Removes a key; all other lines stay as they are", run_key_remove));
  removed->add_option("KEY", arguments->key, "name or number of the key, from 1");
  removed->add_flag("--nearest", arguments->nearest, "the key that is nearest to the wall's view");
  with_key(command("move", "Moves a key to the place of another one", run_key_move))
      ->add_option("PLACE", arguments->place, "name or number of the key in whose place it comes")
      ->required();
  command("save", "Writes a copy with all fields in their usual order, without comments",
          run_key_save)
      ->add_option("COPY", arguments->copy, "the file to write")
      ->required();
  with_key(command("retime", "Sets the time of a key", run_key_retime))
      ->add_option("SECONDS", arguments->time, "from the beginning, or none")
      ->required();
  with_wall(with_key(command("goto", "Shows a key on the wall", run_key_goto)))
      ->add_option("--glide", ctl_arguments->glide, "seconds of a smooth change; default: none");
  CLI::App* const previewed = with_wall(
      command("preview", "Flies the path on the wall, as fine as it moves", run_key_preview));
  previewed->add_option("--from", arguments->from, "key that it begins with");
  previewed->add_option("--to", arguments->to, "key that it ends with");
  previewed->add_flag("--loop", arguments->loops, "begins again at the end");
  key->footer(
      "Examples: tilewall ctl keyframe add flight.toml --name start; tilewall ctl keyframe preview "
      "flight.toml --loop");
}

}  // namespace tilewall::cli
