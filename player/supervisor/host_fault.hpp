// Why a host of the wall cannot run its panels, and what to do about it, in one line.
//
// Pure: these functions judge what a look at the host gave (host_check.hpp) and start nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewall {

struct HostFault {
  std::string host;     ///< its name in the wall file
  std::string address;  ///< how it was reached
  std::string cause;
  std::string remedy;
};

/// "host h1 (10.77.0.1): CAUSE; REMEDY"; the address is left out where it is the name.
[[nodiscard]] std::string to_string(const HostFault& fault);

/// How far the look at a host came.
enum class HostStep {
  name,         ///< its name did not resolve
  slow_name,    ///< its name did not resolve within the limit
  no_shell,     ///< the remote shell is not installed on this machine
  slow_shell,   ///< the remote shell gave no answer within the limit
  unfinished,   ///< the remote shell gave an answer, and did not end within the longer limit
  shell_ended,  ///< the remote shell ended with `exit_code`
};

/// What a look at one host gave.
struct HostAnswer {
  HostStep step = HostStep::shell_ended;
  int exit_code = 0;
  std::string output;  ///< the remote shell's standard output and error, or the resolver's message
};

struct ProgramBuild {
  std::string program;
  std::string build;  ///< "" where it is not known
};

/// What was asked of the host.
struct HostQuestion {
  std::string host;
  std::string address;
  std::string shell;               ///< the remote shell's name: "ssh"
  std::filesystem::path programs;  ///< the folder of the programs, the same on every host
  std::string version;             ///< that each program there must print: "tilewall 0.1.0"
  int program_count = 0;           ///< how many of them print it
  long limit_s = 0;                ///< the time that the host had to begin its answer
  long finish_limit_s = 0;         ///< and to end it
  std::vector<ProgramBuild> builds =
      {};  ///< This machine's programs have these; in the order of the answers.
};

/// Empty where the host is fit to run panels.
[[nodiscard]] std::optional<HostFault> fault_of(const HostQuestion& question,
                                                const HostAnswer& answer);

/// A line where a fit host has programs of this version that are another build than this machine's:
/// the first such program, with both. "" where all are the same or builds are not known.
[[nodiscard]] std::string build_note(const HostQuestion& question, const HostAnswer& answer);

}  // namespace tilewall
