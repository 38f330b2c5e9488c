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
  /// Variables added to the parent's.
  std::vector<std::pair<std::string, std::string>> environment;
  /// File that standard output and error are appended to; "" = inherited. Where its name ends in
  /// ".log", the child may be a role with that log (role_log.hpp).
  std::filesystem::path output;
  bool own_group = false;  ///< A process group of its own, which a terminal's Ctrl-C does not reach
  std::vector<int> inherited = {};  ///< Descriptors that the child keeps under their numbers
  /// The program gets no other descriptors, whether they are closed by exec or not, and none of the
  /// limits of limit_own_memory().
  bool as_from_shell = false;
  /// For programs that read foreign files: the program gets no descriptors but the standard ones
  /// and `inherited`, an empty standard input, and of the environment only `environment`, what the
  /// dynamic loader needs, and TILEWALL_TEST_*.
  bool isolated = false;
  int standard_input = -1;   ///< Descriptor that becomes standard input; -1: inherited
  int standard_output = -1;  ///< The same of standard output, which then does not go to `output`
};

/// Starts `arguments[0]` (found through PATH when it has no slash). The child is killed when the
/// calling thread ends. Throws JobError when it cannot be started.
[[nodiscard]] pid_t start_program(const std::vector<std::string>& arguments,
                                  const ChildOptions& options);

/// A program that reads foreign files for this process, at the other end of a local socket.
struct ReaderProgram {
  pid_t pid = 0;
  UniqueFd socket;  ///< This process's end
};

/// Starts `own_program(name)` as ChildOptions::isolated, in a process group of its own and without
/// output. `arguments`: what follows the name, made of the number of the descriptor that is its end
/// of the socket. `type`: SOCK_STREAM or SOCK_SEQPACKET. Uses `inherited` and `environment` of
/// ChildOptions. Throws JobError as start_program().
[[nodiscard]] ReaderProgram start_reader(
    const std::string& name, int type,
    const std::function<std::vector<std::string>(int socket)>& arguments,
    ChildOptions options = {});

/// Forks and runs `body` in the child, which exits with its result (1 when it throws; the line goes
/// to its standard error). With an output that ends in ".log" the child is a role with that log
/// (role_log.hpp). @pre the calling process has one thread
[[nodiscard]] pid_t start_role(const std::string& name, const ChildOptions& options,
                               const std::function<int()>& body);

/// To be called in the child after fork(), where it runs no other program: takes from it what
/// ChildOptions::isolated would, and all other descriptors but `kept`. It gets a process group of
/// its own, and is killed when the thread of `parent` that forked ends.
void isolate_fork(pid_t parent, int kept);

/// How a child ended.
struct ChildEnd {
  pid_t pid = 0;
  int exit_code = 0;  ///< Valid where signal is 0
  int signal = 0;
};

/// Waits until the child ends; after `limit`, or when `stop` is requested, it is killed.
[[nodiscard]] ChildEnd wait_for(pid_t pid, std::chrono::milliseconds limit,
                                const std::stop_token& stop = {});

/// A child that has ended, whichever it is. Never waits.
[[nodiscard]] std::optional<ChildEnd> reap_any();

/// Asks a child to end (SIGTERM), kills it after `limit`, and reaps it.
void end_child(pid_t pid, std::chrono::milliseconds limit);

enum class WatchEvent { nothing, child, stop, hangup };

/// What SIGHUP means, which a terminal that is closed sends.
enum class Hangup { stops, is_told };

/// Holds back SIGCHLD, SIGTERM, SIGINT and SIGHUP for wait() while it lives. For programs with one
/// thread that sleep until something happens to a child.
class ChildWatch {
 public:
  explicit ChildWatch(Hangup hangup = Hangup::stops);
  ~ChildWatch();
  ChildWatch(const ChildWatch&) = delete;
  ChildWatch& operator=(const ChildWatch&) = delete;

  /// Waits for a signal. child: a child may have ended (several ends may come as one event). stop:
  /// the process is to end. hangup: SIGHUP has come, where it does not stop the process.
  [[nodiscard]] WatchEvent wait(std::chrono::milliseconds limit) const;

  /// Readable while wait() would not wait; nothing is to be read from it.
  [[nodiscard]] int fd() const noexcept { return signals_.get(); }

 private:
  const Hangup hangup_;
  sigset_t before_;
  UniqueFd signals_;
};

/// Whether `program` can be found: as a path, or by name in PATH.
[[nodiscard]] bool program_exists(const std::string& program);

/// The folder of the running program.
[[nodiscard]] std::filesystem::path program_folder();

/// Path of a program or module of this project: beside the running program, as after a build, or in
/// the installation's folder for helper programs (libexec/tilewall). Installed tests have a folder
/// of their own below that. Where the file is in neither place, the path beside the running
/// program.
[[nodiscard]] std::filesystem::path own_program(const std::string& name);
/// The path as seen from a program that runs from `folder`.
[[nodiscard]] std::filesystem::path own_program(const std::string& name,
                                                const std::filesystem::path& folder);

// Reads the output of another program.

/// Runs `command` by the shell and waits. Returns its standard output, also where it fails; ""
/// where it cannot be started.
[[nodiscard]] std::string output_of(const std::string& command);

}  // namespace tilewall
