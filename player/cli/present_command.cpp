#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "net/show_keys.hpp"
#include "net/slab/remote_url.hpp"
#include "player/cli/commands.hpp"
#include "player/cli/help/help.hpp"
#include "player/cli/play/default_wall.hpp"
#include "player/cli/play/show_run.hpp"
#include "player/cli/present/preflight.hpp"
#include "player/cli/present/present_options.hpp"
#include "player/cli/present/present_plan.hpp"
#include "player/cli/present/rehearsal.hpp"
#include "player/cli/present/report_comparison.hpp"
#include "player/cli/present/show_check.hpp"
#include "player/command/command.hpp"
#include "player/cues/show_file.hpp"
#include "player/cues/sidecar_import.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

struct CheckArguments {
  std::string show;
  std::string wall;
  std::string cue;
  bool no_media = false;
  bool preflight = false;
  PreflightArguments hosts;
  bool json = false;
};

wall::Wall wall_of(const std::string& file) {
  return file.empty() ? default_wall(true) : wall::load_wall(file);
}

/// The answers of `present check`, with the hosts' where they are asked.
int check_show(const CheckArguments& arguments) {
  net::use_secret_file(arguments.hosts.key_file);
  const cues::ShowFile file = cues::read_show_file(arguments.show);
  const wall::Wall wall = wall_of(arguments.wall);
  nlohmann::ordered_json check;
  std::optional<survey::SurveyPlan> plan;
  {
    // Hosts are surveyed afterwards, by a process of one thread.
    const StopSignals signals;
    check = checked_show(file, wall, {!arguments.no_media, arguments.cue}, signals.token());
    if (arguments.preflight && check.at("ok").get<bool>())
      plan.emplace(preflight_plan(file, wall, arguments.hosts, signals.token()));
    command::throw_if_stopped(signals.token());
  }
  std::string text = check_text(check);
  int code = check.at("ok").get<bool>() ? exit_done : exit_bad_input;
  if (plan) {
    const auto surveys = run_preflight(*plan, wall, arguments.hosts);
    check["preflight"] = survey::survey_json(surveys);
    text += survey::survey_table(surveys, survey::TableColour::none);
    code = survey::survey_exit_code(surveys);
  }
  fmt::print("{}", arguments.json ? json_text(check) + "\n" : text);
  return code;
}

void add_check(CLI::App& present, command::CommandRun& run) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* const check = present.add_subcommand(
      "check", "Tells whether a show will run: all cues, their inputs, what they need");
  check->add_option("SHOW", arguments->show, "show file")->required();
  check->add_option("--wall", arguments->wall, "wall file; without: the one that play would take");
  check->add_option("--cue", arguments->cue, "print the wall in this cue alone");
  check->add_flag("--no-media", arguments->no_media, "do not open the inputs");
  CLI::Option* const preflight = check->add_flag(
      "--preflight", arguments->preflight,
      "ask the wall's hosts, too: files, displays, servers, memory, clock, logs, rates");
  check->add_flag("--hash", arguments->hosts.hash, "compare files by their contents, too")
      ->needs(preflight);
  check->add_flag("--headless", arguments->hosts.headless, "without displays")->needs(preflight);
  check->add_flag("--local", arguments->hosts.local, "all panels are on this machine");
  check
      ->add_option("--launcher", arguments->hosts.launcher,
                   "what starts programs on hosts, as for play")
      ->capture_default_str();
  check->add_option("--key-file", arguments->hosts.key_file, "the wall's key");
  check->add_flag("--json", arguments->json, "print one JSON object");
  check->footer(
      "Exit code 2: the show cannot be played; 1: a host is not ready.\n"
      "Example: tilewall present check tour.toml --wall wall.toml --preflight");
  check->callback([arguments, &run] { run = [arguments] { return check_show(*arguments); }; });
}

struct FormatArguments {
  std::string show;
  bool in_place = false;
};

int format_show(const FormatArguments& arguments) {
  const std::string text = cues::to_text(cues::read_show_file(arguments.show));
  if (arguments.in_place)
    rewrite_file_atomically(arguments.show, text);
  else
    fmt::print("{}", text);
  return exit_done;
}

void add_format(CLI::App& present, command::CommandRun& run) {
  auto arguments = std::make_shared<FormatArguments>();
  CLI::App* const format = present.add_subcommand(
      "fmt", "Writes a show file in one form, in which versions compare line by line");
  format->add_option("SHOW", arguments->show, "show file")->required();
  format->add_flag("-i,--in-place", arguments->in_place, "write the file instead of printing it");
  format->footer("Comments are left out. Example: tilewall present fmt -i tour.toml");
  format->callback([arguments, &run] { run = [arguments] { return format_show(*arguments); }; });
}

struct ImportCuesArguments {
  std::string cues;
  std::string output;
};

/// Names the show's files relative to the folder in which it is written.
void move_inputs(cues::ShowFile& show, const std::filesystem::path& from,
                 const std::filesystem::path& to) {
  for (cues::CueEntry& cue : show.cues)
    for (cues::RegionEntry& region : cue.regions)
      for (std::string& input : region.inputs)
        if (!net::is_remote(input) && std::filesystem::path(input).is_relative())
          input = std::filesystem::proximate(from / input, to).string();
}

int import_show(const ImportCuesArguments& arguments) {
  std::vector<std::string> lost;
  cues::ShowFile show = cues::show_from_cues(arguments.cues, lost);
  if (!arguments.output.empty())
    move_inputs(show, std::filesystem::absolute(arguments.cues).parent_path(),
                std::filesystem::absolute(arguments.output).parent_path());
  const std::string text = cues::to_text(show);
  for (const std::string& line : lost) print_line(stderr, "tilewall: {}", line);
  if (arguments.output.empty())
    fmt::print("{}", text);
  else
    write_file_atomically(arguments.output, text);
  return exit_done;
}

void add_import(CLI::App& present, command::CommandRun& run) {
  auto arguments = std::make_shared<ImportCuesArguments>();
  CLI::App* const command =
      present.add_subcommand("import", "Turns a .cues file of Blockbuster into a show file");
  command->add_option("CUES", arguments->cues, ".cues file")->required();
  command->add_option("-o,--output", arguments->output, "show file to write; without: print it");
  command->footer(
      "What cannot be kept is named line by line. Example: tilewall present import old.cues -o "
      "new.toml");
  command->callback([arguments, &run] { run = [arguments] { return import_show(*arguments); }; });
}

/// The judgement of a rehearsal's report, which it prints unless the report itself is printed.
int judge_rehearsal(const nlohmann::json& report, std::size_t expected, bool prints_report) {
  const RehearsalResult result = rehearsal_result(
      cue_figures(report, "the report"), {expected, report.value("cues_left_out", std::size_t{0})});
  if (!prints_report) fmt::print("{}", result.text);
  return result.is_complete ? exit_done : exit_failed;
}

int rehearse(const PresentArguments& arguments) {
  std::size_t expected = 0;
  return run_show_command(
      arguments.play,
      [&](const std::stop_token& stop) {
        supervisor::SupervisorOptions options = present_options(arguments, stop);
        const cues::CueList& list = options.show.cues->list;
        expected = list.cues.size() - list.index_of(options.show.scene.cue->cue);
        return options;
      },
      [&](const nlohmann::json& report) {
        return judge_rehearsal(report, expected, arguments.play.json);
      });
}

void add_rehearse(CLI::App& present, command::CommandRun& run) {
  auto arguments = std::make_shared<PresentArguments>();
  CLI::App* const command = present.add_subcommand(
      "rehearse", "Runs all cues of a show by themselves, and tells what came of each");
  add_rehearsal_options(*command, *arguments);
  command->footer(
      "Missing inputs have placeholders. Exit code 1: an input was missing, or panels were not "
      "ready for a cue.\n"
      "Example: tilewall present rehearse tour.toml --wall wall.toml --each 3 --report "
      "before.json");
  command->callback([arguments, &run] { run = [arguments] { return rehearse(*arguments); }; });
}

struct CompareArguments {
  std::string before;
  std::string after;
  bool json = false;
};

int compare_reports(const CompareArguments& arguments) {
  const std::vector<CueFigures> before = read_cue_figures(arguments.before);
  const nlohmann::ordered_json comparison =
      compared_cues(before, read_cue_figures(arguments.after));
  fmt::print("{}", arguments.json ? json_text(comparison) + "\n"
                                  : comparison_text(comparison, arguments.before, arguments.after));
  return comparison.at("is_worse").get<bool>() ? exit_failed : exit_done;
}

void add_compare(CLI::App& present, command::CommandRun& run) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* const compare = present.add_subcommand(
      "compare", "Compares two reports of a show or of its rehearsals, cue by cue");
  compare->add_option("BEFORE", arguments->before, "report (JSON)")->required();
  compare->add_option("AFTER", arguments->after, "report (JSON)")->required();
  compare->add_flag("--json", arguments->json, "print one JSON object");
  compare->footer(
      "Exit code 1: AFTER has more late frames, a newly missing input, or a cue that is no longer "
      "armed.\n"
      "Example: tilewall present compare before.json after.json");
  compare->callback(
      [arguments, &run] { run = [arguments] { return compare_reports(*arguments); }; });
}

/// Goes on with a presentation whose supervisor has died.
int resume_presentation(const PresentArguments& given) {
  if (!given.show.empty()) throw InputError({"--resume"}, "", "no SHOW beside it", given.show);
  if (given.plan || !given.replay.empty())
    throw InputError({"--resume"}, "", "nothing else to do",
                     given.plan ? "--plan" : "--replay " + given.replay);
  return resume_show_command(
      given.play,
      [log = given.log](const std::filesystem::path& journal,
                        const nlohmann::json& show) -> ParsedShow {
        auto arguments = std::make_shared<PresentArguments>();
        auto app = std::make_shared<CLI::App>();
        add_present_options(*app->add_subcommand("present"), *arguments);
        app->require_subcommand(1);
        parse_again(journal, json_field<std::vector<std::string>>(show, "arguments"),
                    "the arguments of a presentation", *app);
        if (!arguments->replay.empty())
          throw InputError({journal.string()}, "", "a presentation",
                           "a replay, which begins anew (tilewall present --replay)");
        arguments->log = log;            // the old one is the show's that died
        if (show.contains("show_text"))  // the file may have been changed since, or have gone
          arguments->show_text = json_field<std::string>(show, "show_text");
        arguments->resumes = true;
        return {arguments->play,
                [arguments, app](const PlayArguments& play, const std::stop_token& stop) {
                  PresentArguments resumed = *arguments;
                  resumed.play = play;
                  return present_options(resumed, stop);
                }};
      });
}

int print_plan(const PresentArguments& arguments) {
  const StopSignals signals;
  const nlohmann::ordered_json plan = present_plan(arguments, signals.token());
  command::throw_if_stopped(signals.token());
  fmt::print("{}", arguments.play.json ? json_text(plan) + "\n" : present_plan_text(plan));
  return exit_done;
}

int run_presentation(const PresentArguments& arguments) {
  if (!arguments.play.resume.empty()) return resume_presentation(arguments);
  if (arguments.show.empty() && arguments.replay.empty())
    throw InputError({"SHOW"}, "", "a show file (see tilewall present --help)", "nothing");
  if (arguments.plan) return print_plan(arguments);
  return run_show_command(arguments.play, [&arguments](const std::stop_token& stop) {
    return present_options(arguments, stop);
  });
}

}  // namespace

void add_present_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<PresentArguments>();
  CLI::App* const present =
      app.add_subcommand("present", "Runs a presentation: prepared cues, on the operator's keys");
  add_present_options(*present, *arguments);
  add_check(*present, run);
  add_format(*present, run);
  add_import(*present, run);
  add_rehearse(*present, run);
  add_compare(*present, run);
  present->footer(
      "Keys, in a window or at the terminal: page down or n goes on, page up or p back, a number "
      "and enter to\n"
      "the cue of that number, b black, f freeze. tilewall ctl next, previous, goto, panic, resume "
      "while it runs.\n"
      "--resume RUN_DIR goes on after the death of this machine or program.\n"
      "Example: tilewall present tour.toml --wall wallconfigs/5x3.toml --report tour.json\n"
      "         tilewall present --replay tour.log.jsonl");
  present->callback([arguments, present, &run] {
    if (!present->get_subcommands().empty()) return;
    run = [arguments] { return run_presentation(*arguments); };
  });
}

}  // namespace tilewall::cli
