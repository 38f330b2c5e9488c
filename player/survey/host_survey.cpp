#include "player/survey/host_survey.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "net/clock/clock_client.hpp"
#include "net/show_keys.hpp"
#include "net/slab/remote_url.hpp"
#include "player/present/presenter.hpp"
#include "player/survey/file_facts.hpp"
#include "player/survey/media_rates.hpp"
#include "player/survey/survey_tasks.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall::survey {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds clock_listening{1000};
constexpr milliseconds clock_look_interval{30};
constexpr int good_looks = 2;  // one after the other
constexpr milliseconds clock_limit{3000};
// Reading for a hash: a disk that gives less than this is given up.
constexpr double slowest_hash_bytes_per_s = 10e6;
constexpr milliseconds decoder_opening{10'000};

SurveyCheck blank(CheckKind kind, std::string subject = {}, std::string label = {}) {
  SurveyCheck check;
  check.kind = kind;
  check.subject = std::move(subject);
  check.label = std::move(label);
  return check;
}

void set(SurveyCheck& check, Light light, std::string text) {
  check.light = light;
  check.text = std::move(text);
}

/// Builds the list of tasks.
class TaskList {
 public:
  explicit TaskList(const SurveyRequest& request) : request_(request) {
    add(blank(CheckKind::version), [&] { return check_version(request_.version); });
    if (request_.memory_bytes)
      add(blank(CheckKind::memory), [&] { return check_memory(*request_.memory_bytes); });
    if (request_.logs)
      add(blank(CheckKind::logs, request_.logs->folder),
          [&] { return check_logs(*request_.logs); });
    if (request_.clock)
      add(
          blank(CheckKind::clock, request_.clock->daemons),
          [&] { return check_clock(*request_.clock); }, clock_listening + clock_limit);
    for (const ServerSubject& server : request_.servers)
      add(blank(CheckKind::server, server.url, server.label), [&] { return check_server(server); });
    for (const DisplaySubject& display : request_.displays)
      add(blank(CheckKind::display, display.display, display.label),
          [&] { return check_display(display); });
    for (const FileSubject& file : request_.files)
      add(
          blank(CheckKind::file, subject_name(file.path, file.names), file.label),
          [&] { return check_files(file); },
          file.facts.hash ? hashing_time(file) : milliseconds(0));
    for (const MediaSubject& media : request_.media) add_media(media);
  }

  [[nodiscard]] const std::vector<SurveyTask>& tasks() const noexcept { return tasks_; }

 private:
  void add(SurveyCheck subject, const std::function<SurveyCheck()>& check,
           milliseconds more = milliseconds(0)) {
    tasks_.push_back({{std::move(subject)}, request_.check_limit + more, [check] {
                        return std::vector<SurveyCheck>{check()};
                      }});
  }

  void add_media(const MediaSubject& media) {
    milliseconds limit = request_.check_limit + 2 * media.time;
    if (media.kind == MediaKind::movie) limit += decoder_opening;
    tasks_.push_back({media_checks(media), limit, [&] { return measure_media(media); }, true});
  }

  static milliseconds hashing_time(const FileSubject& file) {
    const double seconds = static_cast<double>(file.facts.size_bytes) / slowest_hash_bytes_per_s;
    return milliseconds(static_cast<std::int64_t>(std::min(seconds * 1000, 86.4e6)));
  }

  const SurveyRequest& request_;
  std::vector<SurveyTask> tasks_;
};

/// The folder, or its nearest parent that exists.
fs::path existing_part(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

}  // namespace

SurveyCheck check_version(const std::string& expected) {
  SurveyCheck check = blank(CheckKind::version);
  check.expected = expected;
  check.found = program_version();
  if (check.found == check.expected)
    set(check, Light::green, check.found);
  else
    set(check, Light::red, fmt::format("{}, expected {}", check.found, check.expected));
  return check;
}

std::uint64_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    std::uint64_t kib = 0;
    if (name == "MemAvailable:" && file >> kib) return kib * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

SurveyCheck check_memory(std::uint64_t needed_bytes) {
  SurveyCheck check = blank(CheckKind::memory);
  const std::uint64_t available = available_memory_bytes();
  check.expected = bytes_text(static_cast<double>(needed_bytes));
  if (available == 0) {
    check.text = "/proc/meminfo does not tell";
    return check;
  }
  check.found = bytes_text(static_cast<double>(available));
  set(check, available >= needed_bytes ? Light::green : Light::red,
      fmt::format("{} available, {} needed", check.found, check.expected));
  return check;
}

SurveyCheck check_logs(const LogsSubject& logs) {
  SurveyCheck check = blank(CheckKind::logs, logs.folder);
  check.expected = bytes_text(static_cast<double>(logs.needed_bytes));
  const fs::path folder = existing_part(logs.folder);
  struct statvfs room = {};
  if (::access(folder.c_str(), W_OK | X_OK) != 0 || ::statvfs(folder.c_str(), &room) != 0) {
    set(check, Light::red, fmt::format("{}: {}", folder.string(), std::strerror(errno)));
    return check;
  }
  const auto free_bytes =
      static_cast<std::uint64_t>(room.f_bavail) * static_cast<std::uint64_t>(room.f_frsize);
  check.found = bytes_text(static_cast<double>(free_bytes));
  set(check, free_bytes >= logs.needed_bytes ? Light::green : Light::red,
      fmt::format("{} free, {} needed", check.found, check.expected));
  return check;
}

double bound_us_of(const sync::ClockStatus& status) {
  return static_cast<double>(status.mapping.bound_at(local_now()).count()) / 1000;
}

SurveyCheck check_clock(const ClockSubject& clock) {
  SurveyCheck check = blank(CheckKind::clock, clock.daemons);
  check.expected = fmt::format("an error bound of at most {:g} us", clock.most_bound_us);
  net::ClockClientOptions options;
  options.daemons = net::resolve_clock_daemons(clock.daemons, "clock");
  options.key = net::outer_key_of(net::Protocol::clock);
  const net::ClockClient client(options);
  static_cast<void>(client.wait_until_locked(clock_limit));
  // A bound that is too wide at first has a second to become narrow.
  const auto is_good = [&](const sync::ClockStatus& now) {
    return now.state == sync::ClockState::locked && bound_us_of(now) <= clock.most_bound_us;
  };
  const LocalInstant end = local_now() + Nanos(clock_listening);
  for (int good = 0; good < good_looks && local_now() < end;) {
    static_cast<void>(sync::wait_until(local_now() + Nanos(clock_look_interval), Nanos{0}, -1));
    good = is_good(client.status()) ? good + 1 : 0;
  }
  const sync::ClockStatus status = client.status();
  if (status.samples == 0) {
    set(check, Light::red, "no clock daemon answers, or it has another key");
    return check;
  }
  const double bound_us = bound_us_of(status);
  check.found = fmt::format("{:.1f} us, {}", bound_us, sync::to_string(status.state));
  const bool locked = status.state == sync::ClockState::locked;
  set(check, locked && bound_us <= clock.most_bound_us ? Light::green : Light::amber,
      fmt::format("{}, error bound {:.1f} us{}", sync::to_string(status.state), bound_us,
                  locked && bound_us > clock.most_bound_us
                      ? fmt::format(", more than {:g} us", clock.most_bound_us)
                      : ""));
  return check;
}

SurveyCheck check_server(const ServerSubject& server) {
  SurveyCheck check = blank(CheckKind::server, server.url, server.label);
  check.expected = "an answer with the wall's key";
  const auto begin = local_now();
  try {
    static_cast<void>(net::connect_remote(net::parse_remote_url(server.url)));
  } catch (const std::exception& error) {
    set(check, Light::red, error.what());
    return check;
  }
  check.found = fmt::format("connected in {:.1f} ms",
                            static_cast<double>((local_now() - begin).count()) / 1e6);
  set(check, Light::green, check.found);
  return check;
}

SurveyCheck check_display(const DisplaySubject& display) {
  SurveyCheck check = blank(CheckKind::display, display.display, display.label);
  check.expected = "a display that opens";
  if (!display.display.empty()) ::setenv("DISPLAY", display.display.c_str(), 1);
  if (const char* const name = std::getenv("DISPLAY"); check.subject.empty() && name != nullptr)
    check.subject = name;
  try {
    const present::GlProbe probe = present::probe_gl();
    check.found = probe.usable ? probe.renderer : "no OpenGL 4.5";
    set(check, Light::green,
        probe.usable && probe.hardware ? fmt::format("opens, drawn by {}", probe.renderer)
                                       : "opens, drawn by the processor");
  } catch (const std::exception& error) {
    set(check, Light::red, error.what());
  }
  return check;
}

SurveyAnswer survey_host(const SurveyRequest& request) {
  SurveyAnswer answer{host_name(), program_version(), {}};
  const TaskList list(request);
  answer.checks = run_tasks(list.tasks(), request.limit);
  answer.checks.insert(answer.checks.end(), request.omitted.begin(), request.omitted.end());
  std::ranges::stable_sort(answer.checks, {}, &SurveyCheck::kind);
  return answer;
}

}  // namespace tilewall::survey
