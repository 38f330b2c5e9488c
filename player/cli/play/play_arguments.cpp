#include "player/cli/play/play_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "player/cli/options/option_values.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/play/placement_options.hpp"
#include "player/command/number_check.hpp"
#include "player/present/presenter.hpp"
#include "player/scene/compare.hpp"
#include "sync/base/error.hpp"

namespace tilewall::cli {
namespace {

constexpr double max_seconds = 1e7;

/// Adds the options of every show: its wall, how it is shown, and what is written.
void add_common_options(CLI::App& command, PlayArguments& arguments) {
  command.add_option(
      "--wall", arguments.wall,
      "wall file; without: TILEWALL_WALL's, the user's or the system's tilewall/wall.toml (see man "
      "tilewall), or a 5x3 that fits this screen");
  takes_one_of(command.add_option("--bezels", arguments.bezels,
                                  "hide: the picture goes on behind them; show: panels abut"),
               wall::bezel_mode_names);
  takes_one_of(
      command.add_option("--content", arguments.content,
                         "on an arc: arc_length (along the screens), eye (flat as seen from the "
                         "eye point), flat (as from far away)"),
      wall::content_mode_names);
  takes_one_of(
      command.add_option("--late", arguments.late,
                         "drop frames, the same on all panels; slow the timeline; or lower all "
                         "panels' detail and drop"),
      scene::late_policy_names)
      ->capture_default_str();
  takes_one_of(command.add_option("--presenter", arguments.presenter, "what panels draw with"),
               present::presenter_kind_names)
      ->capture_default_str();
  takes_one_of(command.add_option("--pin", arguments.pin,
                                  "auto: panels' threads and memory are placed by a plan; off: by "
                                  "the system"),
               auto_off_words)
      ->capture_default_str();
  add_place_option(command, arguments.place);
  takes_one_of(command.add_option("--vsync", arguments.vsync,
                                  "auto: windows swap with the display's refresh; off: at once, "
                                  "where GL allows it"),
               auto_off_words)
      ->capture_default_str();
  command.add_flag("--headless", arguments.headless, "no windows: needs no display and no GPU");
  command.add_flag("--exit-at-end", arguments.exit_at_end, "windows too end after the last frame");
  command.add_flag("--slate", arguments.slate,
                   "a region whose pictures do not come for 1 s shows the source's name and since "
                   "when, until they go on");
  command.add_flag("--strict", arguments.strict,
                   "exit with 1 where frames were missing, damaged, repeated or black, a panel "
                   "stayed black or a decoder died");
  command.add_flag("--hashes", arguments.hashes, "record the hash of every picture in the report");
  command.add_option("--report", arguments.report, "write the report (JSON) to this file");
  command.add_flag("--overlay", arguments.overlay,
                   "panels show their figures over their pictures (key o)");
  takes_one_of(command.add_option("--hints", arguments.hints,
                                  "panels show for a moment what a key has done (key y)"),
               on_off_words)
      ->capture_default_str();
  command.add_option("--trace", arguments.trace,
                     "write a trace of all processes (for ui.perfetto.dev) to this file");
  command.add_flag("--json", arguments.json, "print the report as one JSON object");
  command.add_flag("--local", arguments.local, "all panels on this machine");
  command
      .add_option("--launcher", arguments.launcher,
                  "what starts a host's panels: mpirun with options, or a command in which {host} "
                  "and {panels} stand for the host's address and its number of panels")
      ->capture_default_str();
  command.add_option("--key-file", arguments.key_file,
                     "the wall's key, for clock daemons and servers elsewhere");
  takes_one_of(command.add_option("--control-encryption", arguments.control_encryption,
                                  "auto: connections between hosts are encrypted; on: those of one "
                                  "host too; off: none. All are authenticated"),
               director::control_encryption_names)
      ->capture_default_str();
  command.add_option("--run-dir", arguments.run_dir,
                     "folder for ports, process numbers, logs, and the journal of --resume");
  add_console_options(command, arguments.console);
  command
      .add_option("--seconds", arguments.seconds,
                  "the show ends so long after its first picture at the latest")
      ->check(command::NumberIn(0.0, max_seconds));
  command
      .add_option("--snapshot-folder", arguments.snapshot_folder,
                  "programs at the control port may save snapshots below this folder alone; ctl "
                  "snapshot saves anywhere")
      ->capture_default_str();
}

/// Adds the options of shows of one input.
void add_show_options(CLI::App& command, PlayArguments& arguments) {
  add_common_options(command, arguments);
  command.add_option("--fps", arguments.fps, "frames per second, such as 24 or 30000/1001");
  command.add_option("--speed", arguments.speed, "factor of the rate; negative: backwards")
      ->capture_default_str();
  command.add_option("--start", arguments.start, "first frame, from 0");
  command
      .add_option("--frames", arguments.frames,
                  "number of due frames after which the show ends; of two compared movies, the "
                  "first one's")
      ->check(command::NumberIn(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
  command.add_flag("--loop", arguments.loop, "start over at the end");
  command.add_flag("--ping-pong", arguments.ping_pong, "reverse the direction at both ends");
  add_hdr_option(command, arguments.hdr);
  command.add_option("--snapshot", arguments.snapshots, "FRAME:FILE.png: the wall as shown")
      ->allow_extra_args(false);
  command
      .add_option("--snapshot-panels", arguments.panel_snapshots,
                  "FRAME:FILE.png: FILE-<panel>.png for each panel")
      ->allow_extra_args(false);
}

/// Adds the options of `play`: those of every show, and those of movies.
void add_play_options(CLI::App& command, PlayArguments& arguments) {
  add_show_options(command, arguments);
  command.add_option(
      "--resume", arguments.resume,
      "instead of an input: the --run-dir of a show that died with its host or its "
      "supervisor; it goes on with its wall, its options, and the frame that was due");
  command.add_flag(
      "--import", arguments.import_first,
      "an ordinary movie: import it into the cache first, for codecs that are too slow");
  command.add_flag("--skip-missing", arguments.skip_missing,
                   "leave out entries of a list that name no file, with a note");
  command.add_option("--range", arguments.range, "A-B, A-, -B or N: play these frames only");
  takes_one_of(command.add_option("--compare", arguments.compare, "two inputs in step"),
               scene::compare_mode_names);
  command.add_option("--gain", arguments.gain,
                     "with --compare difference: factor that enlarges it, 1 to 255");
  takes_one_of(command.add_option("--decode", arguments.decode,
                                  "what decodes ordinary movies on each host; auto: a GPU that "
                                  "can, else the processor"),
               scene::decode_device_names)
      ->capture_default_str();
  command.add_option("--view", arguments.view, "X,Y,W,H: the part of the movie that is shown");
  takes_one_of(
      command.add_option("--fit", arguments.fit, "how a picture of another shape fills the wall"),
      scene::fit_mode_names)
      ->capture_default_str();
  command.add_option(
      "--stage", arguments.stage,
      "MiB of coming frames that each panel holds, as they are stored: 64 of movies from servers; "
      "of files none unless it is given, for file systems that are slow at times");
  add_volume_host_options(command, arguments.volume_host);
  add_sound_options(command, arguments.sound);
}

}  // namespace

void add_presentation_options(CLI::App& command, PlayArguments& arguments) {
  add_common_options(command, arguments);
  add_sound_options(command, arguments.sound);
}

CLI::App* add_play(CLI::App& app, PlayArguments& arguments) {
  CLI::App* command = app.add_subcommand("play", "Plays a movie on a wall, all panels in step");
  command->add_option("INPUT", arguments.inputs,
                      "a wall movie, a movie, images (pattern, glob, folder), a list (.m3u8, .txt, "
                      ".cues), pattern:NAME or demo:movie; several play one after the other");
  add_play_options(*command, arguments);
  return command;
}

CLI::App* add_view(CLI::App& app, PlayArguments& arguments) {
  CLI::App* command = app.add_subcommand("view", "Draws a volume on a wall, all panels in step");
  command
      ->add_option("INPUT", arguments.inputs,
                   "a volume or a series of them: NRRD, MetaImage, NIfTI, VTI, PVD, npy, HDF5, "
                   "NetCDF, AMReX plotfile, OME-Zarr, raw with a sidecar; a pattern or folder; "
                   "tilewall://HOST[:PORT]/NAME; several files are one series; live:NAME waits "
                   "for a simulation of that name")
      ->required();
  add_volume_options(*command, arguments.volume.emplace());
  add_volume_host_options(*command, arguments.volume_host);
  add_live_options(*command, arguments.live);
  command
      ->add_option("--keyframes", arguments.keyframes,
                   "the flight path that the keys e and shift e add key frames to and remove them "
                   "from; 'tilewall render' makes a movie of it")
      ->capture_default_str();
  add_show_options(*command, arguments);
  return command;
}

std::vector<HelpGroup> show_help_groups() {
  return {
      {"What is played, and how fast",
       {"fps", "speed", "start", "frames", "seconds", "loop", "ping-pong", "exit-at-end", "compare",
        "gain", "import", "skip-missing"}},
      {"Where and how on the wall",
       {"view", "bezels", "content", "overlay", "hints", "slate", "hdr"}},
      {"Sound", {"volume", "no-audio", "audio-host"}},
      {"Keeping pace", {"late", "decode", "stage", "presenter", "vsync"}},
      {"What is written",
       {"snapshot", "snapshot-panels", "snapshot-folder", "hashes", "trace", "strict", "json"}},
      {"On which machines", {"local", "launcher", "key-file", "run-dir", "resume"}},
      {"Where threads and memory are", {"plan", "topology", "pin", "place", "caster", "memory"}}};
}

namespace {

constexpr double max_volume_percent = 200;

bool drives_panels(const std::string& host, const wall::Wall& wall) {
  return std::any_of(wall.panels.begin(), wall.panels.end(),
                     [&](const wall::Panel& panel) { return panel.host == host; });
}

}  // namespace

void add_sound_options(CLI::App& command, SoundArguments& arguments) {
  command.add_flag("--no-audio", arguments.off, "no sound");
  command.add_option("--volume", arguments.volume_percent, "audio gain, 0 to 200 percent")
      ->capture_default_str();
  command.add_option("--audio-host", arguments.host,
                     "the host of the wall file that plays the sound, instead of this machine");
}

double apply_sound_options(const SoundArguments& arguments,
                           supervisor::SupervisorOptions& options) {
  const double volume = arguments.volume_percent;
  if (!(volume >= 0 && volume <= max_volume_percent))
    throw InputError({"--volume"}, "", fmt::format("a number in [0, {}]", max_volume_percent),
                     fmt::format("\"{}\"", volume));
  // With --local everything runs on this machine, also the sound.
  if (!arguments.host.empty() && !options.local) {
    if (!drives_panels(arguments.host, options.show.wall))
      throw InputError({"--audio-host"}, "", "a host of the wall file that drives panels",
                       '"' + arguments.host + '"');
    options.sound_host = arguments.host;
  }
  options.show.sound = !arguments.off;
  return volume / 100;
}

}  // namespace tilewall::cli
