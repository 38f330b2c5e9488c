// tilewall ctl: asks a running wall, from a shell.
//
//   $ tilewall ctl status
//   5x3: playing, frame 1234, 30.00 of 30 fps, late frames are dropped, for 41 s
//   (a line for each panel, the worst first)
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "player/cli/command.hpp"
#include "player/cli/control_client.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

struct CtlArguments {
  std::string run_dir;
  std::string key_file;
  bool json = false;
};

struct CtlVerb {
  const char* name;
  const char* help;
  void (*print)(const Json& answer);
};

std::string number_or_dash(const Json& value) {
  return value.is_number() ? fmt::format("{}", value.get<std::int64_t>()) : "-";
}

/// Those that are gone or silent, then those with late frames, then by skew.
bool worse(const Json& a, const Json& b) {
  const auto badness = [](const Json& panel) {
    return std::make_tuple(!panel.at("connected").get<bool>(),
                           panel.at("frames_late").get<std::int64_t>(),
                           panel.at("skew_us").at("p99").get<double>());
  };
  return badness(a) > badness(b);
}

std::string state_of(const Json& panel) {
  if (!panel.at("connected").get<bool>()) return "gone";
  const Json& silent = panel.at("silent_s");
  if (silent.is_number() && silent.get<double>() > 1)
    return fmt::format("silent for {:.1f} s", silent.get<double>());
  std::string state = panel.at("clock_state").get<std::string>();
  if (!panel.at("realtime").get<bool>()) state += ", no realtime";
  if (panel.at("restarts").get<int>() > 0)
    state += fmt::format(", {} restarts", panel.at("restarts").get<int>());
  return state;
}

void print_panel(const Json& panel) {
  const Json& skew = panel.at("skew_us");
  const Json& offset = panel.at("swap_offset_us");
  fmt::print(
      "{:<10} {:>9} {:>7} {:>8.0f} {:>8.0f} {:>8.0f} {:>8.0f} {:>5} {:>6} {:>6} {:<6} {}\n",
      panel.at("panel").get<std::string>(), number_or_dash(panel.at("frame")),
      panel.at("frames_late").get<std::int64_t>(), skew.at("p50").get<double>(),
      skew.at("p99").get<double>(), offset.at("p50").get<double>(), offset.at("p99").get<double>(),
      fmt::format("{}/{}", panel.at("buffers_ready").get<int>(), panel.at("buffers").get<int>()),
      panel.at("level").get<int>(), fmt::format("{:.1f}", panel.at("clock_bound_us").get<double>()),
      panel.at("presenter").get<std::string>(), state_of(panel));
}

void print_status(const Json& status) {
  const Json& skew = status.at("skew_us");
  fmt::print("{}: {}, frame {}, {:.2f} of {:g} fps, late policy {}, for {:.0f} s\n",
             status.at("wall").at("name").get<std::string>(), status.at("phase").get<std::string>(),
             number_or_dash(status.at("frame")), status.at("fps").get<double>(),
             status.at("rate_fps").get<double>(), status.at("late").get<std::string>(),
             status.at("running_s").get<double>());
  fmt::print(
      "shown {} of {} frames, {} late; skew p50 {:.0f} p99 {:.0f} max {:.0f} us in 10 s; {} "
      "restarts\n",
      status.at("frames_shown").get<std::int64_t>(), status.at("frames_due").get<std::int64_t>(),
      status.at("frames_late").get<std::int64_t>(), skew.at("p50").get<double>(),
      skew.at("p99").get<double>(), skew.at("max").get<double>(), status.at("restarts").get<int>());
  fmt::print("{:<10} {:>9} {:>7} {:>8} {:>8} {:>8} {:>8} {:>5} {:>6} {:>6} {:<6} {}\n", "panel",
             "frame", "late", "skew p50", "p99 us", "due p50", "p99 us", "ready", "level", "bound",
             "by", "clock");
  std::vector<Json> panels = status.at("per_panel");
  std::stable_sort(panels.begin(), panels.end(), worse);
  for (const Json& panel : panels) print_panel(panel);
}

constexpr CtlVerb verbs[] = {
    {"status", "what every panel shows, how late and how far apart; the worst first", print_status},
};

int run_verb(const CtlVerb& verb, const CtlArguments& arguments) {
  const Json answer = ask_wall({arguments.run_dir, arguments.key_file}, verb.name);
  if (arguments.json)
    fmt::print("{}\n", answer.dump());
  else
    verb.print(answer);
  return exit_done;
}

void add_verb(CLI::App& ctl, CommandRun& run, const CtlVerb& verb,
              const std::shared_ptr<CtlArguments>& arguments) {
  CLI::App* command = ctl.add_subcommand(verb.name, verb.help);
  command->add_flag("--json", arguments->json, "one JSON object on stdout");
  command->add_option("--run-dir", arguments->run_dir,
                      "the wall's run directory; without: the one that runs here");
  command->add_option("--key-file", arguments->key_file, "the wall's key, where it has one");
  command->callback([&verb, arguments, &run] {
    run = [&verb, arguments] { return run_verb(verb, *arguments); };
  });
}

}  // namespace

void add_ctl_command(CLI::App& app, CommandRun& run) {
  auto arguments = std::make_shared<CtlArguments>();
  CLI::App* ctl = app.add_subcommand("ctl", "Asks a running wall, from a shell");
  ctl->require_subcommand(1);
  ctl->footer("Example: tilewall ctl status");
  for (const CtlVerb& verb : verbs) add_verb(*ctl, run, verb, arguments);
}

}  // namespace tilewall
