#include "player/panel/decode_ahead.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "player/panel/open_source.hpp"
#include "player/panel/tick_picture.hpp"
#include "sync/base/thread_time.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds shortest_wait{5};  // for a picture that is there
constexpr std::chrono::seconds open_lead{2};           // a playlist's next movie is opened before

std::size_t bytes_of(const ImageView& picture) {
  return picture.stride_bytes * static_cast<std::size_t>(picture.size_px.height);
}

/// XXH3-64 of the picture as rows of BGRX. @pre rows follow each other without padding
std::uint64_t hash_of(const ImageView& picture) {
  const TraceSpan span("hash");
  return XXH3_64bits(picture.pixels, bytes_of(picture));
}

/// Whether the tick's picture is shown until another scene is.
bool is_last(const TickGrid& beat, std::int64_t tick) {
  return beat.paused() || (beat.count && tick >= *beat.count - 1);
}

std::vector<std::int64_t> frames_at(const Scene& scene, GlobalInstant at) {
  std::vector<std::int64_t> frames;
  for (const Region& region : scene.regions) frames.push_back(region.timeline.frame_at(at));
  return frames;
}

}  // namespace

DecodeAhead::DecodeAhead(const PanelConfig& config, std::filesystem::path movies,
                         const GlobalClock& clock, const SceneSlot& scenes, PictureRing& ring,
                         TraceRecorder* trace, Places places, Callbacks callbacks)
    : config_(config),
      movies_(std::move(movies)),
      clock_(clock),
      scenes_(scenes),
      ring_(ring),
      trace_(trace),
      places_(std::move(places)),
      callbacks_(std::move(callbacks)),
      stage_budget_(
          std::make_shared<StageBudget>(config.stage_bytes.value_or(default_stage_bytes))),
      composer_(
          config, [this](const SourceSpec& spec) { return open(spec); }, callbacks_.problem) {}

void DecodeAhead::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void DecodeAhead::join_at(std::uint64_t schedule, std::int64_t tick) {
  join_tick_ = tick;
  join_schedule_ = schedule;
}

void DecodeAhead::run(const std::stop_token& stop) {
  const TraceThread thread(trace_, config_.name + " decode");
  const std::stop_callback stopping(stop, [this] { stopping_ = true; });
  name_this_thread("decode");  // the sources' own threads inherit all three
  place_this_thread(places_.decode);
  use_background_priority();
  run_queue_.emplace();
  while (const ScenePtr scene = scenes_.wait_newer(version_, stop)) {
    version_ = scene->version;
    trace_instant("scene change");
    try {
      begin(*scene);
      play(*scene, stop);
    } catch (const std::exception& error) {
      callbacks_.failed(error);
    }
  }
}

std::unique_ptr<PictureSource> DecodeAhead::open(const SourceSpec& spec) const {
  const TraceSpan span("open source");
  const ScenePtr scene = scenes_.get();
  return open_source(
      spec, config_, flat_view(config_, scene->bezels, scene->content),
      {movies_, stage_budget_, [this] { return is_abandoned(); },
       [this] { return stopping_ || superseded(); }, places_.receive, callbacks_.problem},
      draw_memory_);
}

void DecodeAhead::begin(const Scene& scene) {
  composer_.begin(scene, scene.since >= never);
  pace_.set_detail(scene.coarser_by);
  last_drawn_.clear();
  abandon_at_ns_ = INT64_MAX;
  if (scene.schedule == schedule_) return;
  const bool rejoins = schedule_ == 0 && scene.since < never;  // a show that goes on
  const GlobalInstant now = clock_.mapping().to_global(local_now());
  joined_shown_ = rejoins && scene.detail_from && *scene.detail_from <= now;
  drop_held();
  schedule_ = scene.schedule;
  next_ = join_schedule_ == scene.schedule ? join_tick_.load() : 0;
  if (rejoins) next_ = next_tick(scene, next_);
  is_behind_ = rejoins;
  last_frames_.clear();
  last_status_ = DrawStatus::whole;
  better_comes_ = false;
}

void DecodeAhead::play(const Scene& scene, const std::stop_token& stop) {
  const TickGrid& beat = scene.beat;
  const auto end = beat.paused() ? std::optional<std::int64_t>(1) : beat.count;
  while (!end || next_ < *end) {
    const auto buffer = wait_for_buffer(stop);
    if (!buffer) return;
    std::int64_t tick = next_tick(scene, next_);
    const bool left_any_out = scene.decimation.ticks.count(next_, tick) > 0;
    is_behind_ = is_behind_ || (left_any_out && !last_frames_.empty());
    if (is_behind_) tick = joined_tick(scene, tick);
    due_ns_ = beat.due(tick).since_epoch.count();
    if (superseded()) return ring_.give_back(*buffer);
    if (is_far(scene, tick)) {
      ring_.give_back(*buffer);
      wait_while_far(scene, tick, stop);
      continue;
    }
    if (const auto missed = scene.decimation.ticks.count(next_, tick); missed > 0)
      callbacks_.late(LateCause::decode, missed);
    const std::int64_t following = next_tick(scene, tick + 1);
    if ((!end || following < *end) && !is_far(scene, following)) look_ahead(scene, following);
    const TickEnd end_of_tick = play_tick(scene, tick, *buffer, stop);
    if (end_of_tick != TickEnd::shown) ring_.give_back(*buffer);
    if (end_of_tick == TickEnd::passed) callbacks_.late(LateCause::decoder, 1);
    next_ = end_of_tick == TickEnd::interrupted ? tick : tick + 1;
  }
  if (beat.paused() || held_ || better_comes_) mend(scene, stop);
}

std::int64_t DecodeAhead::joined_tick(const Scene& scene, std::int64_t tick) {
  const TickGrid& beat = scene.beat;
  if (beat.paused() || beat.start >= never) return tick;
  const GlobalInstant due = beat.due(tick);
  const Composition seen = composer_.aim(due, frames_at(scene, due));  // may open sources
  std::int64_t joined = next_tick(scene, tick);
  for (const RegionPart& part : seen) joined = joined_tick(scene, joined, part);
  return beat.count ? std::min(joined, std::max(tick, *beat.count - 1)) : joined;
}

std::int64_t DecodeAhead::joined_tick(const Scene& scene, std::int64_t tick,
                                      const RegionPart& part) {
  PictureSource* const source = composer_.source_of(part.shown);
  const FrameTicks ticks = scene.ticks_of(*part.region);
  const auto frame_of = [&](std::int64_t of) {
    const SourceFrame shown = resolve_frame(part.region->source, ticks.frame_of(of));
    return shown.source == part.shown.source ? shown.frame : -1;
  };
  // A choice holds once the decoder knows of it and still has all of its pictures: it, or this
  // thread, may have gone on meanwhile.
  std::optional<std::int64_t> chosen;
  while (source != nullptr && !superseded() && !stopping_) {
    const std::int64_t from = next_tick(scene, tick);
    const auto ready = source->ready(part.shown.frame);
    if (!ready || ready->lost) return from;
    // The others are ahead by as many of the shown ticks as they have buffers, and a little.
    std::vector<std::int64_t> coming = {from};
    while (coming.size() < 3 * ring_.buffers())
      coming.push_back(scene.next_shown(coming.back() + 1));
    const auto next = joining_tick(frame_of, coming, ready->pictures);
    if (next && next == chosen) return *next;
    if (!next && next_tick(scene, tick) == from) return from;
    if (next) source->reserve(frame_of(*next));
    chosen = next;
  }
  return tick;
}

void DecodeAhead::mend(const Scene& scene, const std::stop_token& stop) {
  const std::int64_t tick = scene.beat.paused() ? 0 : next_ - 1;
  const Frames frames = frames_at(scene, scene.beat.due(tick));
  due_ns_ = INT64_MAX;  // any newer scene ends it
  abandon_at_ns_ = INT64_MAX;
  show_held(scene);
  while (!held_ && is_better_soon(scene, frames) && !scene_ended(stop)) {
    const auto buffer = wait_for_buffer(stop);
    if (!buffer) return;
    const Purpose purpose = better_comes_ ? Purpose::refined : Purpose::mended;
    if (decode(scene, tick, frames, *buffer, purpose) != TickEnd::shown) ring_.give_back(*buffer);
    show_held(scene);
  }
}

bool DecodeAhead::is_better_soon(const Scene& scene, const Frames& frames) {
  return better_comes_ || (last_status_ == DrawStatus::damaged && can_mend(scene, frames));
}

void DecodeAhead::show_held(const Scene& scene) {
  if (!held_ || *scene.detail_from >= never) return;
  held_->not_before = *scene.detail_from;
  ring_.push(*std::exchange(held_, std::nullopt));
}

void DecodeAhead::drop_held() {
  if (held_) ring_.give_back(std::exchange(held_, std::nullopt)->buffer);
}

bool DecodeAhead::can_mend(const Scene& scene, const Frames& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const SourceFrame own = resolve_frame(scene.regions[i].source, frames[i]);
    PictureSource* const source = composer_.source_of(own);
    const auto ready = source == nullptr ? std::nullopt : source->ready(own.frame);
    if (!ready || ready->lost) continue;
    // What was there when it was drawn is no better now.
    const bool is_old = std::ranges::any_of(ready->pictures, [&](const ReadyPicture& picture) {
      return picture.first <= own.frame && own.frame < picture.end && picture.since <= decoded_at_;
    });
    if (!is_old) return true;
  }
  return false;
}

void DecodeAhead::look_ahead(const Scene& scene, std::int64_t following) {
  const GlobalInstant due = scene.beat.due(following);
  const auto most = static_cast<std::size_t>(ticks_ahead(config_.stage_bytes));
  const auto is_there = [&](std::int64_t tick) {
    return !scene.beat.count || tick < *scene.beat.count;
  };
  std::vector<Frames> coming = {frames_at(scene, due)};
  const std::size_t count = composer_.reads_ahead(coming.front()) ? most : 1;
  for (std::int64_t tick = scene.next_shown(following + 1); coming.size() < count && is_there(tick);
       tick = scene.next_shown(tick + 1))
    coming.push_back(frames_at(scene, scene.beat.due(tick)));
  composer_.expect(coming);
  composer_.want(frames_at(scene, due + open_lead));
}

DecodeAhead::TickEnd DecodeAhead::play_tick(const Scene& scene, std::int64_t tick,
                                            std::size_t buffer, const std::stop_token& stop) {
  Frames frames = frames_at(scene, scene.beat.due(tick));
  abandon_at_ns_ = INT64_MAX;
  if (drops(scene.beat)) {
    const TickEnd end = await_frames(scene, tick, frames, stop);
    if (end != TickEnd::shown) return end;
  }
  return decode(scene, tick, frames, buffer);
}

DecodeAhead::TickEnd DecodeAhead::await_frames(const Scene& scene, std::int64_t tick,
                                               Frames& frames, const std::stop_token& stop) {
  const Composition seen = composer_.aim(scene.beat.due(tick), frames);
  bool anything_new = seen.empty() && !frames.empty();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!is_seen(seen, scene.regions[i])) continue;
    const TickEnd end = await_frame(scene, scene.regions[i], tick, frames[i], stop);
    if (end == TickEnd::interrupted) return end;
    anything_new |= end == TickEnd::shown;
    if (end == TickEnd::passed && !last_frames_.empty()) frames[i] = last_frames_[i];
  }
  return anything_new ? TickEnd::shown : TickEnd::passed;
}

DecodeAhead::TickEnd DecodeAhead::await_frame(const Scene& scene, const Region& region,
                                              std::int64_t tick, std::int64_t& frame,
                                              const std::stop_token& stop) {
  const SourceFrame own = resolve_frame(region.source, frame);
  PictureSource* const source = composer_.source_of(own);
  if (source == nullptr || !source->ready(own.frame)) return TickEnd::shown;  // decoded here
  const FrameTicks ticks = scene.ticks_of(region);
  const auto frame_of = [&](std::int64_t of) {
    const SourceFrame shown = resolve_frame(region.source, ticks.frame_of(of));
    return shown.source == own.source ? shown.frame : -1;
  };
  const std::int64_t before = tick - scene.decimation.ticks.every_at(tick);
  const LocalInstant decided = clock_.mapping().to_local(decision_instant(scene.beat, tick));
  while (!scene_ended(stop)) {
    const bool is_decided = local_now() >= decided;
    const auto ready = source->ready(own.frame);
    const auto from =
        shown_tick(scene.beat, frame_of, tick, before, ready->pictures, clock_.mapping());
    abandon_at_ns_ = (local_now() + shortest_wait).since_epoch.count();  // there, or overwritten
    if (from == tick || ready->lost) return TickEnd::shown;
    if (is_decided && from) frame = ticks.frame_of(*from);
    if (is_decided) return from ? TickEnd::shown : TickEnd::passed;
    source->await(own.frame, decided);
  }
  return TickEnd::interrupted;
}

std::optional<std::size_t> DecodeAhead::wait_for_buffer(const std::stop_token& stop) {
  const TraceSpan span("wait for buffer");
  return ring_.acquire(stop);
}

bool DecodeAhead::is_far(const Scene& scene, std::int64_t tick) const {
  const TickGrid& beat = scene.beat;
  if (beat.paused() || beat.start >= never) return false;
  return beat.due(tick) > clock_.mapping().to_global(local_now()) + longest_drawn_ahead;
}

void DecodeAhead::wait_while_far(const Scene& scene, std::int64_t tick,
                                 const std::stop_token& stop) const {
  const TraceSpan span("wait for far tick");
  const ScenePtr newest = scenes_.get();
  if (superseded()) return;
  const GlobalInstant near = scene.beat.due(tick) - longest_drawn_ahead;
  scenes_.wait_newer_until(newest->version, clock_.mapping().to_local(near), stop);
}

bool DecodeAhead::drops(const TickGrid& beat) const noexcept {
  return config_.late != LatePolicy::slow && !beat.paused() && beat.start < never;
}

bool DecodeAhead::superseded() const {
  // Pictures of the scene before are still needed up to the instant when the new one takes effect.
  const ScenePtr newest = scenes_.get();
  return newest->version != version_ &&
         (newest->schedule == schedule_ || due_ns_ >= newest->since.since_epoch.count());
}

bool DecodeAhead::scene_ended(const std::stop_token& stop) const {
  return stop.stop_requested() || superseded();
}

bool DecodeAhead::is_abandoned() const {
  return stopping_ || superseded() || local_now().since_epoch.count() > abandon_at_ns_;
}

std::int64_t DecodeAhead::next_tick(const Scene& scene, std::int64_t wanted) const {
  const TickGrid& beat = scene.beat;
  if (beat.count && wanted >= *beat.count) return wanted;
  if (!drops(beat)) return scene.next_shown(wanted);
  const GlobalInstant done = clock_.mapping().to_global(local_now()) + pace_.mean();
  if (scene.decimation.ticks.every_at(scene.next_shown(wanted)) > 1)
    return still_shown_tick(scene, wanted, done);
  const auto behind = beat.tick_at(done - beat.period() / 2);  // the newest one too late
  const std::int64_t in_time = behind ? std::max(wanted, *behind + 1) : wanted;
  return scene.next_shown(beat.count ? std::min(in_time, *beat.count - 1) : in_time);
}

bool DecodeAhead::is_drawn(const Composition& composition, TickDetail detail) const {
  return !last_drawn_.empty() && composition == last_drawn_ &&
         detail.holds_back == last_detail_.holds_back;
}

DrawStatus DecodeAhead::draw(const Composition& composition, std::size_t buffer,
                             TickDetail detail) {
  const ImageView picture = ring_.image(buffer);
  if (!last_buffer_) return composer_.draw(composition, picture, nullptr, detail);
  const ImageView last = ring_.image(*last_buffer_);
  const bool same = is_drawn(composition, detail);
  if (same && *last_buffer_ != buffer) std::memcpy(picture.pixels, last.pixels, bytes_of(picture));
  if (same) return last_status_;
  return composer_.draw(composition, picture, *last_buffer_ != buffer ? &last : nullptr, detail);
}

TickDetail DecodeAhead::detail_of(const Scene& scene, std::int64_t tick, Purpose purpose) const {
  const TickGrid& beat = scene.beat;
  // A caster that is left alone for a while is waited for, too: nothing else would end its rest.
  if (purpose == Purpose::refined) return {.awaits_best = true, .mends = true};
  // Nobody watches a wall without windows: what it saves of a show's ticks is the final picture.
  const bool saves = config_.headless && !beat.paused();
  // Where a tick is shown once all panels have drawn it, they may take their time for it.
  if (!scene.detail_from || (saves && config_.late == LatePolicy::slow))
    return {.awaits_best = saves || purpose == Purpose::mended,
            .mends = purpose == Purpose::mended};
  const GlobalInstant from = *scene.detail_from;
  const bool is_shown = from < never && (joined_shown_ || from <= beat.due(tick));
  if (!is_shown) return {.mends = purpose == Purpose::mended, .holds_back = true};
  return {.awaits_best = saves || is_last(beat, tick), .mends = purpose == Purpose::mended};
}

void DecodeAhead::note_detail(const Scene& scene, std::int64_t tick, Purpose purpose) {
  const DetailReport before = detail();
  const bool is_best = !better_comes_;
  DetailReport now{scene.schedule, DetailState::none,
                   before.schedule == scene.schedule ? before.best_tick : 0};
  if (!is_best) now.best_tick = tick + 1;
  if (is_best && purpose == Purpose::refined) now.best_tick = tick;
  const bool could_show =
      scene.detail_from && (purpose == Purpose::refined ||
                            (last_status_ == DrawStatus::outdone && !is_last(scene.beat, tick)));
  if (could_show)
    now.state = DetailState::ready;
  else if (!is_best)
    now.state = DetailState::coming;
  {
    const std::scoped_lock lock(detail_mutex_);
    detail_ = now;
  }
  const bool is_news = before.schedule != now.schedule || before.state != now.state;
  const bool ends_wait = now.state == DetailState::ready ||
                         (now.state == DetailState::none && before.state == DetailState::coming);
  if (is_news && ends_wait) callbacks_.detail_news();
}

DecodeAhead::TickEnd DecodeAhead::decode(const Scene& scene, std::int64_t tick,
                                         const Frames& frames, std::size_t buffer,
                                         Purpose purpose) {
  const std::int64_t frame = frames.front();
  const TraceSpan span("picture", {frame, tick});
  const LocalInstant started = local_now();
  const std::uint64_t cpu_before = process_time_ns();
  const std::uint64_t thread_cpu_before = thread_time_ns();
  const Nanos waited_before = run_queue_->waited();
  Composition composition = composer_.plan(scene.beat.due(tick), frames);
  composer_.leave_unseen(composition, frames);
  const TickDetail detail = detail_of(scene, tick, purpose);
  const bool same = is_drawn(composition, detail);
  const DrawStatus drawn = draw(composition, buffer, detail);
  if (drawn == DrawStatus::abandoned)
    return local_now().since_epoch.count() > abandon_at_ns_ ? TickEnd::passed
                                                            : TickEnd::interrupted;
  if (drawn == DrawStatus::damaged) trace_instant("damaged frame");
  if (!same && config_.hashes) last_hash_ = hash_of(ring_.image(buffer));
  if (config_.late != LatePolicy::slow && !scene.beat.paused())
    pace_.add(
        {local_now() - started, Nanos(static_cast<std::int64_t>(process_time_ns() - cpu_before)),
         Nanos(static_cast<std::int64_t>(thread_time_ns() - thread_cpu_before)),
         run_queue_->waited() - waited_before, waited_before - waited_at_end_},
        drops(scene.beat));
  waited_at_end_ = run_queue_->waited();
  is_behind_ = false;
  last_status_ = drawn;
  if (!same) last_damage_ = composer_.damage();
  better_comes_ = composer_.better_comes();
  decoded_at_ = started;
  last_detail_ = detail;
  const bool stays_drawn = drawn == DrawStatus::whole || drawn == DrawStatus::outdone;
  last_drawn_ = stays_drawn ? std::move(composition) : Composition{};
  last_frames_ = frames;
  last_buffer_ = buffer;
  const DecodedPicture picture{scene.schedule,
                               tick,
                               frame,
                               config_.hashes ? last_hash_ : 0,
                               composer_.totals().level,
                               buffer,
                               last_damage_,
                               frames != frames_at(scene, scene.beat.due(tick)),
                               local_now(),
                               purpose != Purpose::next && !scene.beat.paused()};
  note_detail(scene, tick, purpose);
  if (purpose == Purpose::refined && scene.detail_from)
    held_ = picture;
  else
    ring_.push(picture);
  trace_counter("pictures ready", static_cast<double>(ring_.ready()));
  callbacks_.ready(scene.schedule, tick);
  return TickEnd::shown;
}

}  // namespace tilewall
