#include "player/cli/source/movie_probe.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "player/command/command.hpp"
#include "player/movie/shared/movie_page.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::cli {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds probe_limit{9};
constexpr std::size_t max_answer_bytes = 4096;
constexpr std::int64_t most_side_px = 1 << 16;
constexpr std::int64_t most_rate_part = 1'000'000'000;
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

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

class CheckedAnswer {
 public:
  CheckedAnswer(const Json& json, std::string file) : json_(json), file_(std::move(file)) {}

  [[nodiscard]] std::int64_t number(const char* field, std::int64_t most) const {
    return checked(json_.value(field, Json()), field, most);
  }

  [[nodiscard]] Rational fps() const {
    const Json fps = json_.value("fps", Json());
    if (!fps.is_array() || fps.size() != 2)
      throw InputError({file_}, "fps", "two numbers", shown_json(fps));
    return {checked(fps[0], "fps", most_rate_part), checked(fps[1], "fps", most_rate_part)};
  }

 private:
  [[nodiscard]] std::int64_t checked(const Json& value, const char* field,
                                     std::int64_t most) const {
    if (!value.is_number_integer() || value < 1 || value > most)
      throw InputError({file_}, field, fmt::format("an integer in [1, {}]", most),
                       shown_json(value));
    return value.get<std::int64_t>();
  }

  const Json& json_;
  const std::string file_;
};

}  // namespace

MovieProbe probe_movie(const std::filesystem::path& file, const std::stop_token& stop) {
  const UniqueFd answer(check_sys(::memfd_create("tilewall-probe", MFD_CLOEXEC), "memfd_create"));
  ChildOptions options;
  options.output = fmt::format("/proc/{}/fd/{}", ::getpid(), answer.get());
  options.isolated = true;
  const pid_t child =
      start_program({own_program("tilewall-decoder").string(), "--probe", file.string()}, options);
  const ChildEnd end = wait_for(child, probe_limit, stop);
  command::throw_if_stopped(stop);
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

MovieProbe movie_probe_from(const Json& answer, const std::filesystem::path& file) {
  const CheckedAnswer checked(answer, file.string());
  MovieProbe probe;
  probe.size_px = {static_cast<int>(checked.number("width_px", most_side_px)),
                   static_cast<int>(checked.number("height_px", most_side_px))};
  probe.fps = checked.fps();
  probe.frames = checked.number("frames", movie::most_frames);
  probe.has_sound = answer.value("sound", Json()) == Json(true);
  probe.picture_bytes = static_cast<std::uint64_t>(checked.number("picture_bytes", most_bytes));
  return probe;
}

}  // namespace tilewall::cli
