// Explains in one line why a host of the wall cannot run its panels, and how to mend that.
//
// These are pure functions of the result of a host's check (host_check.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewall::supervisor {

struct HostFault {
  std::string host;     ///< its name in the wall file
  std::string address;  ///< its name or numeric address on the network
  std::string cause;    ///< a clause without a full stop
  std::string remedy;   ///< an instruction without a full stop
};

/// "host h1 (10.77.0.1): CAUSE; REMEDY"; the address is left out if it equals the name.
[[nodiscard]] std::string to_string(const HostFault& fault);

/// How far the check of a host got.
enum class HostStep {
  name,         ///< its name did not resolve
  slow_name,    ///< its name did not resolve within the limit
  no_shell,     ///< the remote shell is not installed on this machine
  slow_shell,   ///< the remote shell printed nothing within the limit
  unfinished,   ///< the remote shell printed something, but did not end within the longer limit
  shell_ended,  ///< the remote shell ended with `exit_code`
};

/// The result of a host's check.
struct HostAnswer {
  HostStep step = HostStep::shell_ended;
  int exit_code = 0;
  std::string output;  ///< remote shell's standard output and error, or the resolver's message
};

struct ProgramBuild {
  std::string program;
  std::string build;  ///< "" = unknown
};

/// The parameters of a host's check.
struct HostQuestion {
  std::string host;
  std::string address;
  std::string shell;               ///< the remote shell's name: "ssh"
  std::filesystem::path programs;  ///< the folder of the programs, the same on every host
  std::string version;             ///< the line that each program must print: "tilewall 0.1.0"
  int program_count = 0;           ///< number of programs that are run
  long limit_s = 0;                ///< longest time to the first output
  long finish_limit_s = 0;         ///< longest time to the end
  std::vector<ProgramBuild> builds = {};  ///< this machine's programs, in the order they are run
};

/// The host's fault; empty if it is fit to run panels.
[[nodiscard]] std::optional<HostFault> fault_of(const HostQuestion& question,
                                                const HostAnswer& answer);

/// A line about the first program of a fit host that has this version, but another build than on
/// this machine. "" if all builds are equal or unknown.
[[nodiscard]] std::string build_note(const HostQuestion& question, const HostAnswer& answer);

}  // namespace tilewall::supervisor
