#include "player/supervisor/host_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

namespace tilewall::supervisor {
namespace {

// Exit codes of a POSIX shell whose command could not be run.
constexpr int exit_cannot_execute = 126;
constexpr int exit_not_found = 127;
constexpr std::size_t max_quoted_bytes = 200;
constexpr const char* version_begin = "tilewall ";
constexpr std::string_view build_begin = "build ";
constexpr std::string_view library_message = "error while loading shared libraries: ";

/// A message of ssh, and what it means; "{}" in the remedy stands for the address.
struct ShellMessage {
  std::string_view part;
  const char* cause;
  const char* remedy;
};

constexpr std::array<ShellMessage, 8> shell_messages = {{
    {"Permission denied (", "ssh does not let this user in without a password",
     "give it a key: ssh-copy-id {}"},
    {"Host key verification failed", "ssh does not know the host's key, or it has changed",
     "accept it once: ssh {} true"},
    {"Connection refused", "no ssh server listens there",
     "install and start one there (Debian: openssh-server)"},
    {"No route to host", "it is not reachable: no route to the host",
     "check its address, cable and power: ping {}"},
    {"Network is unreachable", "it is not reachable: this machine has no route to its network",
     "check its address, and this machine's network: ip route get {}"},
    {"Connection timed out", "it is not reachable: the connection timed out",
     "check its address, power and firewall: ping {}"},
    {"Could not resolve hostname", "ssh cannot resolve its name",
     "correct its address in the wall file, or add it to /etc/hosts"},
    {"Too many authentication failures", "ssh has too many keys to offer",
     "name the right one for {} in ~/.ssh/config (IdentityFile, IdentitiesOnly yes)"},
}};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string last_line(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  return lines.empty() ? "" : lines.back().substr(0, max_quoted_bytes);
}

struct Verdict {
  std::string cause;
  std::string remedy;
};

std::string install_there(const HostQuestion& question) {
  return fmt::format("install {} in {} there", question.version, question.programs.string());
}

/// Judges a remote shell with exit code 0: every program must have printed this version.
std::optional<Verdict> version_verdict(const HostQuestion& question, const HostAnswer& answer) {
  int right = 0;
  for (const std::string& line : lines_of(answer.output)) {
    if (!line.starts_with(version_begin)) continue;
    if (line != question.version)
      return Verdict{fmt::format("its programs are {}, those of this machine {}",
                                 line.substr(0, max_quoted_bytes), question.version),
                     install_there(question)};
    ++right;
  }
  if (right >= question.program_count) return std::nullopt;
  const std::string said = last_line(answer.output);
  return Verdict{
      fmt::format("its programs do not print their version{}{}", said.empty() ? "" : ": ", said),
      install_there(question)};
}

std::optional<Verdict> program_verdict(const HostQuestion& question, const HostAnswer& answer) {
  if (const auto at = answer.output.find(library_message); at != std::string::npos) {
    const auto begin = at + library_message.size();
    return Verdict{fmt::format("the library {} is missing there",
                               answer.output.substr(begin, answer.output.find(':', begin) - begin)),
                   "install the packages that the README names"};
  }
  // Programs from before --version existed reject it in these words.
  if (answer.output.find("--version: expected pairs") != std::string::npos)
    return Verdict{"its programs are of an older tilewall", install_there(question)};
  if (answer.exit_code == exit_not_found)
    return Verdict{fmt::format("no tilewall in {}", question.programs.string()),
                   install_there(question)};
  if (answer.exit_code == exit_cannot_execute)
    return Verdict{fmt::format("the programs in {} cannot be executed: {}",
                               question.programs.string(), last_line(answer.output)),
                   install_there(question)};
  return std::nullopt;
}

Verdict shell_verdict(const HostQuestion& question, const HostAnswer& answer) {
  for (const ShellMessage& message : shell_messages)
    if (answer.output.find(message.part) != std::string::npos)
      return {message.cause, fmt::format(fmt::runtime(message.remedy), question.address)};
  const std::string said = last_line(answer.output);
  return {fmt::format("{} ended with code {}{}{}", question.shell, answer.exit_code,
                      said.empty() ? " and printed nothing" : ": ", said),
          fmt::format("try it by hand: {} {} true", question.shell, question.address)};
}

std::optional<Verdict> verdict_of(const HostQuestion& question, const HostAnswer& answer) {
  switch (answer.step) {
    case HostStep::name:
      return Verdict{fmt::format("its name cannot be resolved ({})", last_line(answer.output)),
                     "correct its address in the wall file, or add it to /etc/hosts"};
    case HostStep::slow_name:
      return Verdict{fmt::format("its name was not resolved within {} s", question.limit_s),
                     "give its numeric address in the wall file, or mend the name server"};
    case HostStep::no_shell:
      return Verdict{fmt::format("{} is not installed on this machine", question.shell),
                     "install it (Debian: openssh-client), or name another remote shell: "
                     "--launcher \"mpirun --mca plm_rsh_agent PROGRAM\""};
    case HostStep::slow_shell:
      return Verdict{fmt::format("{} gave no answer within {} s", question.shell, question.limit_s),
                     fmt::format("check its address, power and firewall: {} {} true",
                                 question.shell, question.address)};
    case HostStep::unfinished:
      return Verdict{fmt::format("{} began to answer, but did not finish within {} s",
                                 question.shell, question.finish_limit_s),
                     fmt::format("check that host's load, and what its start files run: {} {} true",
                                 question.shell, question.address)};
    case HostStep::shell_ended:
      break;
  }
  if (answer.exit_code == 0) return version_verdict(question, answer);
  if (auto verdict = program_verdict(question, answer)) return verdict;
  return shell_verdict(question, answer);
}

}  // namespace

std::string to_string(const HostFault& fault) {
  const std::string address =
      fault.address == fault.host ? "" : fmt::format(" ({})", fault.address);
  return fmt::format("host {}{}: {}; {}", fault.host, address, fault.cause, fault.remedy);
}

std::optional<HostFault> fault_of(const HostQuestion& question, const HostAnswer& answer) {
  auto verdict = verdict_of(question, answer);
  if (!verdict) return std::nullopt;
  return HostFault{question.host, question.address, std::move(verdict->cause),
                   std::move(verdict->remedy)};
}

std::string build_note(const HostQuestion& question, const HostAnswer& answer) {
  std::vector<std::string> builds;
  for (const std::string& line : lines_of(answer.output))
    if (line.starts_with(build_begin))
      builds.push_back(line.substr(build_begin.size(), max_quoted_bytes));
  if (builds.size() != question.builds.size()) return "";
  for (std::size_t i = 0; i < builds.size(); ++i) {
    const ProgramBuild& here = question.builds[i];
    if (here.build.empty() || here.build == builds[i]) continue;
    return fmt::format(
        "host {}: its {} is build {} of {}, this machine's is build {}; install the same build on "
        "all hosts",
        question.host, here.program, builds[i], question.version, here.build);
  }
  return "";
}

}  // namespace tilewall::supervisor
