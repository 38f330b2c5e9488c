// tilewall-bench-swap: one process of `tilewall bench swap`, started by mpirun.
// tilewall-bench-swap --clock-page FILE --seconds N --fps N --output FILE
//
// Rounds of a second, by turns: in one the processes wait for instants as panels do, in the next
// they meet in MPI_Barrier. In both each process is ready for a frame at some moment of the first
// half of its period, commits a picture to the null presenter, and stamps that. Process 0 writes
// what came out.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "net/clock/clock_page.hpp"
#include "net/mpi/mpi_job.hpp"
#include "player/placement/placement_plan.hpp"
#include "player/present/presenter.hpp"
#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/log_histogram.hpp"
#include "sync/pacing/commit_pacer.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall::bench {
namespace {

constexpr std::chrono::seconds clock_limit{10};
// Time for the start instant to reach all ranks.
constexpr std::chrono::milliseconds round_lead{100};

enum class Wait { clock, barrier };

/// CPU time of this thread, in nanoseconds.
std::int64_t cpu_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// Results of one way of waiting over all its rounds; on process 0.
struct Outcome {
  std::vector<std::int64_t> skews_ns;
  std::vector<std::int64_t> round_p99_ns;
  std::int64_t waiting_cpu_ns = 0;
  std::int64_t instants = 0;
};

class Bench {
 public:
  Bench(const GlobalClock& clock, int fps) : clock_(clock), fps_(fps) {
    present::PresenterOptions options;
    options.kind = present::PresenterKind::null;
    options.frame_buffer_px = {1, 1};
    presenter_ = present::make_presenter(options);
    presenter_->prepare({pixel_, {1, 1}, sizeof pixel_});
    random_.seed(static_cast<unsigned>(job_.rank()) + 1);
    placement::HostUse use;
    use.seats = job_.size();
    place_this_thread({placement::plan_panel_here(use, job_.rank(), {}).present});
  }

  void run_round(Wait wait, Outcome& outcome) {
    const GlobalInstant start{Nanos(job_.broadcast(global_now().since_epoch.count()))};
    // The collectives spin. At realtime priority they would starve processes that are not there
    // yet, so the pacer lives only between them.
    std::optional<sync::CommitPacer> pacer;
    if (wait == Wait::clock) pacer.emplace();
    if (pacer) realtime_ = pacer->realtime();
    std::vector<std::int64_t> values;  // the stamps, then the CPU time of waiting
    std::int64_t waiting_ns = 0;
    for (int i = 0; i < fps_; ++i) {
      const GlobalInstant begin = start + round_lead + i * period();
      sync::sleep_until(clock_.mapping().to_local(begin + some_time()));
      const std::int64_t before_ns = cpu_ns();
      if (pacer)
        pacer->wait_until(clock_.mapping().to_local(begin + period()));
      else
        job_.barrier();
      const LocalInstant swapped = presenter_->swap();
      if (pacer) pacer->committed();
      waiting_ns += cpu_ns() - before_ns;
      values.push_back(clock_.mapping().to_global(swapped).since_epoch.count());
    }
    pacer.reset();
    values.push_back(waiting_ns);
    add_round(job_.gather(values), outcome);
  }

  [[nodiscard]] int processes() const { return job_.size(); }
  [[nodiscard]] bool first() const { return job_.rank() == 0; }
  [[nodiscard]] bool realtime() const { return realtime_; }
  [[nodiscard]] Nanos period() const { return Nanos(std::chrono::seconds(1)) / fps_; }

 private:
  [[nodiscard]] GlobalInstant global_now() const { return clock_.mapping().to_global(local_now()); }

  /// A random moment in the first half of the period, when this process has its picture.
  Nanos some_time() {
    return Nanos(std::uniform_int_distribution<std::int64_t>(0, period().count() / 2)(random_));
  }

  /// Adds a round without its first instant, which does not count.
  void add_round(const std::vector<std::int64_t>& values, Outcome& outcome) {
    if (!first()) return;
    const auto stride = static_cast<std::size_t>(fps_) + 1;
    std::vector<std::int64_t> skews;
    for (std::size_t i = 1; i < static_cast<std::size_t>(fps_); ++i) {
      std::int64_t earliest = values[i];
      std::int64_t latest = values[i];
      for (std::size_t at = i; at < values.size(); at += stride) {
        earliest = std::min(earliest, values[at]);
        latest = std::max(latest, values[at]);
      }
      skews.push_back(latest - earliest);
    }
    for (std::size_t at = stride - 1; at < values.size(); at += stride)
      outcome.waiting_cpu_ns += values[at];
    outcome.instants += fps_;
    outcome.skews_ns.insert(outcome.skews_ns.end(), skews.begin(), skews.end());
    outcome.round_p99_ns.push_back(static_cast<std::int64_t>(percentiles(skews).p99));
  }

  net::MpiJob job_;
  const GlobalClock& clock_;
  const int fps_;
  std::unique_ptr<present::Presenter> presenter_;
  std::uint8_t pixel_[4] = {};
  std::minstd_rand random_;
  bool realtime_ = false;
};

nlohmann::json to_json(Outcome& outcome, Nanos period) {
  const Percentiles skew_us = percentiles(outcome.skews_ns) / 1e3;
  std::vector<double> round_p99_us;
  for (const std::int64_t p99_ns : outcome.round_p99_ns)
    round_p99_us.push_back(static_cast<double>(p99_ns) / 1e3);
  const double span_ns =
      static_cast<double>(outcome.instants) * static_cast<double>(period.count());
  return {{"skew_us", {{"p50", skew_us.p50}, {"p99", skew_us.p99}, {"max", skew_us.max}}},
          {"round_p99_us", round_p99_us},
          {"cpu_share", static_cast<double>(outcome.waiting_cpu_ns) / span_ns}};
}

int run(const Arguments& arguments) {
  const auto clock = net::wait_for_clock_page(arguments.text("--clock-page"), clock_limit);
  sync::use_finest_timer_slack();
  Bench bench(*clock, arguments.number("--fps"));
  Outcome by_clock;
  Outcome by_barrier;
  for (int second = 0; second < arguments.number("--seconds"); ++second) {
    bench.run_round(Wait::clock, by_clock);
    bench.run_round(Wait::barrier, by_barrier);
  }
  if (!bench.first()) return exit_done;
  const nlohmann::json result = {{"realtime", bench.realtime()},
                                 {"clock", to_json(by_clock, bench.period())},
                                 {"barrier", to_json(by_barrier, bench.period())}};
  write_file_atomically(arguments.text("--output"), result.dump() + "\n");
  return exit_done;
}

}  // namespace
}  // namespace tilewall::bench

int main(int argc, char** argv) {
  try {
    return tilewall::bench::run(tilewall::Arguments(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "tilewall-bench-swap: {}\n", error.what());
    return tilewall::exit_failed;
  }
}
