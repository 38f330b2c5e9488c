#include "player/cli/play/wall_survey.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "net/show_keys.hpp"
#include "player/cli/source/show_source.hpp"
#include "player/command/command.hpp"
#include "player/supervisor/host_surveys.hpp"
#include "player/supervisor/run_dir.hpp"
#include "player/survey/survey_plan.hpp"
#include "player/survey/survey_table.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/stop_signals.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {
namespace {

std::chrono::milliseconds to_ms(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// The whole wall as one region, as a show begins.
scene::Region whole_wall(const wall::Wall& wall, scene::SourceSpec source) {
  const SizePx canvas_px = wall::Canvas(wall, wall.default_bezel_mode()).size_px();
  scene::Region region;
  region.name = scene::main_region;
  region.canvas_px = {0, 0, static_cast<double>(canvas_px.width),
                      static_cast<double>(canvas_px.height)};
  region.source = std::make_shared<const scene::SourceSpec>(std::move(source));
  return region;
}

survey::SurveyPlan plan_of(const WallSurveyArguments& arguments, const wall::Wall& wall) {
  survey::PlanOptions options;
  options.headless = arguments.headless;
  if (arguments.hash) options.hashing = survey::Hashing::contents;
  options.time = to_ms(arguments.seconds);
  if (arguments.limit_s > 0) options.limit = to_ms(arguments.limit_s);
  options.logs = supervisor::run_dir_base();
  survey::SurveyPlan plan(wall, options);
  if (arguments.inputs.empty()) return plan;
  // A signal ends the opening in order. Hosts are surveyed afterwards, by a process of one thread.
  auto signals = std::make_unique<StopSignals>();
  const std::stop_token stop = signals->token();
  plan.add_region(whole_wall(wall, open_show_source(arguments.inputs, wall, {}, stop)));
  signals.reset();
  command::throw_if_stopped(stop);
  return plan;
}

}  // namespace

int run_wall_survey(const WallSurveyArguments& arguments) {
  net::use_secret_file(arguments.key_file);
  const wall::Wall wall = wall::load_wall(arguments.wall);
  const survey::SurveyPlan plan = plan_of(arguments, wall);
  supervisor::HostSurveyOptions options;
  options.launcher = arguments.launcher;
  options.local = arguments.local;
  options.key_file = arguments.key_file;
  const auto request_of = [&](const supervisor::LaunchHost& host, const std::string& clock) {
    return plan.request_for(host.panels, clock);
  };
  const std::vector<survey::HostSurvey> surveys =
      supervisor::survey_hosts(wall, options, request_of);
  const auto colour = ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr
                          ? survey::TableColour::terminal
                          : survey::TableColour::none;
  const std::string text = arguments.json ? json_text(survey::survey_json(surveys), 2) + "\n"
                                          : survey_table(surveys, colour);
  std::fwrite(text.data(), 1, text.size(), stdout);  // main() checks stdout for errors
  return survey_exit_code(surveys);
}

}  // namespace tilewall::cli
