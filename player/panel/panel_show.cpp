#include "player/panel/panel_show.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "player/scene/operator_messages.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::panel {
namespace {

using Json = nlohmann::json;

// A late frame is reported at once where none was late for so long.
constexpr std::chrono::seconds hurry_pause{1};

/// "locked 1.2 us"
std::string clock_text(const sync::ClockStatus& status) {
  const double bound_ns = static_cast<double>(status.mapping.bound_at(local_now()).count());
  return fmt::format("{} {:.1f} us", sync::to_string(status.state), bound_ns / 1e3);
}

}  // namespace

Json failure_message(const std::exception& error) {
  const bool bad_input = dynamic_cast<const InputError*>(&error) != nullptr;
  return {{"type", "failed"}, {"line", error.what()}, {"bad_input", bad_input}};
}

PanelShow::PanelShow(const Parts& parts, const std::filesystem::path& movies,
                     const placement::PanelPlan& plan, present::Presenter& presenter,
                     sync::TraceRecorder* trace)
    : parts_(parts),
      place_{plan.present, plan.memory_node},
      presenter_(presenter),
      ring_(parts.config.viewed_size_px(), ring_buffers(parts.config.viewed_size_px())),
      pictures_(parts.inbox.watched(), parts.config.viewed_size_px(),
                [&link = parts.link](const Json& json, std::vector<std::uint8_t> jpeg) {
                  link.send_newest(json, std::move(jpeg));
                }),
      decoder_(parts.config, movies, parts.clock, parts.inbox.scenes(), ring_, trace,
               {{plan.decode, plan.memory_node}, {plan.receive, plan.memory_node}},
               decode_callbacks()),
      published_(parts.report, decoder_, ring_) {}

void PanelShow::run(SharedCounter* turns) {
  place_this_thread(place_);
  PresentLoop loop(parts_.config, parts_.clock, parts_.inbox.scenes(), ring_, parts_.inbox.gate(),
                   parts_.report.shown(), presenter_, pictures_, present_callbacks());
  parts_.report.set_realtime(loop.realtime());
  while (!parts_.inbox.quits() && !stop_signal_received() && !decoder_failed_) {
    loop.step();
    parts_.report.set_present_time(loop.present_time());
    if (turns != nullptr) turns->increment();
  }
}

DecodeAhead::Callbacks PanelShow::decode_callbacks() {
  return {[this](std::uint64_t epoch, std::int64_t tick, DrawnWhen when) {
            tell_drawn(epoch, tick, when);
          },
          [this](const std::exception& error) { take_failure(error); },
          [this](const std::string& line) {
            parts_.link.send(Json{{"type", "problem"}, {"line", line}});
          },
          [this](scene::LateCause cause, std::int64_t frames, std::uint64_t epoch) {
            add_late(cause, static_cast<std::uint64_t>(frames), epoch);
          },
          [this] { parts_.link.hurry_report(); },
          [this](const scene::LiveDrawn& drawn) { parts_.link.send(scene::to_json(drawn)); },
          [this](const scene::ArmedReport& report) { parts_.link.send(scene::to_json(report)); }};
}

PresentLoop::Callbacks PanelShow::present_callbacks() {
  return {
      [this](std::uint64_t version) { tell_primed(version); },
      [this](present::OperatorKey key) { parts_.link.send(scene::to_json(key)); },
      [this](const scene::CanvasPointer& pointer) { parts_.link.send(scene::to_json(pointer)); },
      [this](PanelSnapshot snapshot) {
        parts_.inbox.kept_snapshots().add(std::move(snapshot));
        parts_.link.hurry_report();
      },
      [this](const DecodedPicture& shown) { return parts_.inbox.snapshot_orders().take(shown); },
      [this] { return clock_text(parts_.clock.status()); },
      [this](scene::LateCause cause, std::uint64_t epoch) { add_late(cause, 1, epoch); },
      [this](std::uint64_t version) { tell_swapped(version); },
      [this] { tell_last_shown(); }};
}

/// Tells the director. It ends the show for bad input; otherwise this process ends, and its keeper
/// starts another one.
void PanelShow::take_failure(const std::exception& error) {
  parts_.link.send(failure_message(error));
  if (dynamic_cast<const InputError*>(&error) == nullptr) decoder_failed_ = true;
}

void PanelShow::tell_drawn(std::uint64_t epoch, std::int64_t tick, DrawnWhen when) {
  if (parts_.config.late == scene::LatePolicy::slow) {
    parts_.inbox.note_ready(epoch, tick);
    parts_.link.send(Json{{"type", "ready"}, {"schedule", epoch}, {"tick", tick}});
  }
  const GlobalInstant now = parts_.clock.mapping().to_global(local_now());
  const auto drawn = parts_.inbox.change_stamp().drawn(epoch, now);
  if (drawn && when == DrawnWhen::now) parts_.link.send(scene::to_json(*drawn));
}

void PanelShow::tell_primed(std::uint64_t scene_version) {
  parts_.inbox.note_primed();
  parts_.link.send(Json{{"type", "primed"},
                        {"version", scene_version},
                        {"pace", scene::to_json(parts_.report.pace())},
                        {"cpus", host_cpus()}});
}

void PanelShow::tell_swapped(std::uint64_t scene_version) {
  parts_.link.send(Json{{"type", "swapped"}, {"version", scene_version}});
}

/// The show may end with this picture, so the director hears of it soon. While a hand moves what is
/// still, such a picture comes every tick: only the first of a series hurries.
void PanelShow::tell_last_shown() {
  const LocalInstant now = local_now();
  if (now > std::exchange(last_shown_at_, now) + Nanos(hurry_pause)) parts_.link.hurry_report();
}

/// Counts late frames. The first of a series hurries a report, so that the director reacts soon.
void PanelShow::add_late(scene::LateCause cause, std::uint64_t frames, std::uint64_t epoch) {
  parts_.report.late().add(cause, frames, epoch);
  const std::int64_t now_ns = local_now().since_epoch.count();
  if (now_ns > late_at_ns_.exchange(now_ns) + Nanos(hurry_pause).count())
    parts_.link.hurry_report();
}

}  // namespace tilewall::panel
