#include "tests/support/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>

extern char** environ;

namespace tilewall {
namespace {

constexpr std::size_t max_stream_bytes = 16U << 20;
constexpr int exec_failed = 127;

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Pipe make_pipe() {
  int fds[2] = {-1, -1};
  if (::pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

/// The strings with the null at the end that exec wants; they outlive it.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  for (const auto& change : changes) {
    const std::string begin = change.first + "=";
    std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(begin); });
    if (!change.second.empty()) environment.push_back(begin + change.second);
  }
  return environment;
}

/// Forks; between that and exec nothing but system calls, as the test may have threads.
pid_t spawn(const std::vector<std::string>& args, const ProgramOptions& options, int out_fd,
            int err_fd) {
  const std::vector<char*> argv = pointers_to(args);
  const std::vector<std::string> environment = environment_with(options.environment);
  const std::vector<char*> envp = pointers_to(environment);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int null_fd = ::open("/dev/null", O_RDONLY);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(exec_failed);
  if (::dup2(null_fd, STDIN_FILENO) < 0 || ::dup2(out_fd, STDOUT_FILENO) < 0 ||
      ::dup2(err_fd, STDERR_FILENO) < 0)
    ::_exit(exec_failed);
  ::execvpe(argv[0], argv.data(), envp.data());
  ::_exit(exec_failed);
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

/// Removes its line, where there is one.
void drop_realtime_note(std::string& err) {
  const auto begin = err.find("tilewall: " + std::string(realtime_note));
  if (begin == std::string::npos) return;
  const auto end = err.find('\n', begin);
  err.erase(begin, end == std::string::npos ? end : end + 1 - begin);
}

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& args,
                               const ProgramOptions& options) {
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  pid_ = spawn(args, options, out.write_end.get(), err.write_end.get());
  out_ = std::move(out.read_end);
  err_ = std::move(err.read_end);
}

RunningProgram::~RunningProgram() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void RunningProgram::send_signal(int number) const {
  if (pid_ != 0) ::kill(pid_, number);
}

ProgramResult RunningProgram::wait(std::chrono::seconds limit) {
  ProgramResult result;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const bool in_time = drain(out_.get(), err_.get(), result, deadline);
  if (!in_time) ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(std::exchange(pid_, 0), &status, 0);
  if (in_time) result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  drop_realtime_note(result.err);
  return result;
}

ProgramResult run_program(const std::vector<std::string>& args, std::chrono::seconds limit,
                          const ProgramOptions& options) {
  return RunningProgram(args, options).wait(limit);
}

}  // namespace tilewall
