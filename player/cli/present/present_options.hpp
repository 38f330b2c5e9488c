// The options of a presentation, and the show that they start.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "player/cli/play/play_arguments.hpp"
#include "player/cues/show_file.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall::cli {

/// The options of `present` as typed.
struct PresentArguments {
  PlayArguments play;  ///< where and how the show is shown; has no inputs
  std::string show;    ///< the show file
  /// The show file as a show that died had read it, for --resume; empty: it is read.
  std::optional<std::string> show_text;
  std::string start;  ///< --start: name or number of the first cue; "" = the first one
  std::string section;
  bool kiosk = false;
  const CLI::App* command = nullptr;  ///< tells which options are typed; null: none are
  bool late_is_recorded = false;      ///< the recorded show had --late
  std::string log;                    ///< file of the log; "" = beside the report
  std::string replay;                 ///< log of the show that is run again; "" = none
  bool plan = false;                  ///< --plan
  bool resumes = false;               ///< --resume
  std::string unarmed = "wait";       ///< --unarmed: wait or now
  bool rehearses = false;             ///< all cues follow by themselves (make_rehearsal())
  std::optional<double> each_s;       ///< --each: for how long; empty = each cue for its own time
};

/// Adds the show file and the options of `present` to a command.
void add_present_options(CLI::App& command, PresentArguments& arguments);
/// The same for `present rehearse`.
void add_rehearsal_options(CLI::App& command, PresentArguments& arguments);

/// Opens the inputs of a show and makes the first scene. Throws what the function below throws.
[[nodiscard]] supervisor::SupervisorOptions present_options(const cues::ShowFile& file,
                                                            const PresentArguments& arguments,
                                                            const std::stop_token& stop);

/// Reads the show file, opens its inputs and makes the first scene. Throws InputError naming the
/// option, or the file with line and cue; JobError where an import fails.
[[nodiscard]] supervisor::SupervisorOptions present_options(const PresentArguments& arguments,
                                                            const std::stop_token& stop);

}  // namespace tilewall::cli
