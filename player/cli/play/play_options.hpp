// The options of a show, as typed and as meant; shared by `play`, `demo` and the wall benchmark.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "player/cli/help/help_groups.hpp"
#include "player/cli/options/volume_options.hpp"
#include "player/cli/play/placement_report.hpp"
#include "player/cli/play/sound_options.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall {

/// As typed.
struct PlayArguments {
  std::vector<std::string> inputs;
  std::optional<VolumeArguments> volume;  ///< of `view`, whose inputs are one volume
  VolumeHostArguments volume_host;
  std::string wall;
  bool small_wall = false;  ///< of `demo`: a small 5x3, whatever wall is configured
  std::string fps;
  std::string speed = "1";
  std::optional<std::int64_t> start;  ///< empty: the first frame; backwards, the last one
  std::int64_t frames = 0;            ///< 0: all
  bool loop = false;
  bool ping_pong = false;
  std::string range;    ///< as range_option() takes it
  std::string compare;  ///< a CompareMode
  std::string gain;     ///< of CompareMode::difference
  bool import_first = false;
  bool skip_missing = false;
  std::string view;
  std::string fit = "contain";
  std::string bezels;
  std::string content;
  std::string late = "drop";
  std::string hdr = "map";
  std::string presenter = "auto";
  std::string pin = "auto";
  std::vector<std::string> place;
  std::string vsync = "auto";
  std::optional<std::string> stage;  ///< MiB; empty: it depends on the kind of source
  bool headless = false;
  bool exit_at_end = false;
  bool hashes = false;
  bool strict = false;
  std::vector<std::string> snapshots;
  std::vector<std::string> panel_snapshots;
  std::string decode = "auto";  ///< a DecodeDevice
  std::string launcher = "mpirun";
  bool local = false;
  std::string key_file;
  std::string run_dir;
  std::string report;
  std::string trace;
  bool overlay = false;
  std::string hints = "on";
  SoundArguments sound;
  bool json = false;
};

/// What shows of every kind have.
void add_show_options(CLI::App& command, PlayArguments& arguments);
/// And movies besides.
void add_play_options(CLI::App& command, PlayArguments& arguments);

/// The groups of the help of `play` and `view`; each puts its own most used options before them. An
/// option that none names is listed last.
[[nodiscard]] std::vector<HelpGroup> show_help_groups();

/// Throws InputError unless a snapshot can be written there: a .png in a folder that exists.
void check_snapshot_file(const std::string& option, const std::filesystem::path& file);

/// What `play --plan` is about. Inputs that are all on servers are not opened. Throws as the next.
[[nodiscard]] PlacementQuestion placement_question(const PlayArguments& arguments,
                                                   const std::stop_token& stop);

/// Reads and checks everything that can be checked before a process is started; imports into the
/// cache where that is needed. Throws InputError naming the option or file.
[[nodiscard]] SupervisorOptions supervisor_options(const PlayArguments& arguments,
                                                   const std::stop_token& stop);

/// Runs the show, writes --report, prints the result. Returns the exit code.
int play_show(const PlayArguments& arguments, SupervisorOptions options);

/// All of a command that runs a show; where there is none, --report says why.
int run_show_command(const PlayArguments& arguments);

}  // namespace tilewall
