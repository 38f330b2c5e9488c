// `tilewall play` as a user runs it, and its report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"

namespace tilewall::test {

using Words = std::vector<std::string>;

inline const std::string tilewall_program = program_path("tilewall");

/// The path of a wall file made for tests.
[[nodiscard]] std::string test_wall(const std::string& name);

/// "tilewall play INPUT --wall tests/data/walls/WALL --late slow MORE...", unless MORE says --late.
[[nodiscard]] Words play_words(const std::filesystem::path& input, const std::string& wall,
                               const Words& more);

/// Options of a show that loops until it has shown `frames`, with hashes. Its run directory is
/// "run" in the folder, its report "report.json", and "begun.png" is there once it has begun.
[[nodiscard]] Words looping_options(const std::filesystem::path& folder, int fps, int frames);

struct Show {
  ProgramResult program;
  nlohmann::json report;  ///< discarded where there was none
};

/// Plays headless with --hashes and --report to the end.
[[nodiscard]] Show play_show(const std::filesystem::path& input, const std::string& wall,
                             const Words& more);

/// How a running show ends; it is killed after a minute. `report` is the file of its --report.
[[nodiscard]] Show end_of(RunningProgram& program, const std::filesystem::path& report);

/// Parses a report; discarded where it is missing or no JSON.
[[nodiscard]] nlohmann::json read_report(const std::filesystem::path& file);

/// The report's part on the panel of that name; null where there is none.
[[nodiscard]] nlohmann::json panel_report(const nlohmann::json& report, const std::string& panel);

/// Whether the report has a late event of that cause and panel.
[[nodiscard]] bool has_event(const nlohmann::json& report, const std::string& cause,
                             const std::string& panel);

struct ShownHash {
  std::int64_t frame = 0;
  std::string hash;  ///< 16 hexadecimal digits
  bool operator==(const ShownHash&) const = default;
};
std::ostream& operator<<(std::ostream& to, const ShownHash& shown);

/// The pictures that a panel showed, in its order.
[[nodiscard]] std::vector<ShownHash> shown_by(const nlohmann::json& report,
                                              const std::string& panel);

[[nodiscard]] std::string hex(std::uint64_t hash);

/// Whether the process runs: not gone, and no zombie.
[[nodiscard]] bool is_alive(pid_t pid);

/// 0 where the process is gone.
[[nodiscard]] pid_t parent_of(pid_t pid);

/// The number in a pid file of a run directory; 0 while there is none.
[[nodiscard]] pid_t pid_in(const std::filesystem::path& file);

/// Processes whose command line holds `text`, and that run.
[[nodiscard]] std::vector<pid_t> processes_with(const std::string& text);

}  // namespace tilewall::test
