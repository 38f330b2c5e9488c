// The options of a show as typed, and the functions that add them to a command; for `play`, `view`
// and `demo`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/cli/help/help.hpp"
#include "player/cli/options/live_options.hpp"
#include "player/cli/options/volume_options.hpp"
#include "player/cli/play/console_options.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall::cli {

/// The options of a show's sound as typed, for `play` and `demo`.
struct SoundArguments {
  bool off = false;
  double volume_percent = 100;
  std::string host;  ///< "" = this machine
};

void add_sound_options(CLI::App& command, SoundArguments& arguments);

/// Sets the sound options in `options`, which has its wall already. Returns the scene's audio gain.
/// Throws InputError naming the option.
[[nodiscard]] double apply_sound_options(const SoundArguments& arguments,
                                         supervisor::SupervisorOptions& options);

/// The options of a show as typed.
struct PlayArguments {
  std::vector<std::string> inputs;
  std::optional<VolumeArguments> volume;  ///< set by `view`, whose inputs are one volume
  VolumeHostArguments volume_host;
  LiveArguments live;
  std::string keyframes = "flight.toml";  ///< only of `view`
  std::string wall;
  bool small_wall = false;  ///< set by `demo`: a small 5x3, whatever wall is configured
  std::string fps;
  std::string speed = "1";
  std::optional<std::int64_t> start;  ///< empty = the first frame; backwards, the last one
  std::int64_t frames = 0;            ///< 0 = all
  bool loop = false;
  bool ping_pong = false;
  std::string range;    ///< Range in the syntax of range_option()
  std::string compare;  ///< name of a CompareMode
  std::string gain;     ///< gain of CompareMode::difference
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
  std::optional<std::string> stage;  ///< MiB; empty = by the kind of source
  bool headless = false;
  bool exit_at_end = false;
  bool hashes = false;
  bool strict = false;
  bool slate = false;
  std::vector<std::string> snapshots;
  std::vector<std::string> panel_snapshots;
  std::string snapshot_folder = ".";
  std::string decode = "auto";  ///< name of a DecodeDevice
  std::string launcher = "mpirun";
  bool local = false;
  std::string key_file;
  std::string control_encryption = "auto";  ///< name of a ControlEncryption
  std::string run_dir;
  ConsoleArguments console;
  std::string resume;  ///< run directory of a show that died; "" = a new show
  double seconds = 0;  ///< 0 = no limit
  std::string report;
  std::string trace;
  bool overlay = false;
  std::string hints = "on";
  SoundArguments sound;
  bool json = false;
};

/// Adds the options of shows that hold for a presentation as well: where and how it is shown, its
/// sound, and what is written.
void add_presentation_options(CLI::App& command, PlayArguments& arguments);

/// Adds `play` with its inputs and options.
[[nodiscard]] CLI::App* add_play(CLI::App& app, PlayArguments& arguments);
/// Adds `view` with its inputs and options. Sets `arguments.volume`.
[[nodiscard]] CLI::App* add_view(CLI::App& app, PlayArguments& arguments);

/// The groups of the help of `play` and `view`, which put a group of their most used options first.
/// Options without a group are listed last.
[[nodiscard]] std::vector<HelpGroup> show_help_groups();

// The values of options that are switches.
inline constexpr std::string_view on_off_words[] = {"on", "off"};
inline constexpr std::string_view auto_off_words[] = {"auto", "off"};

}  // namespace tilewall::cli
