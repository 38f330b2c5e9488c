#include "player/director/director.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "net/auth_key.hpp"
#include "net/clock/clock_client.hpp"
#include "net/secret_variables.hpp"
#include "net/socket.hpp"
#include "player/director/background_watch.hpp"
#include "player/director/cached_sources.hpp"
#include "player/director/change_lead.hpp"
#include "player/director/client_desk.hpp"
#include "player/director/clock_watch.hpp"
#include "player/director/control_server.hpp"
#include "player/director/damage.hpp"
#include "player/director/detail_step.hpp"
#include "player/director/entrance.hpp"
#include "player/director/late_watch.hpp"
#include "player/director/motion_detail.hpp"
#include "player/director/operator_keys.hpp"
#include "player/director/panel_config.hpp"
#include "player/director/release_plan.hpp"
#include "player/director/report.hpp"
#include "player/director/roster.hpp"
#include "player/director/scene_feed.hpp"
#include "player/director/scene_status.hpp"
#include "player/director/show_control.hpp"
#include "player/director/show_course.hpp"
#include "player/director/show_health.hpp"
#include "player/director/show_ledger.hpp"
#include "player/director/show_notes.hpp"
#include "player/director/snapshot_desk.hpp"
#include "player/director/snapshot_writers.hpp"
#include "player/director/sound_desk.hpp"
#include "player/director/status.hpp"
#include "player/present/gl_probe_file.hpp"
#include "player/present/presenter.hpp"
#include "player/scene/operator_messages.hpp"
#include "player/trace/show_trace.hpp"
#include "sync/base/check.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/stop_signal.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds turn_limit{20};
constexpr std::chrono::milliseconds goodbye_limit{900};   // for last reports after "quit"
constexpr std::chrono::milliseconds sound_limit{300};     // for the sound's, of these
constexpr std::chrono::milliseconds trace_limit{150};     // for the disk to take the trace's end
constexpr std::chrono::milliseconds silence_limit{1500};  // of a panel, worth a note
constexpr std::chrono::milliseconds absence_limit{300};   // of the director itself, in one turn
constexpr std::chrono::seconds hang_limit{4};             // of a panel that its keeper then kills
constexpr std::int64_t longest_ring_ticks = 12;           // more than pictures wait, and a report

/// "" where the message has none: whoever it is for refuses that.
std::string type_of(const Json& message) {
  const auto found = message.is_object() ? message.find("type") : message.end();
  const bool named = message.is_object() && found != message.end() && found->is_string();
  return named ? found->get<std::string>() : "";
}

ClockClientOptions clock_options(const std::string& clock) {
  ClockClientOptions options;
  options.daemons = resolve_clock_daemons(clock, "clock");
  options.key = AuthKey::from_environment(clock_secret_variable);
  return options;
}

Scene first_scene(const ShowOptions& options) {
  Scene scene = options.scene;
  scene.detail_from = first_detail(options.wall, options.headless);
  return scene;
}

class Director {
 public:
  /// `presenter`: what panels of this machine use.
  Director(const ShowOptions& options, std::string presenter, UniqueFd listening, int news_fd)
      : options_(options),
        presenter_(std::move(presenter)),
        news_fd_(news_fd),
        clock_(clock_options(options.clock)),
        control_(first_scene(options), ChangeLead::shortest_lead),
        lead_(options.wall.panels.size()),
        ledger_(options.wall.panels.size(), options.hashes),
        plan_(options.wall.panels.size()),
        roster_(options.wall, options.command_start),
        sound_(options.sound),
        snapshots_(options.wall, options.snapshots),
        server_(std::move(listening), {.blob_bytes = 1u << 30},
                {[this](ConnectionId from, const Json& json, std::vector<std::uint8_t>&& blob) {
                   handle(from, json, std::move(blob));
                 },
                 [this](ConnectionId id) { lose(id); },
                 [this](ConnectionId id) { entrance_.challenge(id); },
                 [this](const std::string& trouble) { notes_.note(trouble); }}),
        entrance_(server_),
        desk_(server_, control_, options.wall, [this] { return course_.now(); }),
        snapshot_desk_(
            server_, control_, options.wall,
            {[this](const Json& message) { tell_panels(message); },
             [this] { return snapshot_wait(); },
             [this](const Scene& of) { return best_tick(of, roster_.panels()).value_or(0); }}),
        notes_([this](const std::string& line) {
          desk_.tell("note", {{"line", line}});
        }),
        offers_(options.volumes, [this](const std::string& line) { notes_.note(line); }),
        late_(options.late, panel_names(), late_callbacks()),
        motion_(options.wall.panels.size()),
        course_({options_, clock_, control_, ledger_, plan_, roster_, lead_, notes_},
                course_callbacks()) {
    if (!options.trace_file.empty()) trace_.emplace(options.trace_file, panel_names());
    if (has_sound(options.scene)) std::ignore = sound_.want();
    std::ignore = offered_scene();  // its server is there before the panels
    cached_.use(scene());
  }

  int run() {
    for (const std::string& line : options_.notes) notes_.note(line);
    while (!course_.is_ending()) {
      turn_began_ = local_now();
      server_.poll(turn_time());
      if (trace_) trace_->step(clock_.mapping());
      if (stop_signal_received()) course_.stop();
      if (course_.is_playing()) late_.step(control_, local_now());
      if (course_.is_playing() && detail_.step(scene(), roster_.panels(), SteadyClock::now()))
        control_.show_details(scene().schedule);
      course_.step();
      snapshot_desk_.step(SteadyClock::now());
      offers_.step(scene(), local_now());
      if (troubles_.wants_sample(local_now())) troubles_.add(local_now(), trouble_counts());
      tell_begin();
      tell_clock_news();
    }
    say_goodbye();
    finish_snapshots();
    write_report();
    return notes_.exit_code();
  }

 private:
  [[nodiscard]] const Scene& scene() const { return control_.scene(); }
  /// Shorter where requests wait for the change before them to take effect.
  [[nodiscard]] std::chrono::milliseconds turn_time() const {
    const auto next = course_.is_playing() ? control_.next_change() : std::nullopt;
    if (!next) return turn_limit;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - course_.now());
    return std::clamp(left, std::chrono::milliseconds(0), turn_limit);
  }
  /// As panels get it.
  [[nodiscard]] Scene offered_scene() { return offers_.with_offers(scene(), local_now()); }
  [[nodiscard]] const Timeline& timeline() const { return control_.first_region().timeline; }

  // --- messages

  void handle(ConnectionId from, const Json& json, std::vector<std::uint8_t>&& blob) {
    const std::string type = type_of(json);
    if (type == "hello") return welcome(from, hello_from_json(json));
    if (type == "sound_hello") return welcome_sound(from, sound_hello_from_json(json));
    if (type == "sound" && from == sound_.connection())
      return sound_.take(sound_status_from_json(json), local_now());
    if (type == "trace_hello") return welcome_trace(from, trace_hello_from_json(json));
    if (type == "trace" && trace_) return trace_->take(from, trace_batch_from(json, blob));
    const auto panel = roster_.panel_of(from);
    if (!panel) return take_request(from, type, json);
    const std::size_t index = *panel;
    if (type == "primed") return take_primed(index, json);
    if (type == "shown") return take_batch(index, batch_from_json(json));
    if (type == "drawn") return lead_.take(index, change_drawn_from_json(json));
    if (type == "ready") return take_ready(index, json);
    if (type == "key") return take_key(key_from_json(json));
    if (type == "pointer") return take_pointer(pointer_from_json(json));
    if (type == "snapshot") return take_snapshot(index, json, std::move(blob));
    if (type == "failed") return take_failure(index, json);
    if (type == "problem")
      return notes_.note_problem(roster_.name_of(index), json_field<std::string>(json, "line"));
    throw InputError({"message"}, "type", "a known type", type);
  }

  void welcome(ConnectionId from, const PanelHello& hello) {
    entrance_.admit(from, hello_text(entrance_.challenge_of(from), hello), hello.tag);
    const std::size_t index = roster_.join(from, hello);
    ledger_.join(index);
    lead_.join(index);
    lead_.set_round_trip(index, server_.round_trip(from));
    server_.send(from, to_json(panel_config(options_, index, presenter_)));
    send_scene(index, plan_.join(index));
  }

  void prepare_start() {
    late_.prepare_start(control_, local_now());
    for (std::size_t i = 0; i < roster_.panels().size(); ++i)
      if (roster_.panels()[i].missed_start) late_.note_absence(i, 0);
  }

  void take_request(ConnectionId from, const std::string& verb, const Json& request) {
    let_in(from, verb, request);
    if (verb == "status") return answer_status(from, request);
    if (verb == "quit" || (verb == "key" && request.value("key", Json()) == "quit"))
      return quit(from, request);
    if (verb == "snapshot") return ask_for_snapshot(from, request);
    desk_.take(from, request);
  }

  void quit(ConnectionId from, const Json& request) {
    try {
      check_operator(request);
    } catch (const InputError& error) {
      return desk_.refuse(from, request, error.what());
    }
    desk_.confirm(from, request);
    course_.end();
  }

  void welcome_sound(ConnectionId from, const SoundHello& hello) {
    entrance_.admit(from, sound_hello_text(entrance_.challenge_of(from), hello), hello.tag);
    server_.send(from, to_json(sound_.welcome(from, hello)));
    feed_.send(server_, from, offered_scene(), 0);
    roster_.note_sound_back();
  }

  void lose_sound() {
    sound_.lose(!course_.is_ending(), local_now());
    if (!course_.is_ending()) roster_.note_sound_death(sound_.host());
  }

  void send_scene_to_sound() {
    if (has_sound(scene()) && sound_.want()) ask_for_sound_process();
    if (sound_.connection()) feed_.send(server_, *sound_.connection(), offered_scene(), 0);
  }

  void ask_for_sound_process() {
    try {
      write_file_atomically(options_.run_dir / sound_wanted_file, "");
    } catch (const JobError& error) {
      notes_.note(fmt::format("no sound: {}", error.what()));
    }
  }

  void ask_for_snapshot(ConnectionId from, const Json& request) {
    try {
      snapshot_desk_.take(from, request);
    } catch (const InputError& error) {
      desk_.refuse(from, request, error.what());
    }
  }

  [[nodiscard]] SnapshotWait snapshot_wait() const {
    if (!course_.is_playing()) return SnapshotWait::start;
    if (!control_.is_settled(course_.now())) return SnapshotWait::rest;
    return best_tick(scene(), roster_.panels()) ? SnapshotWait::nothing : SnapshotWait::details;
  }

  void let_in(ConnectionId client, const std::string& verb, const Json& request) {
    try {
      entrance_.admit_client(client, verb, request);
    } catch (const InputError& error) {
      desk_.refuse(client, request, error.what());
      throw;
    }
  }

  void answer_status(ConnectionId client, const Json& request) {
    const auto wants = [&](const char* part) {
      return !request.contains(part) || request.at(part) != false;
    };
    Json status = status_json(status_input(), {wants("per_panel"), wants("lists")});
    status["audio"] = sound_.status(local_now());
    status["change_lead_ms"] = std::chrono::duration<double, std::milli>(course_.lead()).count();
    if (request.contains("id")) status["id"] = request.at("id");
    server_.send(client, status);
  }

  void welcome_trace(ConnectionId from, const TraceHello& hello) {
    entrance_.admit(from, trace_hello_text(entrance_.challenge_of(from), hello), hello.tag);
    if (trace_) trace_->welcome(from, hello);
  }

  void lose(ConnectionId id) {
    entrance_.forget(id);
    feed_.forget(id);
    desk_.forget(id);
    if (trace_) trace_->lose(id);
    if (id == sound_.connection()) return lose_sound();
    if (const auto panel = roster_.leave(id)) lose_panel(*panel);
  }

  void lose_panel(std::size_t index) {
    plan_.leave(index);
    ledger_.leave(index);
    lead_.leave(index);
    late_.leave(index);
    if (!course_.is_playing()) return;
    late_.note_absence(index, ledger_.panel(index).late_so_far);
    trace_instant("panel lost");
    desk_.tell("panel_lost", {{"panel", roster_.name_of(index)}});
    roster_.note_death(index, roster_.silence_of(index) > hang_limit);
  }

  /// A stopped panel or a lost network: nothing else in the books says why frames were late.
  /// Returns whether there is something to say.
  bool note_silence(std::size_t index) {
    if (!course_.is_playing()) return false;
    const Nanos silence = roster_.silence_of(index) - own_absence();
    if (silence < silence_limit) return false;
    notes_.note(fmt::format("panel {} gave no sign for {:.1f} s", roster_.name_of(index),
                            std::chrono::duration<double>(silence).count()));
    return true;
  }

  /// How long this process has not looked at its messages, where that is long: it was stopped, or
  /// its machine has other work. What the panels sent meanwhile has waited here.
  [[nodiscard]] Nanos own_absence() {
    const Nanos absence = local_now() - turn_began_;
    if (absence < absence_limit) return Nanos(0);
    if (std::exchange(absent_turn_, turn_began_) != turn_began_ && absence >= silence_limit)
      notes_.note(
          fmt::format("the director gave no sign for {:.1f} s: it was stopped, or its "
                      "machine is overloaded",
                      std::chrono::duration<double>(absence).count()));
    return absence;
  }

  void take_batch(std::size_t index, const ShownBatch& batch) {
    late_.take(index, roster_.panels()[index].host, batch, note_silence(index));
    lead_.set_picture_time(index, Nanos(batch.pace.mean_ns));
    if (const auto& connection = roster_.panels()[index].connection)
      lead_.set_round_trip(index, server_.round_trip(*connection));
    motion_.take(index, batch.pace);
    control_.set_moving_level(motion_.coarser_by());
    for (const ShownFrame& shown : batch.frames) ledger_.add(index, batch.schedule, shown);
    ledger_.settle_passed();
    if (batch.clock.bound_ns > 0) clock_bounds_ns_.add(batch.clock.bound_ns);
    clock_watch_.take(roster_.panels()[index].host, batch.clock);
    if (!batch.realtime) note_no_realtime();
    background_watch_.see(course_.shows_volumes() && roster_.shows_only_background(),
                          SteadyClock::now());
    const Roster::Steady steady{course_.is_steady(ticks_ahead(options_.stage_bytes)),
                                course_.is_steady(longest_ring_ticks)};
    roster_.take_host_restarts(roster_.panels()[index].host, batch.host_restarts,
                               [this](GlobalInstant at) { return since_start_s(at); });
    if (!batch.frames.empty()) late_.come_back(index, ledger_.panel(index).late_so_far);
    if (!roster_.take(index, batch, steady)) return;
    trace_instant("panel back");
    desk_.tell("panel_back", {{"panel", roster_.name_of(index)}});
  }

  void note_no_realtime() {
    if (std::exchange(realtime_noted_, true)) return;
    notes_.note(
        fmt::format("no realtime priority for panels: other work may delay swaps; allow it: {}",
                    how_to_allow_realtime()));
  }

  void take_primed(std::size_t index, const Json& json) {
    roster_.set_primed(index);
    late_.take_first_pace(index, roster_.panels()[index].host,
                          draw_pace_from_json(json_field<Json>(json, "pace")),
                          json_field<int>(json, "cpus"));
  }

  void take_ready(std::size_t index, const Json& json) {
    plan_.ready(index, json_field<std::uint64_t>(json, "schedule"),
                json_field<std::int64_t>(json, "tick"));
    const Nanos delay_before = plan_.delay();
    course_.release();
    if (plan_.delay() > delay_before) late_.add(index, LateCause::released_late);
  }

  void take_snapshot(std::size_t index, const Json& json, std::vector<std::uint8_t>&& pixels) {
    const auto size = json_field<std::vector<int>>(json, "size_px");
    if (size.size() != 2) throw InputError({"message"}, "size_px", "[width, height]", "");
    const auto shown = json_field<std::int64_t>(json, "shown_frame");
    if (json.contains("number"))
      return snapshot_desk_.add(json_field<std::uint64_t>(json, "number"), index,
                                {json_field<std::uint64_t>(json, "schedule"),
                                 json_field<std::int64_t>(json, "tick"), shown},
                                {size[0], size[1]}, std::move(pixels));
    const auto wanted = json_field<std::int64_t>(json, "wanted_frame");
    snapshots_.add(index, {wanted, shown}, {size[0], size[1]}, pixels);
  }

  void take_failure(std::size_t index, const Json& json) {
    notes_.fail(
        fmt::format("panel {}: {}", roster_.name_of(index), json_field<std::string>(json, "line")),
        json_field<bool>(json, "bad_input") ? exit_bad_input : exit_failed);
    course_.end();
  }

  void take_key(std::optional<OperatorKey> key) {
    if (key == OperatorKey::quit) return course_.end();
    if (!key || !course_.is_playing()) return;
    control_.ask({wish_of_key(*key), {}});
  }

  void take_pointer(const CanvasPointer& pointer) {
    if (course_.is_playing()) control_.ask({hand_.wish_of(pointer, scene()), {}});
  }

  /// A line for the operator where the hosts' clocks changed; lost where nobody reads.
  void tell_clock_news() {
    if (const auto line = clock_watch_.news(SteadyClock::now())) tell_operator(*line);
  }

  void tell_begin() {
    if (course_.is_playing() && !std::exchange(told_begin_, true))
      tell_operator(std::string(begun_news));
  }

  void tell_operator(const std::string& line) {
    std::ignore = ::write(news_fd_, (line + "\n").c_str(), line.size() + 1);
  }

  void tell_panels(const Json& message) {
    for (const auto& [connection, index] : roster_.connected()) server_.send(connection, message);
  }

  [[nodiscard]] double since_start_s(GlobalInstant at) const {
    const Nanos passed = clock_.mapping().to_local(at) - options_.command_start;
    return std::chrono::duration<double>(passed).count();
  }

  // --- the end

  void say_goodbye() {
    const auto begin = SteadyClock::now();
    const auto waits = [&] {
      const auto waited = SteadyClock::now() - begin;
      const bool panels = !roster_.connected().empty() || (trace_ && trace_->has_panels());
      return (panels && waited < goodbye_limit) || (sound_.connection() && waited < sound_limit);
    };
    while (waits()) server_.poll(std::chrono::milliseconds(10));
  }

  void finish_snapshots() {
    const SnapshotsWritten written = snapshots_.finish(!stop_signal_received());
    for (const std::string& line : written.notes) notes_.note(line);
    for (const std::string& line : written.errors) notes_.fail(line);
  }

  // --- what goes out

  void send_scene(std::size_t index, std::int64_t join_tick) {
    if (const auto& connection = roster_.panels()[index].connection)
      feed_.send(server_, *connection, offered_scene(), join_tick);
  }

  void send_scene_to_all() {
    cached_.use(scene());
    for (std::size_t i = 0; i < roster_.panels().size(); ++i) send_scene(i, 0);
    send_scene_to_sound();
  }

  [[nodiscard]] TroubleCounts trouble_counts() const {
    const ShowLedger::Progress progress = ledger_.progress();
    TroubleCounts counts;
    counts.frames_due = progress.frames_due;
    counts.frames_late = progress.frames_late;
    for (const Restart& restart : roster_.restarts())
      ++(restart.role == "decoder" ? counts.decoder_deaths : counts.restarts);
    for (std::size_t i = 0; i < roster_.panels().size(); ++i) {
      counts.late_by_panel.push_back(ledger_.frames_late_so_far(i));
      counts.damaged_frames += roster_.panels()[i].totals.damaged_frames;
    }
    return counts;
  }

  [[nodiscard]] StatusInput status_input() const {
    StatusInput input{options_.wall,
                      ledger_,
                      roster_.panels(),
                      roster_.restarts(),
                      scene(),
                      course_.phase_name(),
                      options_.late,
                      timeline().rate_fps,
                      std::nullopt,
                      std::nullopt,
                      course_.now(),
                      local_now(),
                      options_.command_start};
    for (std::size_t i = 0; i < roster_.panels().size(); ++i)
      input.late_causes.push_back(late_.last_cause(i));
    input.last_note = notes_.last();
    input.error = notes_.error();
    input.recent = troubles_.growth(input.local_now, trouble_counts());
    input.resting_level = control_.resting_level();
    input.inputs = options_.inputs;
    const auto tick = timeline().start < never ? timeline().tick_at(input.now - plan_.delay())
                                               : std::optional<std::int64_t>();
    if (tick) input.frame = timeline().frame_of(*tick);
    if (const auto count = timeline().tick_count())
      input.frames_left = *count - tick.value_or(-1) - 1;
    return input;
  }

  [[nodiscard]] std::vector<std::string> panel_names() const {
    std::vector<std::string> names;
    for (const Panel& panel : options_.wall.panels) names.push_back(panel.name);
    return names;
  }

  [[nodiscard]] LateWatch::Callbacks late_callbacks() {
    return {[this](const Json& event) { desk_.tell("late", event); },
            [this](const std::string& line) { notes_.note(line); },
            [this] { return roster_.since_start_s(); }};
  }

  [[nodiscard]] ShowCourse::Callbacks course_callbacks() {
    return {[this] { prepare_start(); }, [this] { send_scene_to_all(); },
            [this](const Json& message) {
              tell_panels(message);
              if (sound_.connection()) server_.send(*sound_.connection(), message);
            },
            [this](const char* name, const Json& event) { desk_.tell(name, event); }};
  }

  [[nodiscard]] std::optional<TraceSummary> finish_trace() {
    if (!trace_) return std::nullopt;
    return trace_->finish(clock_.mapping(), trace_limit);
  }

  void write_report() {
    for (const std::string& line : sound_.notes()) notes_.note(line);
    background_watch_.end();
    if (options_.strict) fail_for_damage();
    for (std::size_t i = 0; i < roster_.panels().size(); ++i)
      late_.come_back(i, ledger_.frames_late(i));
    const auto since_start = [this](GlobalInstant at) { return since_start_s(at); };
    ReportInput input{options_.wall,    scene().bezels,     scene().content,  ledger_,
                      roster_.panels(), roster_.restarts(), clock_bounds_ns_, options_.hashes,
                      notes_.error(),   notes_.lines(),     std::nullopt,     since_start,
                      finish_trace()};
    if (const auto first = ledger_.totals().first_on_all) input.start_s = since_start(*first);
    Json report = report_json(input);
    report["clock"] = clock_watch_.report();
    report["audio"] = sound_.report(local_now());
    report["late_events"] = late_.events();
    report["decimation"] = late_.decimation();
    report["late_events_left_out"] = late_.events_left_out();
    write_all(options_.report_fd, report.dump(), "report");
  }

  void fail_for_damage() {
    const DamageSummary damage = damage_of(ledger_, roster_.panels(), roster_.restarts(), true);
    if (damage.any())
      notes_.fail(fmt::format("--strict: expected every frame whole on every panel, found {}",
                              to_string(damage)));
  }

  const ShowOptions& options_;
  const std::string presenter_;
  const int news_fd_;
  bool told_begin_ = false;
  ClockClient clock_;
  ShowControl control_;
  ChangeLead lead_;
  PointerHand hand_;
  ShowLedger ledger_;
  ReleasePlan plan_;
  Roster roster_;
  SoundDesk sound_;
  SnapshotWriters snapshots_;
  SceneFeed feed_{options_.wall};
  CachedSources cached_;
  LogHistogram clock_bounds_ns_;
  ClockWatch clock_watch_;
  bool realtime_noted_ = false;
  LocalInstant turn_began_ = local_now();
  LocalInstant absent_turn_;  // began then, and its absence is noted
  std::optional<ShowTrace> trace_;
  ControlServer server_;  // its handlers use everything
  Entrance entrance_;
  ClientDesk desk_;
  SnapshotDesk snapshot_desk_;
  ShowNotes notes_;
  BackgroundWatch background_watch_{notes_};
  VolumeOffers offers_;
  DetailStep detail_{options_.wall, notes_};
  LateWatch late_;
  TroubleHistory troubles_;
  MotionDetail motion_;
  ShowCourse course_;
};

/// Asks once what OpenGL can do here, rather than in every panel.
std::string local_presenter(const ShowOptions& options) {
  if (options.headless || options.presenter != "auto") return options.presenter;
  const GlProbe probe = run_gl_probe(options.run_dir / "gl-probe.json");
  return probe.usable && probe.hardware ? "gl" : "cpu";
}

}  // namespace

int run_director(const ShowOptions& options, UniqueFd listening, int news_fd) {
  std::string presenter =
      local_presenter(options);  // before there is a thread: it starts a process
  catch_stop_signals();
  ::signal(SIGXFSZ, SIG_IGN);  // a trace that grows too large or whose reader is gone ends by
  ::signal(SIGPIPE, SIG_IGN);  // itself, not the director
  return Director(options, std::move(presenter), std::move(listening), news_fd).run();
}

}  // namespace tilewall
