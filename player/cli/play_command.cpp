#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "player/cli/commands.hpp"
#include "player/cli/play/play_options.hpp"
#include "player/cli/play/show_run.hpp"
#include "player/command/command.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

/// Options that `play` has beside those of a show.
struct PlanArguments {
  bool wanted = false;                 ///< --plan
  std::vector<std::string> described;  ///< --topology
};

/// Refuses a command that names nothing to play. The library cannot: --resume needs no input.
void check_input(const PlayArguments& arguments) {
  if (!arguments.resume.empty() && !arguments.inputs.empty())
    throw InputError({"--resume"}, "", "no INPUT beside it", arguments.inputs.front());
  if (arguments.resume.empty() && arguments.inputs.empty())
    throw InputError({"INPUT"}, "", "what to play (see tilewall play --help)", "nothing");
}

int print_plan(const PlayArguments& arguments, const PlanArguments& plan) {
  const StopSignals signals;
  PlacementQuestion question = placement_question(arguments, signals.token());
  question.described = plan.described;
  const nlohmann::ordered_json json = placement_json(question);
  fmt::print("{}", arguments.json ? json_text(json) + "\n" : placement_text(json));
  return exit_done;
}

}  // namespace

void add_play_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<PlayArguments>();
  auto plan = std::make_shared<PlanArguments>();
  CLI::App* const command = add_play(app, *arguments);
  CLI::Option* const only_plan =
      command->add_flag("--plan", plan->wanted,
                        "do not play: print where panels' threads and memory go on their hosts, "
                        "and why");
  command
      ->add_option("--topology", plan->described,
                   "with --plan: [HOST=]FILE that lstopo wrote (XML) on another machine, or "
                   "hwloc's synthetic form")
      ->allow_extra_args(false)
      ->needs(only_plan);
  std::vector<HelpGroup> groups = show_help_groups();
  groups.insert(groups.begin(), {"The most used",
                                 {"wall", "loop", "fps", "range", "frames", "fit", "volume",
                                  "headless", "exit-at-end", "report"}});
  group_help(*command, groups);
  command->footer(
      "Keys: space pause, arrows seek, home, end, , . step, [ ] speed, r reverse, l loop, g "
      "ping-pong,\n"
      "i I c range, n p next, + - z x zoom, w a s d pan, m 9 0 sound, b black, o figures, y hints, "
      "q quit, in a window or at\n"
      "the terminal; the wheel zooms, a drag pans or moves a swipe's line, a double click shows "
      "pixels.\n"
      "Example: tilewall play movie --wall wallconfigs/5x3.toml --loop");
  command->callback([arguments, plan, &run] {
    run = [arguments, plan] {
      check_input(*arguments);
      return plan->wanted ? print_plan(*arguments, *plan) : run_show_command(*arguments);
    };
  });
}

}  // namespace tilewall::cli
