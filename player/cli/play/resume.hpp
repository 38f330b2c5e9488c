// --resume RUN_DIR: goes on with a show whose supervisor has died, by its journal.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "player/cli/play/play_arguments.hpp"
#include "player/director/log/show_journal.hpp"
#include "player/supervisor/supervisor.hpp"

namespace tilewall::cli {

/// The command line of a show that died, parsed anew.
struct ParsedShow {
  PlayArguments arguments;
  /// Makes the show's options as its command does. Throws what that throws.
  std::function<supervisor::SupervisorOptions(const PlayArguments& arguments,
                                              const std::stop_token& stop)>
      make;
};
/// Parses the "arguments" of a journal's entry "show". Throws InputError naming the journal where
/// they are those of another command.
using ParseShow =
    std::function<ParsedShow(const std::filesystem::path& journal, const nlohmann::json& show)>;

/// Parses the arguments of a `play` or `view`.
[[nodiscard]] ParsedShow parse_play(const std::filesystem::path& journal,
                                    const nlohmann::json& show);

/// Parses `words` by commands that `add` has declared. Throws InputError naming the journal and
/// `expected`.
void parse_again(const std::filesystem::path& journal, std::vector<std::string> words,
                 const std::string& expected, CLI::App& app);

/// A show that is resumed.
struct ShowToResume {
  ParsedShow parsed;  ///< the show that died, with what --resume has beside it
  director::JournalState state;
  std::filesystem::path run_dir;
  std::vector<std::string> words;  ///< the arguments as they were typed for the show that died
};

/// Reads the journal in the folder `given.resume`, and changes to the folder in which the show was
/// started. Of the other options, --report, --trace, --seconds, --json, --headless, --local and
/// --key-file count. Throws InputError naming the journal where it is missing, of another version,
/// or has no scene.
[[nodiscard]] ShowToResume show_to_resume(const PlayArguments& given, const ParseShow& parse);

/// The options of the show, with the scene and the cues of the journal. Throws what `make` throws,
/// and InputError where the wall is another one, or a file of the scene is gone.
[[nodiscard]] supervisor::SupervisorOptions resumed_options(const ShowToResume& show,
                                                            const std::stop_token& stop);

}  // namespace tilewall::cli
