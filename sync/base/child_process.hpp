// Starting child processes that never outlive their parent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall {

struct ChildOptions {
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to the parent's
  std::filesystem::path output;  ///< standard output and error are appended there; "" = inherited
  bool own_group = false;  ///< its own process group, so that a terminal's Ctrl-C passes it by
  std::vector<int> inherited = {};  ///< descriptors that the child keeps under their numbers
};

/// Starts `arguments[0]` (found through PATH when it has no slash). The child is killed when the
/// calling thread ends. Throws JobError when it cannot be started.
[[nodiscard]] pid_t start_program(const std::vector<std::string>& arguments,
                                  const ChildOptions& options);

/// Forks and runs `body` in the child, which exits with its result (1 when it throws; the line goes
/// to its standard error). @pre the calling process has one thread
[[nodiscard]] pid_t start_role(const std::string& name, const ChildOptions& options,
                               const std::function<int()>& body);

/// How a child ended.
struct ChildEnd {
  pid_t pid = 0;
  int exit_code = 0;  ///< where signal is 0
  int signal = 0;
};

/// Waits until the child ends; after `limit`, or when `stop` is requested, it is killed.
[[nodiscard]] ChildEnd wait_for(pid_t pid, std::chrono::milliseconds limit,
                                const std::stop_token& stop = {});

/// A child that has ended, of any; never waits.
[[nodiscard]] std::optional<ChildEnd> reap_any();

/// Asks a child to end (SIGTERM), kills it after `limit`, and reaps it.
void end_child(pid_t pid, std::chrono::milliseconds limit);

enum class WatchEvent { nothing, child, stop };

/// While it lives, SIGCHLD, SIGTERM, SIGINT and SIGHUP are held back for wait(). For programs with
/// one thread that sleep until something happens to a child.
class ChildWatch {
 public:
  ChildWatch();
  ~ChildWatch();
  ChildWatch(const ChildWatch&) = delete;
  ChildWatch& operator=(const ChildWatch&) = delete;

  /// child: one may have ended (several ends may come as one event). stop: asked to end.
  [[nodiscard]] WatchEvent wait(std::chrono::milliseconds limit) const;

  /// Readable while wait() would not wait; nothing is to be read from it.
  [[nodiscard]] int fd() const noexcept { return signals_.get(); }

 private:
  sigset_t before_;
  UniqueFd signals_;
};

/// Whether `program` can be found: as a path, or by name in PATH.
[[nodiscard]] bool program_exists(const std::string& program);

/// The folder of the running program.
[[nodiscard]] std::filesystem::path program_folder();

/// Where a program or module of this project lies: beside the running program, as after a build,
/// or in the installation's folder for helper programs (libexec/tilewall), of which installed tests
/// have a folder of their own. Where it is nowhere: as if it lay beside.
[[nodiscard]] std::filesystem::path own_program(const std::string& name);
/// The same for a program that runs from `folder`.
[[nodiscard]] std::filesystem::path own_program(const std::string& name,
                                                const std::filesystem::path& folder);

// What another program prints.

/// Runs it by the shell and waits. All of its standard output; what there is where it fails, and ""
/// where it cannot be started.
[[nodiscard]] std::string output_of(const std::string& command);

}  // namespace tilewall
