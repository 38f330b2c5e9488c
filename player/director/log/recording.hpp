// A show log as read for a replay (SHOW_LOG.md): what its commands did, and when.
//
// Threads: any; these are values and free functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sync/global_time.hpp"

namespace tilewall::director {

/// A command of the log that was done.
struct RecordedCommand {
  int line = 0;                    ///< Line of the log, from 1
  nlohmann::json request;          ///< as it arrived, with its verb in "type"
  std::optional<std::string> cue;  ///< the cue that it went to; empty: it went to none
  bool begins_again = false;       ///< the cue's section began again
};

/// Commands that took effect together.
struct RecordedChange {
  Nanos effect{0};  ///< since the show's start
  std::vector<RecordedCommand> commands;
};

struct Recording {
  std::string file;                     ///< for messages
  nlohmann::json head;                  ///< the first line: how the show was started
  std::vector<RecordedChange> changes;  ///< in the order in which the director made them
  Nanos end{0};                         ///< when the show ended, since its start
  std::vector<std::string> notes;       ///< lines for people: what is not repeated
};

/// Whether a request ends the show: the verb `quit`, or its key.
[[nodiscard]] bool is_quit(const nlohmann::json& request);
/// Whether a request goes over to another show: `show` with the verb `load`.
[[nodiscard]] bool loads_show(const nlohmann::json& request);
/// Whether a request changes a cue of the list: `cue` with the verbs `note` and `update`.
[[nodiscard]] bool edits_cue(const nlohmann::json& request);

inline constexpr std::size_t longest_recording = std::size_t{257} << 20;  ///< bytes

/// Reads a log's text. Throws InputError naming `file`, line and field. A last line that is not
/// whole is left out, with a note.
[[nodiscard]] Recording recording_from_text(std::string_view text, const std::string& file);

/// Reads a log. Throws InputError as above, and where the file cannot be read.
[[nodiscard]] Recording read_recording(const std::filesystem::path& file);

}  // namespace tilewall::director
