#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "player/supervisor/host_check.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::supervisor {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;  // one parameter's name, then its synonyms

constexpr const char* machine_parameter_file = "/etc/openmpi/openmpi-mca-params.conf";
constexpr const char* machine_tune_folder = "/usr/share/openmpi/amca-param-sets";
constexpr std::string_view blanks = " \t\r";
constexpr std::string_view plain_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-";

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

std::string without_blanks(const std::string& text) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string value_on_command_line(const std::vector<std::string>& launcher,
                                  const std::string& name) {
  for (std::size_t i = 0; i + 2 < launcher.size(); ++i) {
    const std::string& word = launcher[i];
    const bool is_mca = word == "--mca" || word == "-mca" || word == "--gmca" || word == "-gmca";
    if (is_mca && launcher[i + 1] == name) return launcher[i + 2];
  }
  return "";
}

std::string value_in_environment(const std::string& name) {
  const char* const value = std::getenv(("OMPI_MCA_" + name).c_str());
  return value != nullptr ? value : "";
}

/// The value in the last line "name = value"; "" if there is none, or the file cannot be read.
std::string value_in_file(const fs::path& path, const std::string& name) {
  std::ifstream file(path);
  std::string value;
  for (std::string line; std::getline(file, line);) {
    const auto equals = line.find('=');
    if (equals != std::string::npos && without_blanks(line.substr(0, equals)) == name)
      value = without_blanks(line.substr(equals + 1));
  }
  return value;
}

/// The parameter files that mpirun reads, in falling order of precedence.
std::vector<fs::path> parameter_files(const std::string& launcher_program) {
  std::vector<fs::path> files;
  if (const char* const home = std::getenv("HOME"))
    files.push_back(fs::path(home) / ".openmpi" / "mca-params.conf");
  files.emplace_back(machine_parameter_file);
  // The launcher of an Open MPI with a prefix is PREFIX/bin/mpirun, and its file is PREFIX/etc/...
  if (launcher_program.find('/') != std::string::npos)
    files.push_back(fs::path(launcher_program).parent_path().parent_path() / "etc" /
                    "openmpi-mca-params.conf");
  return files;
}

/// The words of a line of a tune file. A word in double quotes may have blanks.
std::vector<std::string> tune_words(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line.substr(0, line.find('#')));
  for (std::string word; stream >> std::ws && !stream.eof();) {
    if (stream.peek() == '"')
      stream >> std::quoted(word);
    else
      stream >> word;
    words.push_back(word);
  }
  return words;
}

/// The value in a file of --tune, which has lines "-mca NAME VALUE -x VARIABLE ..." and may have
/// lines "name = value". The last line of a form counts, and the first form before the second.
std::string value_in_tune_file(const fs::path& path, const std::string& name) {
  std::string value = value_in_file(path, name);
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (std::string here = value_on_command_line(tune_words(line), name); !here.empty())
      value = std::move(here);
  return value;
}

/// The files that the launcher's last --tune names, in falling order of precedence. Files of --am
/// are not read, because they do not change how mpirun itself starts daemons.
std::vector<fs::path> tune_files(const std::vector<std::string>& launcher) {
  std::string list;
  for (std::size_t i = 0; i + 1 < launcher.size(); ++i)
    if (launcher[i] == "--tune" || launcher[i] == "-tune") list = launcher[i + 1];
  std::vector<fs::path> files;
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) {
    std::error_code error;
    const fs::path shared = fs::path(machine_tune_folder) / name;
    files.push_back(fs::exists(shared, error) ? shared : fs::path(name));
  }
  return files;
}

/// The value of an MCA parameter by mpirun's precedence: command line, environment, files of
/// --tune, parameter files. "" if it is set nowhere.
std::string mca_value(const std::vector<std::string>& launcher, const Names& names) {
  for (const std::string& name : names)
    if (std::string value = value_on_command_line(launcher, name); !value.empty()) return value;
  for (const std::string& name : names)
    if (std::string value = value_in_environment(name); !value.empty()) return value;
  for (const fs::path& file : tune_files(launcher))
    for (const std::string& name : names)
      if (std::string value = value_in_tune_file(file, name); !value.empty()) return value;
  for (const fs::path& file : parameter_files(launcher.front()))
    for (const std::string& name : names)
      if (std::string value = value_in_file(file, name); !value.empty()) return value;
  return "";
}

bool has_any_variable(std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Whether a batch system starts mpirun's daemons itself, without a remote shell.
bool batch_system_starts() {
  return has_any_variable({"SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID", "LSB_JOBID"});
}

/// Whether mpirun's default is the batch system's remote shell: qrsh of Grid Engine, llspawn of
/// LoadLeveler.
bool batch_system_has_shell() { return has_any_variable({"PE_HOSTFILE", "LOADL_STEP_ID"}); }

/// The remote shell that mpirun chooses from a list such as "ssh -p 22 : rsh": the first one that
/// is installed. The first of the list if none is, and ssh if the list is empty.
RemoteShell first_installed(const std::string& agent) {
  std::istringstream choices(agent);
  RemoteShell first;
  bool any = false;
  for (std::string choice; std::getline(choices, choice, ':');) {
    RemoteShell shell{split_words(choice)};
    if (shell.words.empty()) continue;
    if (program_exists(shell.words.front())) return shell;
    if (!std::exchange(any, true)) first = shell;
  }
  return first;
}

}  // namespace

std::string RemoteShell::name() const { return file_name(words.front()); }

bool RemoteShell::is_ssh() const { return name() == "ssh"; }

std::optional<RemoteShell> remote_shell_of(const std::string& launcher) {
  const std::vector<std::string> words = split_words(launcher);
  if (words.empty()) return std::nullopt;
  const std::string name = file_name(words.front());
  if (!name.starts_with("mpirun") && !name.starts_with("mpiexec") && !name.starts_with("orterun"))
    return std::nullopt;
  const std::string starter = mca_value(words, {"plm"});
  if (!starter.empty() && starter != "rsh") return std::nullopt;
  if (starter.empty() && batch_system_starts()) return std::nullopt;
  const std::string agent = mca_value(words, {"plm_rsh_agent", "pls_rsh_agent", "orte_rsh_agent"});
  if (agent.empty() && batch_system_has_shell()) return std::nullopt;
  RemoteShell shell = first_installed(agent);
  const std::vector<std::string> more = split_words(mca_value(words, {"plm_rsh_args"}));
  shell.words.insert(shell.words.end(), more.begin(), more.end());
  return shell;
}

std::string shell_word(const std::string& text) {
  if (!text.empty() && text.find_first_not_of(plain_letters) == std::string::npos) return text;
  std::string word = "'";
  for (const char letter : text)
    word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

}  // namespace tilewall::supervisor
