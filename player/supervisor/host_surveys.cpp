#include "player/supervisor/host_surveys.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

#include "net/clock/clock_daemon.hpp"
#include "net/show_keys.hpp"
#include "player/supervisor/clock_role.hpp"
#include "player/supervisor/host_check.hpp"
#include "player/supervisor/launch_folder.hpp"
#include "player/supervisor/show_secret.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::supervisor {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds survey_look_interval{50};
constexpr milliseconds survey_end_limit{1'000};  // from SIGTERM to SIGKILL
constexpr std::size_t max_reason_bytes = 64 * 1024;
constexpr int exec_failed = 127;

/// The survey of one host, by a launcher.
class LaunchedSurvey {
 public:
  LaunchedSurvey(LaunchHost host, const HostSurveyOptions& options, const fs::path& folder)
      : host_(std::move(host)), options_(options), folder_(folder) {}

  /// Not started: the host's check has found a fault.
  void refuse(const std::string& reason) { refused_ = reason; }

  void start(const survey::SurveyRequest& request, bool several_hosts) {
    limit_ = request.limit + options_.launch_limit;
    write_file_atomically(file("request"), to_json(request).dump());
    LaunchOptions launch;
    launch.launcher = options_.launcher;
    launch.run_dir = folder_;
    const ChildOptions child{launch_environment(host_, launch), file("reason"), true};
    const std::vector<std::string> words = command(several_hosts);
    started_at_ = SteadyClock::now();
    pid_ = start_role("tw-survey", child, [&] { return become(words); });
  }

  void take_end(const ChildEnd& end) {
    if (end.pid != pid_) return;
    end_ = end;
    took_ = SteadyClock::now() - started_at_;
    pid_ = 0;
  }

  /// Ends it when it is overdue.
  void look() {
    if (pid_ == 0 || SteadyClock::now() < started_at_ + limit_) return;
    stop();
    is_late_ = true;
  }

  void stop() {
    if (pid_ != 0) end_child(pid_, survey_end_limit);
    pid_ = 0;
  }

  [[nodiscard]] bool done() const noexcept { return pid_ == 0; }

  [[nodiscard]] survey::HostSurvey result() const {
    survey::HostSurvey result{host_.label(), {}};
    survey::SurveyCheck check;
    check.kind = survey::CheckKind::host;
    check.expected = "an answer";
    try {
      if (!refused_.empty()) throw JobError(refused_);
      result.answer =
          survey::answer_in(read_text_file(file("answer"), survey::longest_answer_bytes));
      check.light = survey::Light::green;
      check.found = check.text =
          fmt::format("answered in {:.1f} s", std::chrono::duration<double>(took_).count());
    } catch (const std::exception& error) {
      result.answer = {};
      check.light = survey::Light::red;
      check.text = refused_.empty() ? reason(error.what()) : refused_;
    }
    result.answer.checks.insert(result.answer.checks.begin(), std::move(check));
    return result;
  }

 private:
  [[nodiscard]] fs::path file(const std::string& kind) const {
    return folder_ / host_.file_name(kind);
  }

  [[nodiscard]] std::vector<std::string> command(bool several_hosts) const {
    std::vector<std::string> survey = {own_program("tilewall-host").string(), "--survey"};
    if (host_.is_this_machine() && !is_launch_template(options_.launcher)) return survey;
    return launch_command(host_, options_.launcher, several_hosts, survey);
  }

  /// In the child: its standard input and output become files, its errors go to the reason.
  int become(const std::vector<std::string>& words) const {
    const int in = ::open(file("request").c_str(), O_RDONLY | O_CLOEXEC);
    const int out = ::open(file("answer").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (in < 0 || out < 0) throw_errno(file("request").string(), errno);
    check_sys(::dup2(in, STDIN_FILENO), "dup2");
    check_sys(::dup2(out, STDOUT_FILENO), "dup2");
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    print_line(stderr, "{}: {}", words.front(), std::strerror(errno));
    return exec_failed;
  }

  /// Why there is no answer; `trouble`: what is wrong with the output.
  [[nodiscard]] std::string reason(const std::string& trouble) const {
    const std::string printed = file_beginning(file("reason"), max_reason_bytes);
    std::string summary =
        launch_summary(printed + file_beginning(file("answer"), max_reason_bytes));
    if (is_late_)
      return fmt::format("no answer within {} s{}",
                         std::chrono::ceil<std::chrono::seconds>(limit_).count(),
                         summary.empty() ? "" : ": " + summary);
    if (!summary.empty()) return summary;
    if (end_ && end_->signal != 0) return fmt::format("the survey died (signal {})", end_->signal);
    return end_ && end_->exit_code != 0
               ? fmt::format("the survey ended with code {} and printed nothing", end_->exit_code)
               : trouble;
  }

  const LaunchHost host_;
  const HostSurveyOptions& options_;
  const fs::path folder_;
  std::string refused_;  // "" = it was started
  milliseconds limit_{0};
  SteadyClock::time_point started_at_;
  SteadyClock::duration took_{0};
  pid_t pid_ = 0;  // 0: it has ended, or was not started
  std::optional<ChildEnd> end_;
  bool is_late_ = false;
};

/// The surveys of all hosts of a wall.
class WallSurvey {
 public:
  WallSurvey(const wall::Wall& wall, const HostSurveyOptions& options)
      : wall_(wall), options_(options), several_hosts_(uses_other_hosts(wall, options.local)) {
    check_launch_template(options_.launcher, several_hosts_);
    require_key_for_hosts(wall_, options_.local, options_.key_file);
    share_secret(wall_, options_.key_file, folder_.path() / "secret");
    for (LaunchHost& host : launch_hosts(wall_, options_.local))
      surveys_.emplace_back(std::move(host), options_, folder_.path());
  }
  ~WallSurvey() {
    for (LaunchedSurvey& survey : surveys_) survey.stop();
    if (clock_ && clock_->pid() != 0) end_child(clock_->pid(), survey_end_limit);
  }
  WallSurvey(const WallSurvey&) = delete;
  WallSurvey& operator=(const WallSurvey&) = delete;

  std::vector<survey::HostSurvey> run(const SurveyRequestOf& request_of) {
    const std::vector<HostFault> faults = host_faults();
    const std::string clock = clock_address(faults);
    const std::vector<LaunchHost> hosts = launch_hosts(wall_, options_.local);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto fault = std::ranges::find_if(faults, [&](const HostFault& one) {
        return std::ranges::find(hosts[i].names, one.host) != hosts[i].names.end();
      });
      if (fault != faults.end())
        surveys_[i].refuse(fault->cause + "; " + fault->remedy);
      else
        surveys_[i].start(request_of(hosts[i], clock), several_hosts_);
    }
    while (!std::ranges::all_of(surveys_, &LaunchedSurvey::done)) {
      wait(survey_look_interval);
      while (const auto end = reap_any()) {
        if (clock_ && clock_->pid() == end->pid) clock_->take_end();
        for (LaunchedSurvey& survey : surveys_) survey.take_end(*end);
      }
      if (clock_) clock_->look();
      for (LaunchedSurvey& survey : surveys_) survey.look();
    }
    std::vector<survey::HostSurvey> results;
    for (const LaunchedSurvey& survey : surveys_) results.push_back(survey.result());
    return results;
  }

 private:
  void wait(milliseconds time) const {
    if (watch_.wait(time) == WatchEvent::stop) throw JobError("interrupted");
  }

  [[nodiscard]] std::vector<HostFault> host_faults() const {
    if (!several_hosts_) return {};
    HostCheckOptions check;
    check.launcher = options_.launcher;
    check.log_folder = folder_.path();
    check.wait = [this](milliseconds time) { return watch_.wait(time) != WatchEvent::stop; };
    return check_hosts(wall_, check).faults;
  }

  /// The daemons that the wall file names; else starts one.
  std::string clock_address(const std::vector<HostFault>& faults) {
    if (!wall_.clock_address.empty())
      return wall_.clock_address +
             (wall_.standby_clock_address.empty() ? "" : "," + wall_.standby_clock_address);
    const auto is_fit = [&](const std::string& address) {
      return std::ranges::find(faults, address, &HostFault::address) == faults.end();
    };
    try {
      clock_.emplace(address_for_hosts(wall_, options_.local, is_fit));
    } catch (const InputError&) {  // no host's name resolves: there is nothing to survey
      return "";
    }
    clock_->start({{}, folder_.path() / "clockd.log", true}, [](int socket, SharedCounter& turns) {
      return net::serve_clock(socket, net::key_of(net::Protocol::clock),
                              [&] { turns.increment(); });
    });
    return clock_->address();
  }

  const wall::Wall& wall_;
  const HostSurveyOptions& options_;
  const bool several_hosts_;
  const ChildWatch watch_;
  const LaunchFolder folder_{"survey"};
  std::optional<ClockRole> clock_;
  std::deque<LaunchedSurvey> surveys_;  // in the order of launch_hosts()
};

}  // namespace

std::vector<survey::HostSurvey> survey_hosts(const wall::Wall& wall,
                                             const HostSurveyOptions& options,
                                             const SurveyRequestOf& request_of) {
  return WallSurvey(wall, options).run(request_of);
}

}  // namespace tilewall::supervisor
