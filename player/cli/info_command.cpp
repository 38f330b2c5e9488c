#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/show_keys.hpp"
#include "player/cli/commands.hpp"
#include "player/cli/options/volume_options.hpp"
#include "player/cli/report/reports.hpp"
#include "player/command/command.hpp"
#include "player/command/progress.hpp"
#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/verify_job.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/playlist/playlist.hpp"
#include "player/movie/remote/remote_movie.hpp"
#include "render/readers/volume_kind.hpp"
#include "sync/base/confined_call.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

struct InfoArguments {
  std::vector<std::string> inputs;
  std::string key_file;
  VolumeArguments volume;
  bool json = false;
  bool verify = false;
};

void add_to(movie::VerifyResult& all, movie::VerifyResult found) {
  all.checked_frames += found.checked_frames;
  all.missing_frames += found.missing_frames;
  all.damaged_frames += found.damaged_frames;
  all.lost_sounds += found.lost_sounds;
  all.more_problems += found.more_problems;
  for (std::string& problem : found.problems)
    if (all.problems.size() < movie::VerifyResult::max_problems)
      all.problems.push_back(std::move(problem));
    else
      ++all.more_problems;
}

nlohmann::json to_json(const movie::VerifyResult& found) {
  return {found.checked_frames, found.missing_frames, found.damaged_frames,
          found.lost_sounds,    found.problems,       found.more_problems};
}

movie::VerifyResult verify_result_from(const nlohmann::json& json) {
  return {json.at(0), json.at(1), json.at(2), json.at(3), json.at(4), json.at(5)};
}

/// Verifies in a process that may read the folders of the inputs alone.
movie::VerifyResult verify_input(const std::vector<std::string>& inputs,
                                 const std::stop_token& stop) {
  const auto work = [&](const std::stop_token& stop_here) {
    command::ProgressLine progress("verify");
    const movie::VerifyResult found = inputs.size() == 1 && scene::is_wall_movie(inputs.front())
                                          ? movie::verify_movie(inputs.front(), stop_here, progress)
                                          : movie::verify_source(inputs, stop_here, progress);
    return json_text(to_json(found));
  };
  return verify_result_from(
      nlohmann::json::parse(confined_call(movie::sandbox_to_read(inputs), work, stop)));
}

/// Verifies each source of a list once.
movie::VerifyResult verify_list(const std::vector<std::string>& inputs,
                                const std::stop_token& stop) {
  movie::VerifyResult all;
  std::set<std::string> verified;
  for (const movie::PlaylistEntry& entry : movie::read_playlist(inputs).entries) {
    if (!verified.insert(entry.path).second) continue;
    if (net::is_remote(entry.path) ||
        render::volume_kind_of(entry.path) != render::VolumeKind::none)
      throw InputError(entry.place, "--verify", "a movie or images", entry.path);
    add_to(all, verify_input({entry.path}, stop));
  }
  return all;
}

movie::VerifyResult verify(const std::vector<std::string>& inputs, const std::string& kind) {
  const StopSignals signals;
  return kind == "playlist" ? verify_list(inputs, signals.token())
                            : verify_input(inputs, signals.token());
}

bool can_verify(const std::string& kind) {
  constexpr std::string_view kinds[] = {"wall movie", "movie",          "SM movie",
                                        "image",      "image sequence", "playlist"};
  return std::ranges::find(kinds, kind) != std::end(kinds);
}

void add_to(nlohmann::ordered_json& report, const movie::VerifyResult& found) {
  report["checked_frames"] = found.checked_frames;
  report["missing_frames"] = found.missing_frames;
  report["damaged_frames"] = found.damaged_frames;
  report["lost_sounds"] = found.lost_sounds;
  report["problems"] = found.problems;
  report["more_problems"] = found.more_problems;
  if (report.contains("judged_images")) report["judged_images"] = found.checked_frames;
}

int run_info(const InfoArguments& arguments) {
  net::use_secret_file(arguments.key_file);
  nlohmann::ordered_json report =
      media_report(arguments.inputs, volume_file_options(arguments.volume));
  const auto kind = report["kind"].get<std::string>();
  if (arguments.verify && !can_verify(kind))
    throw InputError({arguments.inputs.front()}, "--verify",
                     "a movie, images or a list of them in files of this machine", kind);
  movie::VerifyResult found;
  if (arguments.verify) {
    found = verify(arguments.inputs, kind);
    add_to(report, found);
  }
  fmt::print("{}\n", arguments.json ? json_text(report) : report_text(report));
  return found.missing_frames + found.damaged_frames + found.lost_sounds > 0 ? exit_failed
                                                                             : exit_done;
}

}  // namespace

void add_info_command(CLI::App& app, command::CommandRun& run) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App* command =
      app.add_subcommand("info", "Describes a movie, image, sequence, volume, list or wall file");
  command
      ->add_option(
          "FILE", arguments->inputs,
          "a movie, an image, a volume, a folder, frame-%06d.png, a glob, a list, a wall file, "
          "tilewall://HOST or tilewall://HOST/NAME; several volumes that are alike are one series")
      ->required();
  add_volume_part_options(*command, arguments->volume);
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->add_flag(
      "--verify", arguments->verify,
      "check every block of every frame of a wall movie and its sound, or every picture of "
      "another movie, of images or of all entries of a list, instead of the first "
      "picture alone; lists what is damaged or missing, and exits with 1 then");
  command->add_option("--key-file", arguments->key_file, "the wall's key, for servers elsewhere");
  command->footer("Example: tilewall info movie --verify");
  command->callback([arguments, &run] { run = [arguments] { return run_info(*arguments); }; });
}

}  // namespace tilewall::cli
