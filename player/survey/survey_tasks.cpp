#include "player/survey/survey_tasks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::survey {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Checks = std::vector<SurveyCheck>;

constexpr std::size_t lane_count = 4;  // children at a time: enough to pass one disk that hangs
constexpr std::size_t read_piece_bytes = 64 * 1024;
constexpr std::size_t longest_result_bytes = std::size_t{1} << 20;
constexpr std::chrono::milliseconds longest_ending{200};  // from a closed pipe to the end
constexpr std::chrono::milliseconds end_look_interval{2};

Checks red_checks(const SurveyTask& task, const std::string& text) {
  Checks checks = task.subjects;
  for (SurveyCheck& check : checks) {
    check.light = Light::red;
    check.text = text;
  }
  return checks;
}

/// "3 s", "0.5 s".
std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

std::string result_line(const Checks& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SurveyCheck& check : checks) list.push_back(to_json(check));
  return json_text(list) + "\n";
}

Checks checks_of(const std::string& line) {
  Checks checks;
  for (const nlohmann::json& check : parse_json(line)) checks.push_back(check_from_json(check));
  return checks;
}

/// The body of a child: runs the tasks in order, and writes a line for each.
int run_lane(const std::vector<SurveyTask>& tasks, const std::deque<std::size_t>& order, int out) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  // A launcher waits until nobody has its output any more, and a child may be left behind.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (nothing >= 0) ::dup2(nothing, stream);
  for (const std::size_t i : order) {
    Checks checks;
    try {
      checks = tasks[i].run();
    } catch (const std::exception& error) {
      checks = red_checks(tasks[i], error.what());
    }
    write_all(out, result_line(checks), "survey");
  }
  return exit_done;
}

/// A child that works through some tasks, and the next one when it hangs or dies.
class Lane {
 public:
  Lane(const std::vector<SurveyTask>& tasks, std::deque<std::size_t> order)
      : tasks_(tasks), order_(std::move(order)) {
    start();
  }
  ~Lane() { stop(); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  [[nodiscard]] bool done() const noexcept { return order_.empty(); }
  [[nodiscard]] int fd() const noexcept { return results_.get(); }
  [[nodiscard]] SteadyClock::time_point due() const { return due_; }
  /// The tasks without a result, the one that runs first.
  [[nodiscard]] const std::deque<std::size_t>& order() const noexcept { return order_; }

  /// Reads results that have come, and gives up a task that is overdue. Never blocks.
  void look(std::vector<std::optional<Checks>>& results) {
    const bool ended = read_results(results);
    if (done()) return;
    if (ended) {
      give_up(results, end_text());
    } else if (SteadyClock::now() >= due_) {
      give_up(results, fmt::format("no answer within {}", seconds_text(current().limit)));
    }
  }

 private:
  [[nodiscard]] const SurveyTask& current() const { return tasks_[order_.front()]; }

  void start() {
    int ends[2] = {};
    check_sys(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe2");
    results_ = UniqueFd(ends[0]);
    const UniqueFd out(ends[1]);
    ::fcntl(out.get(), F_SETFL, 0);  // the child's end waits
    pid_ = start_role("tw-survey", {}, [&] {
      results_ = {};
      ::setpgid(0, 0);  // its own children end with it
      return run_lane(tasks_, order_, out.get());
    });
    ::setpgid(pid_, pid_);
    text_.clear();
    due_ = SteadyClock::now() + current().limit;
  }

  /// Kills the child. One that a disk holds in the kernel ends when the disk answers.
  void stop() {
    if (pid_ == 0) return;
    ::kill(-pid_, SIGKILL);
    static_cast<void>(::waitpid(pid_, nullptr, WNOHANG));
    pid_ = 0;
    results_ = {};
  }

  /// Returns whether the child has closed its end.
  bool read_results(std::vector<std::optional<Checks>>& results) {
    char piece[read_piece_bytes];
    for (;;) {
      const ssize_t got = retry_eintr([&] { return ::read(fd(), piece, sizeof piece); });
      if (got < 0) return errno != EAGAIN;
      if (got == 0) return true;
      text_.append(piece, static_cast<std::size_t>(got));
      take_lines(results);
      if (done() || text_.size() > longest_result_bytes) return true;
    }
  }

  void take_lines(std::vector<std::optional<Checks>>& results) {
    for (auto end = text_.find('\n'); end != std::string::npos && !done(); end = text_.find('\n')) {
      results[order_.front()] = checks_of(text_.substr(0, end));
      text_.erase(0, end + 1);
      order_.pop_front();
      if (!done()) due_ = SteadyClock::now() + current().limit;
    }
  }

  /// Why a child that has closed its end gave no result. Reaps it, unless it takes long to end.
  [[nodiscard]] std::string end_text() {
    for (auto left = longest_ending; left.count() > 0; left -= end_look_interval) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        if (!WIFSIGNALED(status)) break;
        return fmt::format("the check crashed (signal {})", WTERMSIG(status));
      }
      std::this_thread::sleep_for(end_look_interval);
    }
    return "the check ended without a result";
  }

  void give_up(std::vector<std::optional<Checks>>& results, const std::string& text) {
    results[order_.front()] = red_checks(current(), text);
    stop();
    order_.pop_front();
    if (!done()) start();
  }

  const std::vector<SurveyTask>& tasks_;
  std::deque<std::size_t> order_;
  UniqueFd results_;
  pid_t pid_ = 0;
  std::string text_;             // the beginning of a line
  SteadyClock::time_point due_;  // the running task's
};

class TaskRun {
 public:
  TaskRun(const std::vector<SurveyTask>& tasks, SteadyClock::time_point until)
      : tasks_(tasks), until_(until), results_(tasks.size()) {}

  void run(bool alone) {
    std::vector<std::deque<std::size_t>> orders(alone ? 1 : lane_count);
    std::size_t next = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].alone == alone) orders[next++ % orders.size()].push_back(i);
    std::deque<Lane> lanes;
    if (SteadyClock::now() < until_)
      for (std::deque<std::size_t>& order : orders)
        if (!order.empty()) lanes.emplace_back(tasks_, std::move(order));
    while (SteadyClock::now() < until_) {
      for (Lane& lane : lanes)
        if (!lane.done()) lane.look(results_);
      if (std::ranges::all_of(lanes, &Lane::done)) return;
      wait(lanes);
    }
  }

  /// The checks of all tasks; red for those without a result.
  [[nodiscard]] Checks checks(std::chrono::milliseconds limit) const {
    Checks all;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      for (SurveyCheck& check :
           results_[i] ? Checks(*results_[i])
                       : red_checks(tasks_[i], fmt::format("no answer: the survey's {} were over",
                                                           seconds_text(limit))))
        all.push_back(std::move(check));
    return all;
  }

 private:
  void wait(const std::deque<Lane>& lanes) const {
    std::vector<pollfd> polled;
    auto due = until_;
    for (const Lane& lane : lanes) {
      if (lane.done()) continue;
      polled.push_back({lane.fd(), POLLIN, 0});
      due = std::min(due, lane.due());
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - SteadyClock::now());
    ::poll(polled.data(), polled.size(), static_cast<int>(std::clamp<long>(left.count(), 0, 1000)));
  }

  const std::vector<SurveyTask>& tasks_;
  const SteadyClock::time_point until_;
  std::vector<std::optional<Checks>> results_;
};

}  // namespace

std::vector<SurveyCheck> run_tasks(const std::vector<SurveyTask>& tasks,
                                   std::chrono::milliseconds limit) {
  TaskRun run(tasks, SteadyClock::now() + limit);
  run.run(false);
  run.run(true);
  return run.checks(limit);
}

}  // namespace tilewall::survey
