#include "player/panel/panel.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "net/clock/clock_page.hpp"
#include "player/panel/decode_ahead.hpp"
#include "player/panel/director_link.hpp"
#include "player/panel/panel_counters.hpp"
#include "player/panel/present_loop.hpp"
#include "player/placement/placement_plan.hpp"
#include "player/scene/operator_messages.hpp"
#include "player/trace/restart_log.hpp"
#include "player/trace/trace_link.hpp"
#include "sync/base/check.hpp"
#include "sync/base/process.hpp"
#include "sync/base/shared_counter.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

// The director's machine may be busy with the start of hundreds of panels; where there is none any
// more, this panel's keeper ends it.
constexpr std::chrono::seconds config_limit{120};
constexpr std::chrono::seconds clock_limit{10};
constexpr std::chrono::milliseconds last_report_limit{1000};
constexpr int max_decode_threads = 64;
constexpr std::chrono::seconds hurry_pause{1};  // without a late frame, then the next is news

/// The config that the link receives and the main thread waits for.
class ConfigSlot {
 public:
  void set(const PanelConfig& config) {
    const std::scoped_lock lock(mutex_);
    if (config_) return;  // of a second connection: it does not change
    config_ = config;
    changed_.notify_all();
  }

  PanelConfig wait() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, config_limit, [&] { return config_.has_value(); }))
      throw JobError("panel: no director answers");
    return *config_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<PanelConfig> config_;  // guarded by mutex_
};

std::uint64_t peak_rss_bytes() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

int host_cpus() { return static_cast<int>(std::thread::hardware_concurrency()); }

/// As many as there are CPUs for them, where those are asked for.
PanelConfig with_decode_threads(PanelConfig config) {
  const PlaceRequest request = parse_place(config.place, "--place");
  if (request.decoders && !request.decoders->empty())
    config.decode_threads =
        std::min(static_cast<int>(request.decoders->size()), max_decode_threads);
  return config;
}

/// "locked 1.2 us"
std::string clock_text(const ClockStatus& status) {
  const double bound_ns = static_cast<double>(status.mapping.bound_at(local_now()).count());
  return fmt::format("{} {:.1f} us", to_string(status.state), bound_ns / 1e3);
}

/// The parts of a panel and how they hang together. Built in two steps, as the director's config
/// says how large the pictures are.
class PanelProcess {
 public:
  explicit PanelProcess(const PanelOptions& options)
      : turns_(options.turns_fd ? std::make_unique<SharedCounter>(*options.turns_fd) : nullptr),
        movies_(options.movies),
        seat_(options.seat),
        seats_(options.seats),
        clock_(wait_for_clock_page(options.clock_page, clock_limit)),
        clock_ready_(local_now()),
        trace_(std::in_place, trace_options(options)),
        link_(options.director, {options.panel, ::getpid(), host_name(), {}}, link_callbacks()),
        config_(with_decode_threads(config_slot_.wait())) {}

  int run() {
    try {
      const TraceThread thread(trace_->recorder(), config_.name + " present");
      trace_span("start: clock", started_, clock_ready_, {});
      trace_span("start: config", clock_ready_, local_now(), {});
      show();
    } catch (const std::exception& error) {
      tell_failure(error);
      link_.finish(last_report_limit);
      throw;
    }
    trace_.reset();  // sends the last of it, before the director hears that the panel has ended
    link_.finish(last_report_limit);
    return 0;
  }

 private:
  void tell_failure(const std::exception& error) {
    const bool bad_input = dynamic_cast<const InputError*>(&error) != nullptr;
    link_.send(Json{{"type", "failed"}, {"line", error.what()}, {"bad_input", bad_input}});
  }

  /// The decoder that reports and scenes go to, and its ring, for as long as they live.
  class PublishedDecoder {
   public:
    PublishedDecoder(PanelProcess& panel, DecodeAhead& decoder, PictureRing& ring) : panel_(panel) {
      panel_.publish(&decoder, &ring);
    }
    ~PublishedDecoder() { panel_.publish(nullptr, nullptr); }
    PublishedDecoder(const PublishedDecoder&) = delete;
    PublishedDecoder& operator=(const PublishedDecoder&) = delete;

   private:
    PanelProcess& panel_;
  };

  void show() {
    if (!config_.display.empty()) ::setenv("DISPLAY", config_.display.c_str(), 1);
    const PanelPlan plan = config_.pin ? plan_placement() : PanelPlan{};
    const bool has_memory = place_this_thread({{}, plan.memory_node});  // before it is touched
    set_cores(to_string(plan) + (has_memory ? "" : " (refused by the system)"));
    const std::unique_ptr<Presenter> presenter = open_presenter();
    set_presenter_name(presenter->name());
    const SizePx picture_px = config_.viewed_size_px();
    PictureRing ring(picture_px, ring_buffers(picture_px));
    DecodeAhead decoder(config_, movies_, *clock_, scenes_, ring, trace_->recorder(),
                        {{plan.decode, plan.memory_node}, {plan.receive, plan.memory_node}},
                        decode_callbacks());
    const PublishedDecoder published(*this, decoder, ring);
    place_this_thread({plan.present, plan.memory_node});
    PresentLoop loop(config_, *clock_, scenes_, ring, gate_, log_, *presenter, present_callbacks());
    realtime_ = loop.realtime();
    while (!quit_ && !stop_signal_received()) {
      loop.step();
      present_ns_ = loop.present_time().count();
      if (turns_) turns_->increment();
    }
  }

  [[nodiscard]] PanelPlan plan_placement() const {
    const TraceSpan span("start: placement");
    HostUse use;
    use.seats = seats_;
    use.windows = !config_.headless && config_.presenter != "null";
    use.server = config_.server.address;
    use.mounted = config_.server.mounted;
    return plan_panel_here(use, seat_, parse_place(config_.place, "--place"));
  }

  [[nodiscard]] std::unique_ptr<Presenter> open_presenter() const {
    const TraceSpan span("start: presenter");
    return make_presenter(presenter_options());
  }

  [[nodiscard]] TraceLinkOptions trace_options(const PanelOptions& options) {
    return {options.trace, {"panel", options.panel, ::getpid(), host_name(), false, {}}, [this] {
              return std::optional(clock_->mapping());
            }};
  }

  [[nodiscard]] PresenterOptions presenter_options() const {
    PresenterOptions options;
    options.kind = parse_presenter_kind(config_.presenter).value_or(PresenterKind::automatic);
    options.headless = config_.headless;
    options.title = "tilewall " + config_.name;
    options.frame_buffer_px = config_.frame_buffer_px;
    options.window_px = config_.window_px;
    options.rotation = config_.rotation;
    options.color = config_.color;
    options.blend = config_.blend;
    options.vsync = config_.vsync;
    return options;
  }

  DirectorLink::Callbacks link_callbacks() {
    return {
        [this](const PanelConfig& config) { config_slot_.set(config); },
        [this](Scene scene, std::int64_t join_tick) { take_scene(std::move(scene), join_tick); },
        [this](const Release& release) {
          gate_.add(release);
          scenes_.wake();
        },
        [this](const SnapshotOrder& order) { snapshot_orders_.add(order); },
        [this] {
          quit_ = true;
          scenes_.wake();
        },
        [this] { return report(); }};
  }

  void take_scene(Scene scene, std::int64_t join_tick) {
    change_stamp_.received(scene.epoch, clock_->mapping().to_global(local_now()));
    scenes_.set(std::make_shared<const Scene>(std::move(scene)), join_tick);
  }

  void set_cores(std::string cores) {
    const std::scoped_lock lock(mutex_);
    cores_ = std::move(cores);
  }

  void set_presenter_name(std::string name) {
    const std::scoped_lock lock(mutex_);
    presenter_name_ = std::move(name);
  }

  void publish(DecodeAhead* decoder, PictureRing* ring) {
    const std::scoped_lock lock(mutex_);
    ring_ = ring;
    if (decoder_ != nullptr) last_totals_ = decoder_->totals();
    decoder_ = decoder;
    if (decoder != nullptr) decoder->start();
  }

  std::vector<ShownBatch> report() {
    std::vector<ShownBatch> batches;
    for (ShownFrames& shown : log_.take()) {
      batches.emplace_back();
      batches.back().epoch = shown.epoch;
      batches.back().frames = std::move(shown.frames);
    }
    if (batches.empty()) batches.emplace_back();
    for (ShownBatch& batch : batches) fill_totals(batch);  // each replaces what was known
    return batches;
  }

  void fill_totals(ShownBatch& batch) {
    const ClockStatus status = clock_->status();
    const LocalInstant now = local_now();
    batch.clock = {to_string(status.state), status.mapping.bound_at(now).count(),
                   status.holdover_at(now).count(), static_cast<int>(status.daemon),
                   status.failovers};
    batch.peak_rss_bytes = peak_rss_bytes();
    const std::scoped_lock lock(mutex_);
    batch.cores = cores_;
    batch.presenter = presenter_name_;
    const DecodeTotals totals = decoder_ != nullptr ? decoder_->totals() : last_totals_;
    batch.read_bytes = totals.read_bytes;
    batch.decoded_px = totals.decoded_px;
    batch.decode_ns = totals.decode_ns;
    batch.damaged_blocks = totals.damaged_blocks;
    batch.damaged_frames = totals.damaged_frames;
    batch.received_bytes = totals.received_bytes;
    batch.lost_packets = totals.lost_packets;
    batch.repaired_packets = totals.repaired_packets;
    batch.samples = totals.samples;
    batch.window_bytes = totals.window_bytes;
    batch.staged_bytes = totals.staged_bytes;
    batch.stage_budget_bytes = totals.stage_budget_bytes;
    batch.host_restarts = host_restarts(totals.decoder);
    if (totals.decoder) batch.decoder = on_global_time(*totals.decoder);
    batch.volume = totals.volume;
    batch.level = totals.level;
    batch.present_ns = static_cast<std::uint64_t>(present_ns_.load());
    batch.realtime = realtime_;
    batch.late = late_.counts();
    batch.cpus = host_cpus();
    if (decoder_ != nullptr) batch.pace = decoder_->pace();
    if (decoder_ != nullptr) batch.detail = decoder_->detail();
    if (ring_ == nullptr) return;
    batch.buffers_ready = static_cast<std::int64_t>(ring_->ready());
    batch.buffers = static_cast<std::int64_t>(ring_->buffers());
  }

  /// What is logged of this host, and the deaths of its movies' decoders.
  [[nodiscard]] std::vector<HostRestart> host_restarts(
      const std::optional<DecoderStatus>& decoder) const {
    const ClockMapping mapping = clock_->mapping();
    const auto global_ns = [&](std::int64_t local_ns) {
      if (local_ns == 0) return local_ns;
      return mapping.to_global(LocalInstant{Nanos(local_ns)}).since_epoch.count();
    };
    std::vector<HostRestart> restarts;
    for (const LoggedRestart& one : read_restart_log(restart_log_file(movies_.parent_path())))
      restarts.push_back({one.role, one.died_ns, global_ns(one.died_ns), global_ns(one.back_ns)});
    if (!decoder) return restarts;
    for (const DecoderDeath& death : decoder->deaths)
      restarts.push_back(
          {"decoder", death.died_ns, global_ns(death.died_ns), global_ns(death.back_ns)});
    return restarts;
  }

  [[nodiscard]] DecoderStatus on_global_time(DecoderStatus status) const {
    const ClockMapping mapping = clock_->mapping();
    const auto convert = [&](std::int64_t& local_ns) {
      if (local_ns != 0)
        local_ns = mapping.to_global(LocalInstant{Nanos(local_ns)}).since_epoch.count();
    };
    for (DecoderDeath& death : status.deaths) {
      convert(death.died_ns);
      convert(death.back_ns);
    }
    return status;
  }

  [[nodiscard]] DrawPace pace() {
    const std::scoped_lock lock(mutex_);
    return decoder_ != nullptr ? decoder_->pace() : DrawPace{};
  }

  /// The director hears of the first of several late frames at once, of the others in its turn.
  void add_late(LateCause cause, std::uint64_t frames) {
    late_.add(cause, frames);
    const std::int64_t now_ns = local_now().since_epoch.count();
    if (now_ns > late_at_ns_.exchange(now_ns) + Nanos(hurry_pause).count()) link_.hurry_report();
  }

  DecodeAhead::Callbacks decode_callbacks() {
    return {[this](std::uint64_t epoch, std::int64_t tick) {
              if (config_.late == LatePolicy::slow)
                link_.send(Json{{"type", "ready"}, {"schedule", epoch}, {"tick", tick}});
              const GlobalInstant now = clock_->mapping().to_global(local_now());
              if (const auto drawn = change_stamp_.drawn(epoch, now)) link_.send(to_json(*drawn));
            },
            [this](const std::exception& error) { tell_failure(error); },
            [this](const std::string& line) {
              link_.send(Json{{"type", "problem"}, {"line", line}});
            },
            [this](LateCause cause, std::int64_t frames) {
              add_late(cause, static_cast<std::uint64_t>(frames));
            },
            [this] { link_.hurry_report(); }};
  }

  PresentLoop::Callbacks present_callbacks() {
    return {[this](std::uint64_t version) {
              link_.send(Json{{"type", "primed"},
                              {"version", version},
                              {"pace", to_json(pace())},
                              {"cpus", host_cpus()}});
            },
            [this](OperatorKey key) { link_.send(to_json(key)); },
            [this](const CanvasPointer& pointer) { link_.send(to_json(pointer)); },
            [this](PanelSnapshot snapshot) {
              Json json = {{"type", "snapshot"},
                           {"wanted_frame", snapshot.wanted_frame},
                           {"shown_frame", snapshot.shown_frame},
                           {"schedule", snapshot.epoch},
                           {"tick", snapshot.tick},
                           {"size_px", {snapshot.size_px.width, snapshot.size_px.height}}};
              if (snapshot.number > 0) json["number"] = snapshot.number;
              link_.send(json, std::move(snapshot.pixels));
            },
            [this](const DecodedPicture& shown) { return snapshot_orders_.take(shown); },
            [this] { return clock_text(clock_->status()); },
            [this](LateCause cause) { add_late(cause, 1); }};
  }

  const LocalInstant started_ = local_now();
  const std::unique_ptr<SharedCounter> turns_;  // null: nobody watches
  const std::filesystem::path movies_;
  const int seat_;
  const int seats_;
  const std::unique_ptr<ClockPageReader> clock_;
  const LocalInstant clock_ready_;
  std::optional<ProcessTrace> trace_;
  SceneSlot scenes_;
  ReleaseGate gate_;
  SnapshotOrders snapshot_orders_;
  ShownLog log_;
  LateCounter late_;
  ChangeStamp change_stamp_;
  ConfigSlot config_slot_;
  std::atomic<bool> quit_{false};
  std::atomic<std::int64_t> present_ns_{0};
  std::atomic<std::int64_t> late_at_ns_{0};  // local: the newest late frame
  std::atomic<bool> realtime_{true};         // until the presenting thread has asked
  std::mutex mutex_;
  std::string cores_;               // guarded by mutex_
  std::string presenter_name_;      // guarded by mutex_
  DecodeAhead* decoder_ = nullptr;  // guarded by mutex_; null before and after the show
  PictureRing* ring_ = nullptr;     // guarded by mutex_; as the one before
  DecodeTotals last_totals_;        // guarded by mutex_; of the decoder that has ended
  DirectorLink link_;               // after everything its thread uses
  const PanelConfig config_;
};

}  // namespace

int run_panel(const PanelOptions& options) {
  catch_stop_signals();
  return PanelProcess(options).run();
}

}  // namespace tilewall
