#include "player/cli/play/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "net/slab/remote_url.hpp"
#include "player/cli/play/play_options.hpp"
#include "player/cues/cue.hpp"
#include "player/director/show_options.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/private_files.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_journal = std::size_t{1} << 30;

[[noreturn]] void refuse(const fs::path& journal, const std::string& expected,
                         const std::string& found) {
  throw InputError({journal.string()}, "", expected, found);
}

/// What a journal is that has no entry "show" of ours.
std::string what_it_is(const director::JournalState& state) {
  if (state.version != 0) return fmt::format("version {}", state.version);
  return state.troubles.empty() ? "no beginning of a show" : state.troubles.front();
}

/// The absolute path of a file that was named in the present folder; "" stays.
std::string absolute(const std::string& file) {
  return file.empty() ? file : fs::absolute(file).string();
}

void take_over(PlayArguments& arguments, const PlayArguments& given) {
  arguments.report = given.report;  // the old report is the show's that died
  if (!given.trace.empty()) arguments.trace = given.trace;
  if (!given.key_file.empty()) arguments.key_file = given.key_file;
  arguments.seconds = given.seconds;
  arguments.json = given.json;
  arguments.headless |= given.headless;
  arguments.local |= given.local;
}

/// Throws InputError unless the files that the source names are there.
void check_files(const fs::path& journal, const scene::SourceSpec& source) {
  for (const scene::PlaylistItem& item : source.items) check_files(journal, *item.source);
  const bool is_file = source.kind == scene::SourceKind::wall_movie ||
                       source.kind == scene::SourceKind::movie ||
                       source.kind == scene::SourceKind::images;
  std::error_code error;
  if (is_file && !net::is_remote(source.path) && !fs::exists(source.path, error))
    refuse(journal, "a source that is there", source.path);
}

/// Takes the list that was loaded or changed while the show ran.
void take_cues(const nlohmann::json& list, director::CueShow& show) {
  show.list = cues::cue_list_from_json(list);
  show.is_of_journal = true;
}

}  // namespace

void parse_again(const fs::path& journal, std::vector<std::string> words,
                 const std::string& expected, CLI::App& app) {
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    refuse(journal, expected, error.what());
  }
}

ParsedShow parse_play(const fs::path& journal, const nlohmann::json& show) {
  CLI::App app;
  PlayArguments play;
  PlayArguments view;
  const CLI::App* const plays = add_play(app, play);
  static_cast<void>(add_view(app, view));
  app.require_subcommand(1);
  parse_again(journal, json_field<std::vector<std::string>>(show, "arguments"),
              "the arguments of a play or view (a presentation: tilewall present --resume)", app);
  return {plays->parsed() ? std::move(play) : std::move(view),
          [](const PlayArguments& arguments, const std::stop_token& stop) {
            return supervisor_options(arguments, stop);
          }};
}

ShowToResume show_to_resume(const PlayArguments& given, const ParseShow& parse) {
  ShowToResume show;
  show.run_dir = fs::absolute(given.resume);
  const fs::path journal = show.run_dir / director::journal_file;
  std::error_code error;
  if (!fs::is_regular_file(journal, error))
    throw InputError({"--resume"}, "", "the run directory of a show that died, with its journal",
                     given.resume);
  if (const std::string fault = fault_of_private_folder(show.run_dir); !fault.empty())
    throw InputError({"--resume"}, "", "a folder of this user alone (chmod 700)",
                     fmt::format("{}, {}", given.resume, fault));
  show.state = director::journal_state(read_text_file(journal, longest_journal));
  if (show.state.show.is_null())
    refuse(journal, fmt::format("a journal of version {}", director::journal_version),
           what_it_is(show.state));
  if (show.state.scenes.empty()) refuse(journal, "a scene of the show", "none that is whole");
  PlayArguments here = given;
  here.report = absolute(given.report);
  here.trace = absolute(given.trace);
  here.key_file = absolute(given.key_file);
  show.words = json_field<std::vector<std::string>>(show.state.show, "arguments");
  show.parsed = parse(journal, show.state.show);
  fs::current_path(json_field<std::string>(show.state.show, "folder"), error);
  if (error)
    refuse(journal, "the folder in which the show was started",
           json_field<std::string>(show.state.show, "folder"));
  take_over(show.parsed.arguments, here);
  return show;
}

supervisor::SupervisorOptions resumed_options(const ShowToResume& show,
                                              const std::stop_token& stop) {
  const fs::path journal = show.run_dir / director::journal_file;
  supervisor::SupervisorOptions options = show.parsed.make(show.parsed.arguments, stop);
  const auto panels = json_field<std::vector<std::string>>(show.state.show, "panels");
  if (panels != director::panel_names(options.show.wall))
    refuse(journal,
           fmt::format("the wall \"{}\" with {} panels",
                       json_field<std::string>(show.state.show, "wall"), panels.size()),
           fmt::format("\"{}\" with {}", options.show.wall.name, options.show.wall.panels.size()));
  options.show.scene = director::resumed_scene(show.state);
  if (options.show.cues && !show.state.cues.is_null())
    take_cues(show.state.cues, *options.show.cues);
  for (const scene::SourcePtr& source : scene::sources_of(options.show.scene))
    check_files(journal, *source);
  for (const std::string& trouble : show.state.troubles) {
    options.show.notes.push_back(fmt::format("{}: left out: {}", journal.string(), trouble));
    print_line(stderr, "tilewall: {}", options.show.notes.back());
  }
  options.run_dir = show.run_dir;
  options.resumes = true;
  options.arguments = show.words;
  options.folder = fs::current_path();
  return options;
}

}  // namespace tilewall::cli
