#include "tests/support/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

#include "sync/base/handle.hpp"

extern char** environ;

namespace tilewall {
namespace {

constexpr std::size_t max_stream_bytes = 16U << 20;

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Pipe make_pipe() {
  int fds[2] = {-1, -1};
  if (::pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

pid_t spawn(const std::vector<std::string>& args, int out_fd, int err_fd) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err_fd, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + args[0]);
  return child;
}

/// False once the stream has ended.
bool take(int fd, std::string& into) {
  std::array<char, 4096> chunk = {};
  const ssize_t got = ::read(fd, chunk.data(), chunk.size());
  if (got <= 0) return false;
  if (into.size() < max_stream_bytes) into.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

/// Reads both streams to their ends; false when `deadline` comes first.
bool drain(int out_fd, int err_fd, ProgramResult& result,
           std::chrono::steady_clock::time_point deadline) {
  std::array<pollfd, 2> fds = {pollfd{out_fd, POLLIN, 0}, pollfd{err_fd, POLLIN, 0}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    if (::poll(fds.data(), fds.size(), static_cast<int>(left.count())) < 0) continue;
    if (fds[0].fd >= 0 && fds[0].revents != 0 && !take(out_fd, result.out)) fds[0].fd = -1;
    if (fds[1].fd >= 0 && fds[1].revents != 0 && !take(err_fd, result.err)) fds[1].fd = -1;
  }
  return true;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& args, std::chrono::seconds limit) {
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  const pid_t child = spawn(args, out.write_end.get(), err.write_end.get());
  out.write_end.reset();
  err.write_end.reset();
  ProgramResult result;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const bool in_time = drain(out.read_end.get(), err.read_end.get(), result, deadline);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!in_time) return result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace tilewall
