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

#include "net/auth_key.hpp"
#include "net/clock/clock_client.hpp"
#include "net/clock/clock_page.hpp"
#include "net/secret_variables.hpp"
#include "net/socket.hpp"
#include "player/director/arming.hpp"
#include "player/director/authenticator.hpp"
#include "player/director/checkpoint.hpp"
#include "player/director/client_role.hpp"
#include "player/director/command_log.hpp"
#include "player/director/control_server.hpp"
#include "player/director/damage.hpp"
#include "player/director/detail_step.hpp"
#include "player/director/live_role.hpp"
#include "player/director/panel_role.hpp"
#include "player/director/replay.hpp"
#include "player/director/report.hpp"
#include "player/director/roster.hpp"
#include "player/director/scene_publisher.hpp"
#include "player/director/show_control.hpp"
#include "player/director/show_journal.hpp"
#include "player/director/show_ledger.hpp"
#include "player/director/show_lifecycle.hpp"
#include "player/director/show_notes.hpp"
#include "player/director/sound_role.hpp"
#include "player/director/trace_role.hpp"
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
  options.key = net::AuthKey::from_environment(net::clock_secret_variable);
  if (page == nullptr) return options;
  options.previous = page->previous();
  options.on_publish = [page](const sync::ClockStatus& status) { page->publish(status); };
  return options;
}

constexpr std::chrono::milliseconds arming_pause{100};  // after a change has taken effect
constexpr std::chrono::seconds clock_limit{10};         // time for the clock's first answers
constexpr std::chrono::seconds checkpoint_interval{1};

/// The scene to begin with: `go_back_to`, else the newest one of the journal, else the show's
/// first.
scene::Scene first_scene(const ShowOptions& options, const ShowJournal& journal,
                         const JournalScene* go_back_to) {
  if (go_back_to != nullptr) return go_back_to->scene;
  if (journal.found() && !journal.found()->scenes.empty())
    return journal.found()->scenes.back().scene;
  scene::Scene scene = options.scene;
  scene.detail_from = first_detail(options.wall, options.headless);
  return scene;
}

/// Writes lines for the operator to the supervisor. Lines that it does not read are lost.
class OperatorNews {
 public:
  explicit OperatorNews(int fd) noexcept : fd_(fd) {}

  void tell(const std::string& line) const {
    std::ignore = ::write(fd_, (line + "\n").c_str(), line.size() + 1);
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
        server_(std::move(listening), {.blob_bytes = 1u << 30}, server_handler()),
        authenticator_(server_),
        publisher_(server_, control_, options.wall, options.volumes, notes_),
        lifecycle_(parts(), lifecycle_callbacks()),
        reports_(parts(), lifecycle_, tell_clients()),
        clients_(parts(), server_, authenticator_, lifecycle_, reports_, client_callbacks()),
        live_(parts(), server_, authenticator_, lifecycle_,
              [this](const Json& message) { panels_.tell(message); }),
        arming_(roster_, publisher_, [this] { return lifecycle_.now(); }),
        panels_(parts(), {server_, authenticator_, publisher_, live_, arming_}, lifecycle_,
                reports_, clients_, tell_clients(), std::move(presenter)),
        sound_(parts(), server_, authenticator_, publisher_, lifecycle_),
        trace_(options, authenticator_) {
    if (options.unarmed) cues_.go_unarmed();
    if (options.replay) {
      control_.be_exact();
      replay_.emplace(parts(), lifecycle_, *options.replay, tell_clients());
    }
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
      reports_.begin_turn(local_now());
      server_.poll(turn_time());
      if (trace::ShowTrace* const trace = trace_.trace()) trace->step(clock_.mapping());
      if (stop_signal_received()) lifecycle_.stop();
      reports_.step(local_now());
      lifecycle_.step();
      clients_.step();
      live_.step();
      if (live_.is_done()) lifecycle_.end();
      publisher_.step(local_now());
      if (lifecycle_.is_playing()) news_.tell_begun();
      const bool is_back =
          lifecycle_.is_playing() && !roster_.connected().empty() && roster_.note_director_back();
      // Directors that die one after the other must not lose what panels reported again.
      if (reports_.was_told_again() || is_back) next_checkpoint_ = {};
      if (lifecycle_.is_playing() && SteadyClock::now() >= next_checkpoint_) write_checkpoint();
      if (const auto line = reports_.clocks().news(SteadyClock::now())) news_.tell(*line);
      watch_content();
      change_slates();
      keep_log();
      follow_cues();
    }
    reports_.cues().end(lifecycle_.now());
    clients_.changes().finish();
    news_.tell(std::string(ending_news));
    write_checkpoint();
    say_goodbye();
    write_checkpoint();
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
    logged_restarts_ = roster_.restarts().size();  // those are in the log
    for (const std::string& trouble : found.troubles) notes_.note("journal: " + trouble);
    if (!found.scenes.empty()) control_.set_resting_level(found.scenes.back().resting_level);
    lifecycle_.go_on(found.scenes, found.delay);
    if (go_back_to_ != nullptr) take_back_newest_change(found.scenes.back().scene);
    if (lifecycle_.is_playing()) reports_.go_on();
    sound_.go_on();
    live_.go_on(found.live);
    go_on_with_cues(found.cues);
    roster_.note_director_deaths(options_.memory.deaths_s);
    if (!found.ended) return;
    lifecycle_.end_at(*found.ended);
    static_cast<void>(roster_.note_director_back());
  }

  /// Takes the list of cues that was loaded into the running show.
  void go_on_with_cues(const Json& loaded) {
    if (loaded.is_null() || !cues_.is_presenting()) return;
    try {
      cues::CueList list = cues::cue_list_from_json(loaded);
      const auto& cue = control_.scene().cue;
      const auto has_cue = [&](const cues::CueList& in) {
        return cue && std::ranges::find(in.cues, cue->cue, &cues::Cue::name) != in.cues.end();
      };
      // The list of another show is written before its first scene, which may not have come.
      if (!has_cue(list) && has_cue(cues_.list()))
        notes_.note(fmt::format("the show {} is not gone over to", list.name));
      else
        cues_.go_on_with(std::move(list));
    } catch (const InputError& error) {
      notes_.note(fmt::format("the cues that were loaded are lost: {}", error.what()));
    }
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
      panels_.snapshots().restore(json_field<Json>(saved, "snapshots"));
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

  /// Notes in the log when the show started, and which processes have died since the last turn.
  void keep_log() {
    if (!cues_.is_presenting() || !lifecycle_.is_playing()) return;
    if (!log_.start()) log_.set_start(control_.scene().since);
    for (; logged_restarts_ < roster_.restarts().size(); ++logged_restarts_) {
      const Restart& restart = roster_.restarts()[logged_restarts_];
      const auto or_null = [](const std::string& text) {
        return text.empty() ? Json(nullptr) : Json(text);
      };
      log_.add("restart",
               {{"role", restart.role},
                {"panel", or_null(restart.panel)},
                {"host", or_null(restart.host)},
                {"hung", restart.hung}},
               lifecycle_.now());
    }
  }

  /// Asks for a cue that follows by itself, and tells clients which one.
  void follow(Command command) {
    const auto next = cues_.next(control_.scene());
    clients_.tell("follow",
                  {{"cue", next ? Json(cues_.list().cues[*next].name) : Json(nullptr)},
                   {"due_ns", command.at ? Json(command.at->since_epoch.count()) : Json(nullptr)}});
    control_.ask(logged(std::move(command), log_, {{{"type", "next"}}, "follow"},
                        [this] { return lifecycle_.now(); }));
  }

  /// Goes on to cues that follow by themselves, and tells clients of each new cue.
  void follow_cues() {
    if (!cues_.is_presenting() || !lifecycle_.is_playing()) return;
    const CueTime now{lifecycle_.now(), std::chrono::system_clock::now()};
    if (replay_)
      replay_->step();  // cues that followed are among the recorded ones
    else if (auto command = cues_.follow(control_.scene(), now, lifecycle_.lead()))
      follow(std::move(*command));
    const std::optional<scene::CuePosition>& cue = control_.scene().cue;
    if (cue && cue->since != told_cue_since_) {
      told_cue_since_ = cue->since;
      begin_cue(*cue);
      clients_.tell("cue", cues_.status(control_.scene(), now));
    }
    arm_cue(now.global);
    const auto end = options_.ends_with_cues ? cues_.ends_at(control_.scene(), now) : std::nullopt;
    if (end && now.global >= *end) lifecycle_.end();
  }

  /// Begins the statistics of the cue that the newest scene goes to.
  void begin_cue(const scene::CuePosition& cue) {
    CueStatistics::Begin begin;
    begin.cue = cue.cue;
    const std::vector<cues::Cue>& all = cues_.list().cues;
    const auto found = std::ranges::find(all, cue.cue, &cues::Cue::name);
    begin.index = found == all.end() ? 0 : static_cast<std::size_t>(found - all.begin());
    begin.epoch = control_.scene().epoch;
    begin.since = cue.since;
    begin.at_s = lifecycle_.since_command_s(cue.since);
    begin.asked = cues_.asked_at().value_or(cue.since);
    begin.missing = cues_.missing_of(cue.cue);
    for (std::size_t i = 0; i < roster_.panels().size(); ++i)
      if (roster_.panels()[i].missed_start) begin.panels_missing.push_back(roster_.name_of(i));
    reports_.cues().begin(std::move(begin));
  }

  /// Gets panels ready for the cue that comes next. The scene on its way is shown first, so that
  /// panels still have the pictures that they have drawn of it.
  void arm_cue(GlobalInstant now) {
    const scene::Scene& scene = control_.scene();
    if (!scene.cue || now < scene.since + arming_pause) return;
    const std::optional<std::size_t> wanted = wanted_cue();
    const auto target = std::tuple(wanted, scene.cue->since, cues_.edition());
    if (target != armed_for_) {
      armed_for_ = target;
      if (wanted)
        arming_.arm(cues_.scene_to_arm(*wanted, scene));
      else
        arming_.disarm();
    }
    const ArmingStatus status = arming_.status();
    const bool is_ready = status.state == ArmingState::armed || status.state == ArmingState::amber;
    cues_.note_armed(wanted, is_ready);
    if (wanted) reports_.cues().note_arming(cues_.name_to_arm(*wanted), status, now);
    if (status.state == told_arming_) return;
    told_arming_ = status.state;
    if (is_ready && wanted) clients_.tell("armed", arming_json());
  }

  /// The cue that panels get ready for.
  [[nodiscard]] std::optional<std::size_t> wanted_cue() const {
    const auto replayed = replay_ ? replay_->next_cue() : std::nullopt;
    return replayed && !cues_.is_loading() ? replayed : cues_.wanted(control_.scene());
  }

  /// What panels have ready of the cue that comes next.
  [[nodiscard]] Json arming_json() const {
    constexpr const char* names[] = {"idle", "arming", "armed", "amber"};
    const ArmingStatus status = arming_.status();
    Json missing = Json::array();
    for (const auto& panel : status.panels)
      missing.push_back({{"panel", roster_.name_of(panel.panel)}, {"missing", panel.missing}});
    const auto wanted = wanted_cue();
    return {{"state", names[static_cast<std::size_t>(status.state)]},
            {"cue", wanted ? Json(cues_.name_to_arm(*wanted)) : Json(nullptr)},
            {"missing", std::move(missing)}};
  }

  void write_checkpoint() {
    next_checkpoint_ = SteadyClock::now() + checkpoint_interval;
    checkpoint_.write({{"notes", notes_.checkpoint()},
                       {"roster", roster_.checkpoint()},
                       {"ledger", ledger_.checkpoint()},
                       {"reports", reports_.checkpoint()},
                       {"sound", sound_.service().checkpoint()},
                       {"snapshots", panels_.snapshots().checkpoint()}});
    panels_.tell_saved_snapshots();
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
            [this](ConnectionId id) { authenticator_.challenge(id); },
            [this](const std::string& trouble) { notes_.note(trouble); }};
  }

  void lose(ConnectionId id) {
    authenticator_.forget(id);
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
            [this] { return live_.status(); },
            [this](const Json& request) { return live_.change(request); },
            [this] { return arming_json(); }};
  }

  /// The limit of a turn's wait; shorter where requests wait until the last change takes effect.
  [[nodiscard]] std::chrono::milliseconds turn_time() const {
    const auto next = lifecycle_.is_playing() ? control_.next_change() : std::nullopt;
    if (!next) return turn_limit;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - lifecycle_.now());
    return std::clamp(left, std::chrono::milliseconds(0), turn_limit);
  }

  // --- the end

  void say_goodbye() {
    const auto begin = SteadyClock::now();
    const auto waits = [&] {
      const auto waited = SteadyClock::now() - begin;
      const trace::ShowTrace* const trace = trace_.trace();
      const bool panels = !roster_.connected().empty() || (trace != nullptr && trace->has_panels());
      const bool may_come = journal_.found() && journal_.found()->ended && waited < rejoin_time;
      return (panels && waited < goodbye_limit) || may_come ||
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
  const std::unique_ptr<net::ClockPageWriter> clock_page_;
  net::ClockClient clock_;
  ShowJournal journal_;
  ShowLog log_;
  std::size_t logged_restarts_ = 0;
  CheckpointMemory checkpoint_;
  HashMemory hashes_;
  SteadyClock::time_point next_checkpoint_;
  /// The cue that panels get ready for, when the one on the wall began, and the list's edition.
  std::tuple<std::optional<std::size_t>, GlobalInstant, std::uint64_t> armed_for_{};
  ArmingState told_arming_ = ArmingState::idle;
  GlobalInstant told_cue_since_{};        // CuePosition::since of the newest event "cue"
  const JournalScene* const go_back_to_;  // null: no change is taken back
  ShowControl control_;
  CueDesk cues_;
  ShowLedger ledger_;
  Roster roster_;
  ShowNotes notes_;
  ControlServer server_;  // its handlers use all other members
  Authenticator authenticator_;
  ScenePublisher publisher_;
  ShowLifecycle lifecycle_;
  PanelReports reports_;
  ClientRole clients_;
  LiveRole live_;
  ArmingDesk arming_;
  PanelRole panels_;
  SoundRole sound_;
  TraceRole trace_;
  std::optional<Replay> replay_;  // empty: the show is no replay
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
