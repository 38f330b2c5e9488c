#include "player/panel/panel.hpp"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "net/clock/clock_page.hpp"
#include "net/show_keys.hpp"
#include "player/panel/director_link.hpp"
#include "player/panel/panel_inbox.hpp"
#include "player/panel/panel_report.hpp"
#include "player/panel/panel_show.hpp"
#include "player/panel/panel_start.hpp"
#include "player/panel/restart_order.hpp"
#include "player/trace/crash_news.hpp"
#include "player/trace/host_log.hpp"
#include "player/trace/restart_log.hpp"
#include "player/trace/trace_link.hpp"
#include "sync/base/process.hpp"
#include "sync/base/shared_counter.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::panel {
namespace {

// The director's host may be busy with the start of hundreds of panels. Without a director the
// keeper ends this panel earlier.
constexpr std::chrono::seconds config_limit{120};
constexpr std::chrono::seconds clock_limit{10};
constexpr std::chrono::milliseconds last_report_limit{1000};
constexpr std::chrono::milliseconds snapshot_limit{4000};  // the same with pictures for snapshots

/// The parts of a panel, constructed in the order of their needs: the clock, the link to the
/// director, the config from the link, and the show.
class PanelProcess {
 public:
  explicit PanelProcess(const PanelOptions& options)
      : options_(options),
        clock_(net::wait_for_clock_page(options.clock_page, clock_limit)),
        clock_ready_(local_now()),
        trace_(std::in_place, trace_options()),
        inbox_(*clock_),
        report_(*clock_, trace::restart_log_file(options.movies.parent_path())),
        link_(options.director, net::key_of(net::Protocol::control),
              {options.panel, ::getpid(), host_name()}, link_callbacks()),
        config_(with_decode_threads(inbox_.wait_for_config(config_limit))) {}

  int run() {
    try {
      const sync::TraceThread thread(trace_->recorder(), config_.name + " present");
      sync::trace_span("start: clock", started_, clock_ready_, {});
      sync::trace_span("start: config", clock_ready_, local_now(), {});
      show();
    } catch (const std::exception& error) {
      link_.send(failure_message(error));
      link_.finish(last_report_limit);
      throw;
    }
    trace_.reset();  // sends the rest of the trace before the director hears of the panel's end
    link_.finish(send_snapshots() ? snapshot_limit : last_report_limit);
    return inbox_.quits() ? exit_done : exit_failed;
  }

 private:
  void show() {
    if (!config_.display.empty()) ::setenv("DISPLAY", config_.display.c_str(), 1);
    const placement::PanelPlan plan = plan_placement(config_, {options_.seat, options_.seats});
    // Memory goes to the NUMA node of the thread that first writes to it, so this comes first.
    const bool has_memory = place_this_thread({{}, plan.memory_node});
    report_.set_cores(placement::to_string(plan) + (has_memory ? "" : " (refused by the system)"));
    const std::unique_ptr<present::Presenter> presenter = open_presenter(config_);
    report_.set_presenter(presenter->name());
    PanelShow({config_, *clock_, inbox_, report_, link_}, options_.movies, plan, *presenter,
              trace_->recorder())
        .run(turns_.get());
  }

  /// Sends the pictures for the command line's snapshots that the director may not have fetched,
  /// each at once: there is no show any longer that could be delayed. Returns whether there are
  /// any.
  bool send_snapshots() {
    bool any = false;
    for (const KeptSnapshots::Picture& picture : inbox_.kept_snapshots().left()) {
      link_.send(scene::to_json(taken(*picture)));
      link_.send_message(band_message(*picture, 0, picture->size_px.height));
      any = true;
    }
    return any;
  }

  [[nodiscard]] DirectorLink::Callbacks link_callbacks() {
    auto callbacks = inbox_.link_callbacks(
        [this](bool again) {
          if (options_.seat == 0)  // one panel speaks for the host
            for (trace::CrashMessage& crash : crashes_.take())
              link_.send(trace::to_json(crash), std::move(crash.report));
          for (const KeptSnapshots::Picture& picture : inbox_.kept_snapshots().to_tell(again))
            link_.send(scene::to_json(taken(*picture)));
          return report_.take(again);
        },
        [this] { return report_.pace(); });
    callbacks.logs = [this](std::uint64_t number, const std::string& role) {
      return trace::to_json(trace::LogAnswer{
          number,
          trace::read_other_host_log(options_.movies.parent_path(), role, clock_->mapping())});
    };
    callbacks.restart = obey_restart;
    return callbacks;
  }

  [[nodiscard]] trace::TraceLinkOptions trace_options() {
    return {options_.trace, {"panel", options_.panel, ::getpid(), host_name(), false}, [this] {
              return std::optional(clock_->mapping());
            }};
  }

  const LocalInstant started_ = local_now();
  const PanelOptions options_;
  const std::unique_ptr<SharedCounter> turns_ =  // null: nobody watches
      options_.turns_fd ? std::make_unique<SharedCounter>(*options_.turns_fd) : nullptr;
  const std::unique_ptr<net::ClockPageReader> clock_;
  const LocalInstant clock_ready_;
  std::optional<trace::ProcessTrace> trace_;
  PanelInbox inbox_;
  PanelReport report_;
  trace::CrashNews crashes_{options_.movies.parent_path()};  // for the link's thread
  DirectorLink link_;  // after all members that its thread uses
  const scene::PanelConfig config_;
};

}  // namespace

int run_panel(const PanelOptions& options) {
  catch_stop_signals();
  return PanelProcess(options).run();
}

}  // namespace tilewall::panel
