#include "sync/base/confined_call.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall {
namespace {

// The first byte of an answer, before its text.
constexpr char with_result = 'r';
constexpr char with_input_error = 'i';
constexpr char with_job_error = 'j';

std::string answer_of(const std::function<std::string(const std::stop_token&)>& work) {
  try {
    const StopSignals signals;
    return with_result + work(signals.token());
  } catch (const InputError& error) {
    return with_input_error + std::string(error.what());
  } catch (const std::bad_alloc&) {
    return with_job_error + std::string("out of memory");
  } catch (const std::exception& error) {
    return with_job_error + std::string(error.what());
  }
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = retry_eintr([&] { return ::write(fd, text.data(), text.size()); });
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

[[noreturn]] void run_child(const Sandbox& sandbox, int answers, pid_t parent,
                            const std::function<std::string(const std::stop_token&)>& work) {
  isolate_fork(parent, answers);
  std::signal(SIGTTOU, SIG_IGN);  // its progress comes from a group in the background
  bool is_told = false;
  try {
    if (const std::string missing = missing_confinement(enter_sandbox(sandbox)); !missing.empty())
      log_line("tilewall: this kernel gives no {}, so damaged files are confined less", missing);
    is_told = write_all(answers, answer_of(work));
  } catch (const std::exception& error) {
    is_told = write_all(answers, with_job_error + std::string(error.what()));
  }
  std::fflush(nullptr);
  ::_exit(is_told ? exit_done : exit_failed);
}

/// All that the child writes until it ends.
std::string read_answer(int fd) {
  std::string answer;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = retry_eintr([&] { return ::read(fd, buffer, sizeof buffer); });
    if (got <= 0) return answer;
    answer.append(buffer, static_cast<std::size_t>(got));
  }
}

std::string end_of(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

std::string confined_call(const Sandbox& sandbox,
                          const std::function<std::string(const std::stop_token&)>& work,
                          const std::stop_token& stop) {
  int ends[2];
  check_sys(::pipe2(ends, O_CLOEXEC), "pipe2");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  std::fflush(nullptr);  // or the child would print it again
  const pid_t parent = ::getpid();
  const pid_t child = check_sys(::fork(), "fork");
  if (child == 0) run_child(sandbox, writing.get(), parent, work);
  writing = UniqueFd();
  std::string answer;
  {
    const std::stop_callback forward(stop, [child] { ::kill(child, SIGTERM); });
    answer = read_answer(reading.get());
  }
  int status = 0;
  check_sys(retry_eintr([&] { return ::waitpid(child, &status, 0); }), "waitpid");
  const char kind = answer.empty() ? '\0' : answer.front();
  if (status != 0 || kind == '\0')
    throw JobError("the process that reads foreign files ended by " + end_of(status));
  answer.erase(0, 1);
  if (kind == with_input_error) throw InputError(answer);
  if (kind == with_job_error) throw JobError(answer);
  return answer;
}

}  // namespace tilewall
