#include "player/cli/present/present_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "player/cli/options/option_values.hpp"
#include "player/cli/options/transfer_options.hpp"
#include "player/cli/play/placement_options.hpp"
#include "player/cli/play/play_options.hpp"
#include "player/cli/present/kiosk.hpp"
#include "player/cli/present/open_cues.hpp"
#include "player/cli/present/rehearsal.hpp"
#include "player/cli/present/show_recording.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::cli {
namespace {

constexpr std::string_view unarmed_words[] = {"wait", "now"};

/// The cue that the options begin with.
std::size_t first_cue(const PresentArguments& arguments, const cues::CueList& list) {
  if (!arguments.start.empty()) {
    try {
      return list.index_of(arguments.start);
    } catch (const InputError& error) {
      throw InputError("--start: " + std::string(error.what()));
    }
  }
  if (arguments.section.empty()) return 0;
  const auto found = std::ranges::find(list.cues, arguments.section, &cues::Cue::section);
  if (found == list.cues.end())
    throw InputError({"--section"}, "", "a section of the show", '"' + arguments.section + '"');
  return static_cast<std::size_t>(found - list.cues.begin());
}

/// The options that a show and its rehearsal have in common.
void add_show_options(CLI::App& command, PresentArguments& arguments) {
  command.add_option("--start", arguments.start, "name or number of the cue to begin with");
  command.add_option("--section", arguments.section, "the section to begin with");
  takes_one_of(command.add_option("--unarmed", arguments.unarmed,
                                  "a cue that panels are not ready for: wait for them, up to 5 s, "
                                  "or go on now"),
               unarmed_words)
      ->capture_default_str();
  command.add_option("--log", arguments.log,
                     "write all commands, cues, late frames and restarts to this file, a line of "
                     "JSON each; with --report rep.json it is rep.log.jsonl without this option");
  command.add_option("--replay", arguments.replay,
                     "run the commands of this log again, at the same times; show file, wall and "
                     "options are the recorded ones unless they are given");
  add_presentation_options(command, arguments.play);
  arguments.command = &command;
}

}  // namespace

void add_present_options(CLI::App& command, PresentArguments& arguments) {
  command.add_option("SHOW", arguments.show, "show file (TOML), see SHOW_FILE.md");
  command.add_flag("--kiosk", arguments.kiosk,
                   "the section, or the whole show, begins again at its end and goes on by itself");
  command.add_flag("--plan", arguments.plan,
                   "do not play: print where threads and memory go, and what getting ready for the "
                   "next cue needs");
  command.add_option("--resume", arguments.play.resume,
                     "instead of SHOW: the --run-dir of a presentation that died with its host or "
                     "its supervisor; it goes on in its cue, with its countdown");
  add_show_options(command, arguments);
}

void add_rehearsal_options(CLI::App& command, PresentArguments& arguments) {
  arguments.rehearses = true;
  command.add_option("SHOW", arguments.show, "show file (TOML), see SHOW_FILE.md")->required();
  command
      .add_option("--each", arguments.each_s,
                  "seconds for each cue; without: each cue's own time, 60 s at most unless the "
                  "file sets it")
      ->check(command::NumberIn(0.1, 86400.0))
      ->type_name("S");
  add_show_options(command, arguments);
}

supervisor::SupervisorOptions present_options(const PresentArguments& arguments,
                                              const std::stop_token& stop) {
  std::optional<director::Recording> replay;
  if (!arguments.replay.empty()) replay = director::read_recording(arguments.replay);
  const PresentArguments all = replay ? recorded_arguments(arguments, *replay) : arguments;
  std::string text = all.show_text ? *all.show_text : cues::read_show_text(all.show);
  const cues::ShowFile file = cues::show_from_text(all.show, text);
  std::filesystem::path log = log_file(all);
  supervisor::SupervisorOptions options = present_options(file, all, stop);
  options.show_text = std::move(text);
  if (!log.empty()) options.show.log = {std::move(log), log_head(all, options.show.wall)};
  if (replay)
    for (const std::string& note : replay->notes) {
      print_line(stderr, "tilewall: {}", note);
      options.show.notes.push_back(note);
    }
  options.show.replay = std::move(replay);
  options.outlives_terminal = !arguments.rehearses;
  return options;
}

supervisor::SupervisorOptions present_options(const cues::ShowFile& file,
                                              const PresentArguments& arguments,
                                              const std::stop_token& stop) {
  PlayArguments play = arguments.play;
  if (arguments.rehearses) play.exit_at_end = false;  // the last cue has its time, too
  play.console.always = !arguments.rehearses;
  // What was typed, now or for the recorded show, goes before the show file's.
  const bool has_late = arguments.command != nullptr && arguments.command->count("--late") > 0;
  if (!has_late && !arguments.late_is_recorded) play.late = file.late;
  supervisor::SupervisorOptions options = common_options(play);
  const wall::Wall& wall = options.show.wall;
  scene::Scene& scene = options.show.scene;
  CueWays ways;
  ways.bezels = bezel_option(play.bezels);
  if (!play.content.empty()) ways.content = content_option(play.content, wall);
  ways.volume = scene.audio_gain;
  ways.uses = &options.cache_uses;
  ways.refuses = !arguments.rehearses;
  director::CueShow show = open_cues(file, wall, ways, stop);
  if (arguments.kiosk) make_kiosk(show.list, arguments.section);
  if (arguments.rehearses) make_rehearsal(show, arguments.each_s);
  options.show.ends_with_cues = arguments.rehearses;
  const std::size_t first = first_cue(arguments, show.list);
  scene.version = 1;
  scene.epoch = 1;
  scene.overlay.shown = play.overlay;
  scene.hints = option_word_index("--hints", play.hints, on_off_words) == 0;
  scene.bezels = show.before.bezels;
  scene.content = show.before.content;
  scene = director::CueDesk(wall, show).first_scene(std::move(scene), first);
  options.show.server = first_server(*scene.regions.front().source);
  options.show.unarmed = option_word_index("--unarmed", arguments.unarmed, unarmed_words) == 1;
  options.show.cues = std::move(show);
  return options;
}

}  // namespace tilewall::cli
