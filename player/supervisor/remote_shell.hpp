// Which remote shell mpirun starts its daemons on other hosts with, found out as mpirun does it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilewall {

/// How mpirun runs a command on another host: SHELL [OPTIONS] HOST COMMAND.
struct RemoteShell {
  std::vector<std::string> words = {"ssh"};  ///< the program and its own options; never empty

  /// The program's file name.
  [[nodiscard]] std::string name() const;
  /// Whether it takes ssh's options.
  [[nodiscard]] bool is_ssh() const;
};

/// The remote shell that `launcher` uses (plm_rsh_agent and its synonyms), by its words, else the
/// environment, else the files of --tune, else Open MPI's files of parameters: the user's and the
/// machine's. Empty where it
/// uses none that can be known here: it is not mpirun, or a batch system starts the daemons.
[[nodiscard]] std::optional<RemoteShell> remote_shell_of(const std::string& launcher);

/// `text` as one word of a command that a shell reads.
[[nodiscard]] std::string shell_word(const std::string& text);

}  // namespace tilewall
