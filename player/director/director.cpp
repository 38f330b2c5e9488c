#include "player/director/director.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>
#include <utility>

#include "net/clock/clock_client.hpp"
#include "net/clock/clock_page.hpp"
#include "net/show_keys.hpp"
#include "net/socket.hpp"
#include "player/director/arming.hpp"
#include "player/director/client_role.hpp"
#include "player/director/connections/control_server.hpp"
#include "player/director/cue_runner.hpp"
#include "player/director/live_role.hpp"
#include "player/director/log/show_journal.hpp"
#include "player/director/log/show_notes.hpp"
#include "player/director/panel_role.hpp"
#include "player/director/roster.hpp"
#include "player/director/scene_publisher.hpp"
#include "player/director/show_lifecycle.hpp"
#include "player/director/sound_role.hpp"
#include "player/director/statistics/checkpoint.hpp"
#include "player/director/statistics/damage.hpp"
#include "player/director/statistics/report.hpp"
#include "player/director/statistics/show_ledger.hpp"
#include "player/director/statistics/turn_watch.hpp"
#include "player/director/trace_role.hpp"
#include "player/director/verbs/detail_step.hpp"
#include "player/director/verbs/show_control.hpp"
#include "player/present/window_module.hpp"
#include "player/scene/sound_messages.hpp"
#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/shared_counter.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds turn_limit{20};
// Time for panels' last reports after "quit".
constexpr std::chrono::milliseconds goodbye_limit{900};
// The same where panels have pictures for snapshots left, which they send at once when they end.
constexpr std::chrono::milliseconds snapshot_limit{5000};
constexpr std::chrono::milliseconds rejoin_time{300};  // panels connect again every 100 ms
constexpr std::chrono::milliseconds sound_limit{300};  // time for the sound process's last report
constexpr std::chrono::milliseconds trace_limit{150};  // time for the disk to write the trace's end

/// The page where a director leaves its clock's mapping to the next one, which may find no clock
/// daemon. Null where it cannot be had, on a full disk for instance.
std::unique_ptr<net::ClockPageWriter> clock_page_in(const std::filesystem::path& run_dir) try {
  return std::make_unique<net::ClockPageWriter>(run_dir / "clock-page.director");
} catch (const JobError& error) {
  log_line("tilewall: {}", error.what());
  return nullptr;
}

/// `page` may be null, and outlives the client.
net::ClockClientOptions clock_options(const std::string& clock, net::ClockPageWriter* page) {
  net::ClockClientOptions options;
  options.daemons = net::resolve_clock_daemons(clock, "clock");
  options.key = net::outer_key_of(net::Protocol::clock);
  if (page == nullptr) return options;
  options.previous = page->previous();
  options.on_publish = [page](const sync::ClockStatus& status) { page->publish(status); };
  return options;
}

constexpr std::chrono::seconds clock_limit{10};  // time for the clock's first answers

/// The scene to begin with: `go_back_to`, else the newest one of the journal, else the show's
/// first.
scene::Scene first_scene(const ShowOptions& options, const ShowJournal& journal,
                         const JournalScene* go_back_to) {
  if (go_back_to != nullptr) return go_back_to->scene;
  if (journal.found() && !journal.found()->scenes.empty())
    return journal.found()->scenes.back().scene;
  scene::Scene scene = options.scene;
  scene.detail_from = first_detail(options.wall, options.headless);
  scene.volume_stage = first_stage(scene.detail_from);
  for (scene::Region& region : scene.regions) region.first_stage = 0;
  return scene;
}

// Memory for unfinished messages of clients, beside that for panels.
constexpr std::size_t client_receive_bytes = std::size_t{64} << 20;
// Connections for processes of the show that are no panels: sound, casters, those that are traced.
constexpr std::size_t other_members = 64;
constexpr std::size_t members_of_panel = 2;  // itself, and one while its older connection ends

ControlServer::Options server_options(const ShowOptions& options) {
  std::size_t receive_bytes = client_receive_bytes;
  for (const wall::Panel& panel : options.wall.panels) receive_bytes += longest_panel_blob(panel);
  return {net::key_of(net::Protocol::control),
          options.control_encryption,
          {},
          other_members + members_of_panel * options.wall.panels.size(),
          receive_bytes};
}

/// Writes lines for the operator, and orders, to the supervisor. Those that it does not read are
/// lost.
class OperatorNews {
 public:
  explicit OperatorNews(int fd) noexcept : fd_(fd) {}

  void tell(const std::string& line) const { std::ignore = try_tell(line); }
  /// Returns whether the line was written.
  [[nodiscard]] bool try_tell(const std::string& line) const {
    return ::write(fd_, (line + "\n").c_str(), line.size() + 1) ==
           static_cast<ssize_t>(line.size() + 1);
  }
  /// Tells that the show has begun. Further calls do nothing.
  void tell_begun() {
    if (!std::exchange(told_begun_, true)) tell(std::string(begun_news));
  }

 private:
  const int fd_;
  bool told_begun_ = false;
};

class Director {
 public:
  /// `presenter` is the kind of presenter for panels of this host.
  Director(const ShowOptions& options, std::string presenter, UniqueFd listening, int news_fd)
      : options_(options),
        news_(news_fd),
        turns_(options.memory.turns_fd),
        clock_page_(clock_page_in(options.run_dir)),
        clock_(clock_options(options.clock, clock_page_.get())),
        journal_(options.memory.journal_fd, options.run_dir / journal_file),
        log_(options.memory.log_fd, options.log),
        checkpoint_(options.memory.checkpoint_fd),
        hashes_(options.memory.hash_fd),
        go_back_to_(journal_.found() ? scene_before_blamed(*journal_.found(), local_now())
                                     : nullptr),
        control_(first_scene(options, journal_, go_back_to_), ChangeLead::shortest_lead),
        cues_(options.wall, options.cues),
        ledger_(options.wall.panels.size(), options.hashes),
        roster_(options.wall, options.command_start),
        notes_([this](const std::string& line) {
          clients_.tell("note", {{"line", line}});
        }),
        server_(std::move(listening), server_options(options), server_handler()),
        publisher_(server_, control_, options.wall, options.volumes, notes_),
        lifecycle_(parts(), lifecycle_callbacks()),
        reports_(parts(), lifecycle_, tell_clients()),
        clients_(parts(), server_, lifecycle_, reports_, client_callbacks()),
        live_(parts(), server_, lifecycle_, [this](const Json& message) { panels_.tell(message); }),
        arming_(roster_, publisher_, [this] { return lifecycle_.now(); }),
        cue_runner_(parts(), lifecycle_, reports_, arming_, tell_clients()),
        panels_(parts(), {server_, publisher_, live_, arming_}, lifecycle_, reports_, clients_,
                tell_clients(), std::move(presenter)),
        sound_(parts(), server_, publisher_, lifecycle_),
        trace_(options, server_) {
    if (options.keeps_path) control_.keep_path();
    publisher_.prepare();  // starts the server for volumes before panels connect
  }

  int run() {
    if (checkpoint_.newest().is_null())
      for (const std::string& line : options_.notes) notes_.note(line);
    if (journal_.found()) go_on();
    ledger_.keep_hashes_in(hashes_);
    const bool is_first = !journal_.found();
    journal_.begin(Json::parse(options_.memory.start, nullptr, false), lifecycle_.now());
    if (is_first && options_.cues && options_.cues->is_of_journal)
      journal_.write_cues(cues::to_json(cues_.list()), lifecycle_.now());
    while (!lifecycle_.is_ending()) {
      turns_.increment();
      reports_.begin_turn(local_now(), server_.has_more());
      LocalInstant turn_began;
      std::uint64_t cpu_began_ns = 0;
      server_.poll(turn_time(), [&] {
        turn_began = local_now();
        cpu_began_ns = thread_time_ns();
      });
      if (trace::ShowTrace* const trace = trace_.trace()) trace->step(clock_.mapping());
      if (stop_signal_received()) lifecycle_.stop();
      reports_.step(local_now());
      lifecycle_.step();
      clients_.step();
      panels_.snapshots().step();
      live_.step();
      if (live_.is_done()) lifecycle_.end();
      publisher_.step(local_now());
      if (lifecycle_.is_playing()) news_.tell_begun();
      for (const KeyframeOrder order : control_.take_keyframe_orders())
        news_.tell(std::string(keyframe_news[static_cast<std::size_t>(order)]));
      const bool is_back =
          lifecycle_.is_playing() && !roster_.connected().empty() && roster_.note_director_back();
      // Directors that die one after the other must not lose what panels reported again.
      if (reports_.was_told_again() || is_back) checkpoint_turns_.hurry();
      const auto turn_cpu = [&] {
        return Nanos(static_cast<std::int64_t>(thread_time_ns() - cpu_began_ns));
      };
      checkpoint_turns_.step(SteadyClock::now(), turn_cpu(), lifecycle_.is_playing());
      if (const auto line = reports_.clocks().news(SteadyClock::now())) news_.tell(*line);
      watch_content();
      change_slates();
      cue_runner_.step();
      turn_lengths_.add(local_now() - turn_began, turn_cpu());
    }
    reports_.cues().end(lifecycle_.now());
    clients_.changes().finish();
    news_.tell(std::string(ending_news));
    write_checkpoint(checkpoint());
    say_goodbye();
    write_checkpoint(checkpoint());
    panels_.finish_snapshots(!stop_signal_received(), [this] { turns_.increment(); });
    write_report();
    return notes_.exit_code();
  }

 private:
  [[nodiscard]] ShowParts parts() {
    return {options_, clock_, control_, cues_, ledger_, roster_, notes_, journal_, log_};
  }

  // --- after the death of another director

  void go_on() {
    const sync::TraceSpan span("go on");
    wait_for_clock();
    const JournalState& found = *journal_.found();
    restore_statistics();
    for (const std::string& trouble : found.troubles) notes_.note("journal: " + trouble);
    if (!found.scenes.empty()) control_.set_resting_level(found.scenes.back().resting_level);
    lifecycle_.go_on(found.scenes, found.delay);
    if (go_back_to_ != nullptr) take_back_newest_change(found.scenes.back().scene);
    if (lifecycle_.is_playing()) reports_.go_on();
    sound_.go_on();
    live_.go_on(found.live);
    cue_runner_.go_on(found.cues);
    roster_.note_director_deaths(options_.memory.deaths_s);
    if (!found.ended) return;
    lifecycle_.end_at(*found.ended);
    static_cast<void>(roster_.note_director_back());
  }

  void wait_for_clock() {
    const auto until = SteadyClock::now() + clock_limit;
    while (clock_.status().state == sync::ClockState::collecting && SteadyClock::now() < until) {
      turns_.increment();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  void restore_statistics() {
    const Json& saved = checkpoint_.newest();
    if (saved.is_null()) return;
    try {
      notes_.restore(json_field<Json>(saved, "notes"));
      roster_.restore(json_field<Json>(saved, "roster"));
      ledger_.restore(json_field<Json>(saved, "ledger"), hashes_.all());
      reports_.restore(json_field<Json>(saved, "reports"));
      sound_.restore(json_field<Json>(saved, "sound"));
      panels_.snapshots().of_command_line().restore(json_field<Json>(saved, "snapshots"));
    } catch (const InputError& error) {
      notes_.note(
          fmt::format("the statistics of the director that died are lost: {}", error.what()));
    }
  }

  void take_back_newest_change(const scene::Scene& newest) {
    control_.reissue_above(newest.version, newest.epoch);
    journal_.take_back_from(go_back_to_->scene.version);
    notes_.note("the director died twice within 10 s of the last change: it is taken back");
  }

  void watch_content() {
    const bool sound_stalls = lifecycle_.is_playing() && scene::has_sound(control_.scene()) &&
                              sound_.service().is_stalled(local_now());
    reports_.content().take_sound(sound_stalls, lifecycle_.now());
    if (const auto line = reports_.content().news(lifecycle_.now())) {
      news_.tell(*line);
      clients_.tell("content", {{"frozen", reports_.content().frozen()}});
    }
  }

  /// Puts slates up and takes them off, by a change of the scene that all panels show at one tick.
  void change_slates() {
    if (!options_.slate || !lifecycle_.is_playing() || control_.next_change()) return;
    const GlobalInstant now = lifecycle_.now();
    if (now < control_.scene().since) return;
    const std::vector<SlateWatch::Change> changes =
        reports_.slates().changes(control_.scene(), now);
    if (changes.empty()) return;
    control_.ask(
        {[changes, at = TimeOfDay{now, std::chrono::system_clock::now()}](SceneChange& change) {
           for (const SlateWatch::Change& one : changes) {
             const scene::Region& region = change.region(one.region);
             change.set_slate(one.region,
                              one.since ? slate_text(region, *one.since, at) : std::string());
           }
         },
         {}});
  }

  [[nodiscard]] Json checkpoint() {
    return {{"notes", notes_.checkpoint()},
            {"roster", roster_.checkpoint()},
            {"ledger", ledger_.checkpoint()},
            {"reports", reports_.checkpoint()},
            {"sound", sound_.service().checkpoint()},
            {"snapshots", panels_.snapshots().of_command_line().checkpoint()}};
  }

  void write_checkpoint(const Json& checkpoint) {
    checkpoint_.write(checkpoint);
    panels_.snapshots().tell_saved();
    journal_.shorten(lifecycle_.now());
    if (const auto line = journal_.news()) notes_.note(*line);
    log_.step();
    if (const auto line = log_.news()) notes_.note(*line);
  }

  [[nodiscard]] ControlServer::Handler server_handler() {
    return {[this](ConnectionId from, const Json& json, std::vector<std::uint8_t>&& blob) {
              turns_.increment();  // a client may send thousands of requests at once
              ConnectionRole* const roles[] = {&panels_, &sound_, &live_, &trace_, &clients_};
              route(roles, from, json, std::move(blob));
            },
            [this](ConnectionId id) { lose(id); },
            [this](const std::string& trouble) { notes_.note(trouble); }};
  }

  void lose(ConnectionId id) {
    publisher_.forget(id);
    for (ConnectionRole* const role :
         std::initializer_list<ConnectionRole*>{&clients_, &trace_, &live_, &sound_, &panels_})
      role->lose(id);
  }

  [[nodiscard]] ShowLifecycle::Callbacks lifecycle_callbacks() {
    return {[this] { reports_.prepare_start(); },
            [this] {
              publisher_.prepare();
              panels_.send_scene();
              sound_.send_scene();
            },
            [this](const Json& message) {
              panels_.tell(message);
              sound_.tell(message);
            },
            tell_clients()};
  }

  [[nodiscard]] PanelReports::TellClients tell_clients() {
    return [this](const char* event, const Json& details) { clients_.tell(event, details); };
  }

  [[nodiscard]] ClientRole::Callbacks client_callbacks() {
    return {[this] { return sound_.service().status(local_now()); },
            [this](const Json& message) { panels_.tell(message); },
            [this](std::uint64_t order) { panels_.snapshots().drop(order); },
            [this](std::size_t panel, const Json& message) { panels_.tell(panel, message); },
            [this] { return live_.status(); },
            [this](const Json& request) { return live_.change(request); },
            [this] { return cue_runner_.arming(); },
            [this](std::size_t panel) {
              return news_.try_tell(fmt::format("{}{})", restart_launcher_news, panel));
            }};
  }

  /// The limit of a turn's wait; shorter where requests wait until the last change takes effect, or
  /// a live source has a timestep to draw.
  [[nodiscard]] std::chrono::milliseconds turn_time() const {
    Nanos left = std::min<Nanos>(turn_limit, live_.longest_wait());
    if (const auto next = lifecycle_.is_playing() ? control_.next_change() : std::nullopt)
      left = std::min(left, *next - lifecycle_.now());
    return std::chrono::ceil<std::chrono::milliseconds>(std::max(left, Nanos{0}));
  }

  // --- the end

  void say_goodbye() {
    const auto begin = SteadyClock::now();
    const auto waits = [&] {
      const auto waited = SteadyClock::now() - begin;
      const trace::ShowTrace* const trace = trace_.trace();
      const bool panels = !roster_.connected().empty() || (trace != nullptr && trace->has_panels());
      const bool ended_before = journal_.found() && journal_.found()->ended;
      const bool may_come = (ended_before || lifecycle_.awaits_panels()) && waited < rejoin_time;
      const bool comes = panels_.snapshots().is_fetching() && !stop_signal_received();
      return (panels && waited < (comes ? snapshot_limit : goodbye_limit)) || may_come ||
             (sound_.service().connection() && waited < sound_limit);
    };
    while (waits()) server_.poll(std::chrono::milliseconds(10));
  }

  [[nodiscard]] std::optional<trace::TraceSummary> finish_trace() {
    trace::ShowTrace* const trace = trace_.trace();
    if (trace == nullptr) return std::nullopt;
    return trace->finish(clock_.mapping(), trace_limit);
  }

  void write_report() {
    for (const std::string& line : sound_.service().notes()) notes_.note(line);
    reports_.end();
    if (const std::string line = reports_.content().failure(); !line.empty()) notes_.fail(line);
    if (options_.strict) fail_for_damage();
    const auto since_start = [this](GlobalInstant at) { return lifecycle_.since_command_s(at); };
    ReportInput input{options_.wall,
                      control_.scene().bezels,
                      control_.scene().content,
                      ledger_,
                      roster_.panels(),
                      roster_.restarts(),
                      reports_.clock_bounds_ns(),
                      options_.hashes,
                      notes_.error(),
                      notes_.lines(),
                      std::nullopt,
                      since_start,
                      finish_trace()};
    if (const auto first = ledger_.totals().first_on_all) input.start_s = since_start(*first);
    Json report = report_json(input);
    if (const auto start = log_.start()) report["start_ns"] = start->since_epoch.count();
    report["clock"] = reports_.clocks().report();
    report["live"] = live_.status();
    if (options_.hashes && control_.first_region().source->live)
      report["live_shown"] = live_.shown();
    report["audio"] = sound_.service().report(local_now());
    report["frozen"] = frozen_json();
    report["director"] = turns_json();
    report["late_events"] = reports_.late().events();
    report["decimation"] = reports_.late().decimation();
    report["late_events_left_out"] = reports_.late().events_left_out();
    if (cues_.is_presenting()) {
      report["cues"] = reports_.cues().report();
      report["cues_left_out"] = reports_.cues().left_out();
    }
    if (!options_.memory.deaths_s.empty())
      report["statistics_lost_s"] = std::chrono::duration<double>(reports_.lost_time()).count();
    write_all(options_.report_fd, report.dump(), "report");
  }

  /// The report's "director", of the turns of this process.
  [[nodiscard]] Json turns_json() const {
    const auto ms = [](Nanos time) {
      return std::chrono::duration<double, std::milli>(time).count();
    };
    return {{"turns", turn_lengths_.turns()},
            {"longest_turn_ms", ms(turn_lengths_.longest())},
            {"longest_turn_cpu_ms", ms(turn_lengths_.longest_cpu())},
            {"turns_over_20_ms", turn_lengths_.turns_over_budget()}};
  }

  /// The report's "frozen": ContentWatch::report() in seconds since the command began.
  [[nodiscard]] Json frozen_json() const {
    Json all = reports_.content().report();
    for (Json& one : all) {
      const auto at_s = [&](const Json& ns) {
        return ns.is_null()
                   ? Json(nullptr)
                   : Json(lifecycle_.since_command_s(GlobalInstant{Nanos(ns.get<std::int64_t>())}));
      };
      one = {{"what", one.at("what")},
             {"from_s", at_s(one.at("from_ns"))},
             {"until_s", at_s(one.at("until_ns"))}};
    }
    return all;
  }

  void fail_for_damage() {
    const DamageSummary damage = damage_of(ledger_, roster_.panels(), roster_.restarts(), true);
    if (damage.any())
      notes_.fail(fmt::format("--strict: expected every frame whole on every panel, found {}",
                              to_string(damage)));
  }

  const ShowOptions& options_;
  OperatorNews news_;
  SharedCounter turns_;
  TurnLengths turn_lengths_;
  const std::unique_ptr<net::ClockPageWriter> clock_page_;
  net::ClockClient clock_;
  ShowJournal journal_;
  ShowLog log_;
  CheckpointMemory checkpoint_;
  HashMemory hashes_;
  CheckpointTurns checkpoint_turns_{
      {[this] { return checkpoint(); }, [this](const Json& made) { write_checkpoint(made); }}};
  const JournalScene* const go_back_to_;  // null: no change is taken back
  ShowControl control_;
  CueDesk cues_;
  ShowLedger ledger_;
  Roster roster_;
  ShowNotes notes_;
  ControlServer server_;  // its handlers use all other members
  ScenePublisher publisher_;
  ShowLifecycle lifecycle_;
  PanelReports reports_;
  ClientRole clients_;
  LiveRole live_;
  ArmingDesk arming_;
  CueRunner cue_runner_;
  PanelRole panels_;
  SoundRole sound_;
  TraceRole trace_;
};

/// The presenter for panels of this host. One probe of OpenGL here saves one in every panel.
std::string local_presenter(const ShowOptions& options) {
  if (options.headless || options.presenter != "auto") return options.presenter;
  const present::GlProbe probe = present::run_gl_probe(options.run_dir / "gl-probe.json");
  return probe.usable && probe.hardware ? "gl" : "cpu";
}

}  // namespace

int run_director(const ShowOptions& options, UniqueFd listening, int news_fd) {
  // This starts a process, so it has to come before any thread.
  std::string presenter = local_presenter(options);
  catch_stop_signals();
  // A trace that grows too large, or loses its reader, ends alone and not with the director.
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  return Director(options, std::move(presenter), std::move(listening), news_fd).run();
}

}  // namespace tilewall::director
