// The options of a show as typed, and their table; shared by `play`, `view` and `demo`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "player/cli/help/help.hpp"
#include "player/cli/options/volume_options.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall::cli {

// The options of a show's sound, shared by `play` and `demo`.

/// As typed.
struct SoundArguments {
  bool off = false;
  double volume_percent = 100;
  std::string host;  ///< "" = this machine
};

void add_sound_options(CLI::App& command, SoundArguments& arguments);

/// Puts what they ask for into `options`, whose wall is there. Returns the scene's volume. Throws
/// InputError naming the option.
[[nodiscard]] double apply_sound_options(const SoundArguments& arguments,
                                         supervisor::SupervisorOptions& options);

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

// What options take that are switched.
inline constexpr std::string_view on_off_words[] = {"on", "off"};
inline constexpr std::string_view auto_off_words[] = {"auto", "off"};

}  // namespace tilewall::cli
