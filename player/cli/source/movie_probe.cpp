#include "player/cli/source/movie_probe.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "player/cli/source/probe_answer.hpp"
#include "player/command/stop_signals.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds probe_limit{9};
constexpr std::size_t max_answer_bytes = 4096;

std::string read_answer(int fd) {
  std::string answer(max_answer_bytes, '\0');
  const ssize_t got = retry_eintr([&] { return ::pread(fd, answer.data(), answer.size(), 0); });
  answer.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return answer;
}

std::string end_text(const ChildEnd& end) {
  if (end.signal == SIGKILL || end.signal == SIGXCPU)
    return "one that takes longer than 9 s to open";
  if (end.signal != 0) return fmt::format("one that crashes its decoder (signal {})", end.signal);
  return "one that its decoder cannot read";
}

}  // namespace

MovieProbe probe_movie(const std::filesystem::path& file, const std::stop_token& stop) {
  const UniqueFd answer(check_sys(::memfd_create("tilewall-probe", MFD_CLOEXEC), "memfd_create"));
  ChildOptions options;
  options.output = fmt::format("/proc/{}/fd/{}", ::getpid(), answer.get());
  const pid_t child =
      start_program({own_program("tilewall-decoder").string(), "--probe", file.string()}, options);
  const ChildEnd end = wait_for(child, probe_limit, stop);
  throw_if_stopped(stop);
  const Json json = Json::parse(read_answer(answer.get()), nullptr, false);
  if (end.signal != 0 || !json.is_object())
    throw InputError({file.string()}, "", "a movie that FFmpeg can open", end_text(end));
  if (const Json error = json.value("error", Json()); error.is_string()) {
    const auto line = error.get<std::string>();
    if (end.exit_code == exit_bad_input) throw InputError(line);
    throw JobError(line);
  }
  return movie_probe_from(json, file);
}

}  // namespace tilewall
