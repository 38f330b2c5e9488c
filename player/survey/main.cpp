// The program tilewall-survey: the survey of one host. `tilewall-host --survey` becomes it, so that
// the host service need not load what the survey does.
//
// It reads a request as JSON from standard input to its end, and prints the answer as one line.
// Exit code 2, after a line on standard error, where the request is wrong or does not come.

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "player/survey/host_survey.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/process.hpp"

namespace {

using namespace tilewall;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds request_limit{20};

std::string read_request() {
  const auto until = SteadyClock::now() + request_limit;
  std::string text;
  char piece[64 * 1024];
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - SteadyClock::now()).count();
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (left <= 0 || retry_eintr([&] { return ::poll(&input, 1, static_cast<int>(left)); }) == 0)
      throw InputError({"survey"}, "", "a request on standard input", "none within 20 s");
    const ssize_t got =
        check_sys(retry_eintr([&] { return ::read(STDIN_FILENO, piece, sizeof piece); }), "read");
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
    if (text.size() > survey::longest_request_bytes)
      throw InputError({"survey"}, "", "a request of at most 64 MiB", "more");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (prints_version(argc, argv)) return exit_done;
  allow_open_files();
  // Of several processes that a launcher starts on a host, one is enough.
  if (local_rank() != 0) return exit_done;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    const survey::SurveyRequest request = survey::request_from_json(parse_json(read_request()));
    write_all(STDOUT_FILENO, survey::answer_line(survey::survey_host(request)), "standard output");
    return exit_done;
  } catch (const InputError& error) {
    fmt::print(stderr, "tilewall-survey: {}\n", error.what());
    return exit_bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilewall-survey: {}\n", error.what());
    return exit_failed;
  }
}
