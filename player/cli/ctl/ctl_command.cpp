// tilewall ctl: controls a running wall from a shell, and prints its status.
//
//   $ tilewall ctl seek 100
//   seek: frame 100 in 98 ms
//   $ tilewall ctl blank on
//   blank: frame 1230 in 98 ms, not shown by c0r0, c1r0
//   $ tilewall ctl status
//   green: all 15 panels show every frame in time
//   5x3: playing, frame 1234 of 7200, 0:41.1 of 4:00.0, 30.00 of 30 fps, late policy drop, for 41 s
//   shown 1233 of 1233 frames, 0 late; 0 restarts, 0 decoder deaths

#include "player/cli/ctl/ctl_command.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>

#include "player/cli/ctl/path_keys.hpp"
#include "player/cli/ctl/verbs.hpp"
#include "player/cli/ctl/words.hpp"
#include "player/command/control_client.hpp"
#include "player/verbs/verb_list.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;
using ArgumentsPtr = std::shared_ptr<CtlArguments>;

constexpr std::chrono::seconds follow_interval{1};

Json ask(command::WallConnection& wall, const CtlVerb& verb, const CtlArguments& arguments) {
  const Json request = verb.request(arguments, wall);
  if (request.is_null()) return Json::object();
  try {
    Json answer = wall.ask(request);
    if (verb.finish != nullptr) verb.finish(arguments, request, answer);
    return answer;
  } catch (const InputError& refusal) {
    throw InputError(refusal_text(verb.name, arguments, refusal.what()));
  }
}

int run_verb(const CtlVerb& verb, const CtlArguments& arguments) {
  command::WallConnection wall(arguments.address);
  const Json answer = ask(wall, verb, arguments);
  if (arguments.json)
    fmt::print("{}\n", json_text(answer));
  else if (answer.contains("cues"))
    fmt::print("{}", cues_text(answer));
  else
    print_line(stdout, "{}", done_text(verb.name, answer));
  return exit_done;
}

int run_status(const CtlArguments& arguments) {
  const Json status = command::WallConnection(arguments.address).ask({{"type", "status"}});
  if (arguments.json)
    fmt::print("{}\n", json_text(status));
  else
    fmt::print("{}", status_text(status, {arguments.verbose, colours_wanted()}));
  return exit_done;
}

/// Prints new lines of the logs once a second until the wall ends, as text or as JSON objects.
int follow_logs(command::WallConnection& wall, const Json& request, bool json) {
  Json before = Json::array();
  try {
    for (;;) {
      Json logs = wall.ask(request);
      const Json lines = logs.at("lines");
      logs["lines"] = lines_since(before, lines);
      before = lines;
      if (json)
        for (const Json& line : logs.at("lines")) fmt::print("{}\n", json_text(line));
      else
        fmt::print("{}", logs_text(logs));
      std::fflush(stdout);
      std::this_thread::sleep_for(follow_interval);
    }
  } catch (const JobError&) {  // the wall has ended
    return exit_done;
  }
}

/// Prints the logs on standard output. Notes about what is missing go to standard error.
int run_logs(const CtlArguments& arguments) {
  Json request = {{"type", "logs"}};
  if (!arguments.role.empty()) request["role"] = arguments.role;
  command::WallConnection wall(arguments.address);
  if (arguments.follow) return follow_logs(wall, request, arguments.json);
  const Json logs = wall.ask(std::move(request));
  if (arguments.json) {
    fmt::print("{}\n", json_text(logs));
    return exit_done;
  }
  fmt::print("{}", logs_text(logs));
  if (logs.at("is_cut") == true)
    fmt::print(stderr, "tilewall: ctl logs: earlier lines are left out\n");
  for (const Json& host : logs.at("missing"))
    print_line(stderr, "tilewall: ctl logs: host {} did not answer", host.get<std::string>());
  return exit_done;
}

/// Prints one line for each event until the wall ends, as text or as a JSON object.
void print_events(command::WallConnection& wall, bool json) {
  static_cast<void>(wall.ask({{"type", "subscribe"}}));
  while (const auto event = wall.next_event()) {
    if (json)
      fmt::print("{}\n", event->dump());
    else
      print_line(stdout, "{}", event_text(*event));
    std::fflush(stdout);
  }
}

int run_events(const CtlArguments& arguments) {
  command::WallConnection wall(arguments.address);
  print_events(wall, arguments.json);
  return exit_done;
}

void add_common_options(CLI::App& command, CtlArguments& arguments) {
  command.add_flag("--json", arguments.json, "JSON on stdout, one object a line");
  command.add_option("--run-dir", arguments.address.run_dir,
                     "the wall's run directory; default: the wall that runs on this machine");
  command.add_option("--key-file", arguments.address.key_file, "the wall's key, if it has one");
}

void add_option(CLI::App& command, CtlArguments& arguments, CtlOption option) {
  switch (option) {
    case CtlOption::at:
      command.add_option("--at", arguments.at, "place on the canvas, in pixels");
      return;
    case CtlOption::glide:
      command.add_option("--glide", arguments.glide, "seconds of a smooth change; default: none");
      return;
    case CtlOption::line:
      command.add_option("--line", arguments.line,
                         "swipe: place of the line, 0 (left) to 1 (right)");
      return;
    case CtlOption::gain:
      command.add_option("--gain", arguments.gain, "difference: factor that enlarges it, 1 to 255");
      return;
    case CtlOption::skip_missing:
      command.add_flag("--skip-missing", arguments.skip_missing,
                       "leave out entries of a list that name no file, with a note; the show's own "
                       "--skip-missing, --hdr and --import apply here too");
      return;
    case CtlOption::live:
      add_live_options(command, arguments.live);
      return;
  }
}

void add_verb(CLI::App& ctl, command::CommandRun& run, const CtlVerb& verb,
              const ArgumentsPtr& arguments) {
  CLI::App* command =
      ctl.add_subcommand(std::string(verb.name), std::string(verbs::help_of(verb.name)));
  if (!verb.usage.empty())
    command->add_option("words", arguments->words, std::string(verb.usage))->type_name("");
  else
    command->add_option("words", arguments->words, "")->group("");
  for (const CtlOption option : verb.options) add_option(*command, *arguments, option);
  add_common_options(*command, *arguments);
  command->add_option("--region", arguments->region, "name of the region; default: the first one");
  command->add_option("--as", arguments->as, "name of the owner who acts; default: the operator");
  if (verb.details != nullptr) command->footer(verb.details());
  command->callback(
      [verb, arguments, &run] { run = [verb, arguments] { return run_verb(verb, *arguments); }; });
}

CLI::App* add_question(CLI::App& ctl, command::CommandRun& run, const char* name,
                       int (*ask)(const CtlArguments&), const ArgumentsPtr& arguments) {
  // `ctl events` is the verb subscribe of the control port.
  const std::string_view verb = std::string_view(name) == "events" ? "subscribe" : name;
  CLI::App* command = ctl.add_subcommand(name, std::string(verbs::help_of(verb)));
  add_common_options(*command, *arguments);
  command->callback([ask, arguments, &run] { run = [ask, arguments] { return ask(*arguments); }; });
  return command;
}

/// All verbs except "status", "events" and "logs", in the order of the help.
std::vector<CtlVerb> ctl_verbs() {
  std::vector<CtlVerb> all;
  for (auto& group : {ctl_transport_verbs(), ctl_view_verbs(), ctl_region_verbs(), ctl_cue_verbs(),
                      ctl_wall_verbs()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace

void add_ctl_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<CtlArguments>();
  CLI::App* ctl = app.add_subcommand("ctl", "Controls a running wall from a shell");
  ctl->require_subcommand(1);
  // Options of the command itself may also stand before the verb.
  add_common_options(*ctl, *arguments);
  ctl->footer(
      "Examples: tilewall ctl status; tilewall ctl seek +10; tilewall ctl seek -- -5s;\n"
      "tilewall ctl view 100,100,640,400 --glide 2; tilewall ctl compare swipe other --line 0.3");
  add_question(*ctl, run, "status", run_status, arguments)
      ->add_flag("--verbose", arguments->verbose,
                 "all figures: regions, skew, every panel, every item of a list");
  add_question(*ctl, run, "events", run_events, arguments);
  CLI::App* const logs = add_question(*ctl, run, "logs", run_logs, arguments);
  logs->add_option("--role", arguments->role,
                   "the logs of this role alone: launcher, panel-3, panel (all of them), ...");
  logs->add_flag("--follow", arguments->follow, "goes on with new lines until the wall ends");
  for (const CtlVerb& verb : ctl_verbs()) add_verb(*ctl, run, verb, arguments);
  add_key_commands(*ctl, run, arguments);
}

}  // namespace tilewall::cli
