// The manual pages and the shell's completion say what --help says.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

constexpr std::size_t max_page_bytes = 1 << 20;

/// A folder with the pages and the completion.
class Manual {
 public:
  Manual() {
    const ProgramResult written =
        run_program({program_path("tilewall"), "manual", folder_.path().string()});
    CAPTURE(written.err);
    REQUIRE(written.exit_code == 0);
  }
  [[nodiscard]] std::filesystem::path page(const std::string& name) const {
    return folder_.path() / "man1" / (name + ".1");
  }
  [[nodiscard]] std::filesystem::path completion() const { return folder_ / "tilewall.bash"; }

 private:
  const TemporaryFolder folder_;
};

std::string command_help(const std::vector<std::string>& command) {
  std::vector<std::string> words = {program_path("tilewall")};
  words.insert(words.end(), command.begin(), command.end());
  words.emplace_back("--help");
  const ProgramResult help = run_program(words);
  REQUIRE(help.exit_code == 0);
  return help.out;
}

/// The names at the beginning of the lines below "Subcommands:".
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> names;
  std::istringstream lines(help.substr(std::min(help.size(), help.find("Subcommands:"))));
  const std::regex entry("  ([a-z]+) .*");
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, match, entry)) names.push_back(match[1]);
  return names;
}

/// Long options at the beginning of lines.
std::set<std::string> options_in(const std::string& help) {
  std::set<std::string> found;
  std::istringstream lines(help);
  const std::regex entry("  (?:-[A-Za-z],)?(--[a-z-]+).*");
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, match, entry)) found.insert(match[1]);
  return found;
}

/// A page's text without its escapes.
std::string page_text(const std::filesystem::path& page) {
  return std::regex_replace(read_text_file(page, max_page_bytes), std::regex(R"(\\-)"), "-");
}

/// The options of a command's help that list their values, with these.
std::map<std::string, std::vector<std::string>> listed_values_in(const std::string& help) {
  std::map<std::string, std::vector<std::string>> found;
  std::istringstream lines(help);
  const std::regex entry("  (?:-[A-Za-z],)?(--[a-z-]+) [A-Z:]*\\{([^}]*)\\}.*");
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, match, entry)) continue;
    std::istringstream list(match[2]);
    for (std::string value; std::getline(list, value, ',');) found[match[1]].push_back(value);
  }
  return found;
}

/// What bash offers after these words, of which the last one is being typed.
std::set<std::string> completed(const Manual& manual, const std::vector<std::string>& words) {
  std::string script = "source '" + manual.completion().string() + "'; COMP_WORDS=(tilewall";
  for (const std::string& word : words) script += " '" + word + "'";
  script += "); COMP_CWORD=" + std::to_string(words.size()) +
            "; _tilewall; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const ProgramResult bash = run_program({"bash", "-c", script});
  CHECK(bash.err.empty());
  std::set<std::string> offered;
  std::istringstream lines(bash.out);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) offered.insert(line);
  return offered;
}

}  // namespace

TEST_CASE("each command has a manual page with all that its help lists", "[manual]") {
  const Manual manual;
  const std::string help = command_help({});
  const auto commands = commands_in(help);
  REQUIRE(commands.size() > 10);
  const std::string program = page_text(manual.page("tilewall"));
  const bool man = program_exists("man");
  if (!man) WARN("man, which looks for errors in the pages, is not installed");
  for (const std::string& command : commands) {
    CAPTURE(command);
    CHECK_THAT(program, Catch::Contains("\n.B \"" + command + "\"\n"));
    const auto file = manual.page("tilewall-" + command);
    const std::string page = page_text(file);
    const std::string own_help = command_help({command});
    for (const std::string& option : options_in(own_help))
      CHECK_THAT(page, Catch::Contains(option));
    for (const std::string& verb : commands_in(own_help))
      CHECK_THAT(page, Catch::Contains("\n.SS \"tilewall " + command + " " + verb + " "));
    if (man)
      CHECK(run_program({"man", "--warnings", "-P", "cat", "-l", file.string()}).err.empty());
  }
}

TEST_CASE("writing the manual removes old pages of tilewall and nothing else", "[manual]") {
  const TemporaryFolder folder;
  const auto pages = folder / "man1";
  std::filesystem::create_directories(pages / "tilewall-folder.1");
  for (const char* name : {"ls.1", "tilewall-old.1", "tilewall-notes.txt", "tilewallpaper.1"})
    std::ofstream(pages / name) << "old";
  REQUIRE(run_program({program_path("tilewall"), "manual", folder.path().string()}).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(pages / "tilewall-old.1"));
  CHECK(std::filesystem::exists(pages / "tilewall-play.1"));
  for (const char* kept : {"ls.1", "tilewall-notes.txt", "tilewallpaper.1", "tilewall-folder.1"}) {
    CAPTURE(kept);
    CHECK(std::filesystem::exists(pages / kept));
  }
}

TEST_CASE("the completion offers commands, verbs, options and values", "[manual]") {
  const Manual manual;
  const auto commands = commands_in(command_help({}));
  CHECK(completed(manual, {""}) == std::set<std::string>(commands.begin(), commands.end()));
  CHECK(completed(manual, {"pla"}) == std::set<std::string>{"play"});
  CHECK(completed(manual, {"play", "--"}) == options_in(command_help({"play"})));
  CHECK(completed(manual, {"demo", "--show", ""}) ==
        std::set<std::string>{"movie", "tour", "volume"});
  using Words = std::set<std::string>;
  CHECK(completed(manual, {"play", "movie", "--late", ""}) == Words{"drop", "lower", "slow"});
  CHECK(completed(manual, {"play", "movie", "--fit", "co"}) == Words{"contain", "cover"});
  CHECK(completed(manual, {"play", "--decode", ""}) == Words{"auto", "cpu", "cuda", "vaapi"});
  CHECK(completed(manual, {"view", "--lens", "o"}) == Words{"orthographic"});
  CHECK(completed(manual, {"import", "--lossless", ""}) == Words{"deflate", "zstd"});
  CHECK(completed(manual, {"wall", "show", "--bezels", ""}) == Words{"hide", "show"});
  CHECK(completed(manual, {"ctl", "loop", ""}) == Words{"off", "on", "ping_pong"});
  CHECK(completed(manual, {"ctl", "blank", "o"}) == Words{"off", "on"});
  CHECK(completed(manual, {"ctl", "loop", "on", ""}).empty());
  CHECK(completed(manual, {"ctl", "seek", ""}).empty());
  CHECK(completed(manual, {"wall", "sh"}) == std::set<std::string>{"show"});
  CHECK(completed(manual, {"ctl", "seek", "--run-dir", ""}).empty());
  CHECK(completed(manual, {"ctl", "see"}) == std::set<std::string>{"seek"});
  CHECK(completed(manual, {"play", "movie", "--wall", ""}).empty());  // files, which bash knows
}

TEST_CASE("options take the values that help lists, and refuse others by naming these",
          "[manual]") {
  std::size_t options = 0;
  for (const std::string command : {"play", "view", "import", "export", "brick"}) {
    for (const auto& listed : listed_values_in(command_help({command}))) {
      const std::string& option = listed.first;
      CAPTURE(command, option);
      ++options;
      const auto run = [&](const std::string& value) {
        return run_program({program_path("tilewall"), command, option, value}).err;
      };
      const std::string refused = run("no-such-value");
      CHECK_THAT(refused, Catch::Contains(option) && Catch::Contains("no-such-value"));
      for (const std::string& value : listed.second) CHECK_THAT(refused, Catch::Contains(value));
      std::vector<std::string> taken = listed.second;
      // Under a sanitizer each program takes long to start, and the other values run the same code.
      if (sanitized()) taken.resize(1);
      for (const std::string& value : taken)
        CHECK_THAT(run(value), !Catch::Contains(option + ": "));
    }
  }
  CHECK(options >= 15);
}
