#include "player/panel/decode_ahead.hpp"

#include <algorithm>
#include <utility>

#include "player/movie/frames/draw_memory.hpp"
#include "player/movie/staging/stage_budget.hpp"
#include "player/panel/open_source.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::panel {
namespace {

constexpr std::chrono::seconds open_lead{2};  // a playlist's next movie is opened so early
// How often a picture that stays is looked at for sources whose data have come.
constexpr std::chrono::milliseconds late_look_interval{50};
// After how long a live timestep that the host's caster did not have is tried again.
constexpr std::chrono::milliseconds live_pause{75};
constexpr std::chrono::milliseconds keep_interval{400};
constexpr LocalInstant no_limit{Nanos::max()};
// The longest time that the armed scene has at once: what is missing is reported in between.
constexpr std::chrono::milliseconds longest_arming{500};
// The thread goes on with the running show so long before it needs to.
constexpr std::chrono::milliseconds arming_margin{10};
constexpr int pictures_of_margin = 2;  // and by as many pictures' time
constexpr std::chrono::seconds longest_wait_for_news{10};

/// Whether a region of the scene, shown or hidden, has the source.
bool is_named(const scene::Scene& scene, const scene::SourceSpec& source) {
  const auto is_same = [&](const scene::SourceSpec& other) {
    return other.kind == source.kind && other.path == source.path;
  };
  return std::ranges::any_of(scene.regions, [&](const scene::Region& region) {
    return is_same(*region.source) ||
           std::ranges::any_of(region.source->items, [&](const scene::PlaylistItem& item) {
             return is_same(*item.source);
           });
  });
}

}  // namespace

DecodeAhead::DecodeAhead(const scene::PanelConfig& config, const std::filesystem::path& movies,
                         const GlobalClock& clock, const SceneSlot& scenes, PictureRing& ring,
                         sync::TraceRecorder* trace, const Places& places, Callbacks callbacks)
    : config_(config),
      clock_(clock),
      scenes_(scenes),
      ring_(ring),
      trace_(trace),
      place_(places.decode),
      callbacks_(std::move(callbacks)),
      cancellation_(scenes, clock),
      refinement_(config, ring),
      composer_(config, source_opener(movies, places.receive, [&scenes] { return scenes.get(); }),
                callbacks_.problem, &cancellation_),
      frame_wait_(composer_, cancellation_, clock, ring.buffers()),
      drawer_(composer_, ring, config.hashes),
      scheduler_(config.late),
      live_(scenes, ring, callbacks_.live_drawn),
      armed_(config,
             source_opener(movies, places.receive,
                           [&scenes]() -> ScenePtr {
                             const PreparedPtr prepared = scenes.prepared();
                             if (!prepared) return scenes.get();
                             return {prepared, &prepared->scene};
                           }),
             cancellation_, scenes, callbacks_.armed) {}

SourceCache::Open DecodeAhead::source_opener(const std::filesystem::path& movies,
                                             const ThreadPlace& receiver,
                                             std::function<ScenePtr()> shown_by) {
  const MovieAccess access{movies,
                           std::make_shared<movie::StageBudget>(
                               config_.stage_bytes.value_or(scene::default_stage_bytes)),
                           [this] { return cancellation_.is_cancelled(); },
                           [this] { return cancellation_.is_unwanted(); },
                           [this] { return cancellation_.scene_ended(); },
                           [this] { return cancellation_.version(); },
                           {},
                           receiver,
                           callbacks_.problem};
  const movie::DrawMemoryPtr memory = std::make_shared<movie::DrawMemory>();
  return [this, access, memory, shown_by = std::move(shown_by)](const scene::SourceSpec& spec) {
    const sync::TraceSpan span("open source");
    const ScenePtr scene = shown_by();
    MovieAccess own = access;
    own.abandon_open = [this, spec] {
      const PreparedPtr prepared = scenes_.prepared();
      return cancellation_.is_stopping() ||
             (!is_named(*scenes_.get(), spec) && !(prepared && is_named(prepared->scene, spec)));
    };
    return open_source(spec, config_, flat_view(config_, scene->bezels, scene->content), own,
                       memory);
  };
}

void DecodeAhead::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void DecodeAhead::run(const std::stop_token& stop) {
  const sync::TraceThread thread(trace_, config_.name + " decode");
  const std::stop_callback stopping(stop, [this] { cancellation_.stop(); });
  // The threads that sources start inherit name, place and priority.
  name_this_thread("decode");
  place_this_thread(place_);
  sync::use_background_priority();
  stopwatch_.emplace();
  while (const ScenePtr scene = next_scene(stop)) {
    take_live();
    cancellation_.set_version(scene->version);
    sync::trace_instant("scene change");
    try {
      begin(*scene);
      play(*scene, stop);
    } catch (const std::exception& error) {
      callbacks_.failed(error);
    }
  }
}

ScenePtr DecodeAhead::next_scene(const std::stop_token& stop) {
  wait_for_news(cancellation_.version(), no_limit, stop);
  return stop.stop_requested() ? nullptr : scenes_.get();
}

void DecodeAhead::begin(const scene::Scene& scene) {
  composer_.begin(scene, scene.since >= scene::never);
  pace_.set_detail(scene.coarser_by);
  drawer_.begin_scene();
  cancellation_.clear_limit();
  const std::uint64_t before = cancellation_.epoch();
  if (scene.epoch == before) return;
  const bool rejoins =
      before == 0 && scene.since < scene::never;  // this panel comes to a running show
  refinement_.begin(scene, rejoins, global_now());
  live_.begin_epoch();
  cancellation_.set_epoch(scene.epoch);
  scheduler_.begin(scenes_.join_tick(scene.epoch));
  if (rejoins) scheduler_.join_late(scene, drawn_at());
  drawer_.begin_epoch();
  take_armed(scene);
}

void DecodeAhead::play(const scene::Scene& scene, const std::stop_token& stop) {
  const sync::TickGrid& tick_grid = scene.tick_grid;
  const auto next_tick = [&](std::int64_t wanted) {
    return scheduler_.next_tick(scene, wanted, drawn_at());
  };
  while (!scheduler_.is_over(tick_grid)) {
    const auto buffer = wait_for_buffer(scene, stop);
    if (!buffer) return;
    take_live();
    // No tick is drawn ahead of the instant that the director will name. The director waits for the
    // casters of all hosts by itself. This panel learns of its caster with each draw only.
    if (!tick_grid.paused()) live_.tell_drawn();
    if (!tick_grid.paused() && LiveAhead::is_in(scene)) composer_.keep_connected();
    // The tick is chosen after the wait for a buffer. One that was chosen before it could be late
    // by now.
    std::int64_t tick = scheduler_.choose(scene, drawn_at());
    cancellation_.set_due(tick_grid.due(tick));
    if (!is_far(tick_grid, tick) && !composer_.open(tick_grid.due(tick)))
      return ring_.give_back(*buffer);
    if (scheduler_.is_behind()) tick = frame_wait_.joined_tick(scene, tick, next_tick);
    // A newer scene cancels only ticks that are due after its start, so the tick's instant comes
    // first.
    cancellation_.set_due(tick_grid.due(tick));
    if (cancellation_.is_superseded()) return ring_.give_back(*buffer);
    if (is_far(tick_grid, tick)) {
      ring_.give_back(*buffer);
      wait_while_far(scene, tick, stop);
      continue;
    }
    if (const auto missed = scheduler_.left_out(scene, tick); missed > 0)
      callbacks_.late(scene::LateCause::decode, missed, scene.epoch);
    // The next tick is requested before this one is drawn, so that reading and drawing overlap.
    const std::int64_t following = next_tick(tick + 1);
    if (!TickScheduler::is_past(tick_grid, following) && !is_far(tick_grid, following))
      look_ahead(scene, following);
    const TickPicture picture = play_tick(scene, tick, *buffer);
    if (picture != TickPicture::available) ring_.give_back(*buffer);
    if (picture == TickPicture::unchanged)
      callbacks_.late(scene::LateCause::decoder, 1, scene.epoch);
    scheduler_.finish(tick, picture);
  }
  armed_ticks_ = 0;
  // After the last tick no picture replaces a provisional or damaged one. It is drawn again once a
  // better one can be had.
  if (tick_grid.paused()) return stay(scene, stop);
  if (refinement_.is_deferring() || drawer_.last().better_comes || composer_.lacks_any())
    improve_last(scene, no_limit, stop);
}

void DecodeAhead::stay(const scene::Scene& scene, const std::stop_token& stop) {
  for (;;) {
    const bool is_done = step_live(scene, scheduler_.last_tick(scene.tick_grid), stop);
    const bool is_live = LiveAhead::is_in(scene);
    if (is_live) composer_.keep_connected();
    const auto pause = is_done ? keep_interval : live_pause;
    const LocalInstant again = is_done && !is_live ? no_limit : local_now() + pause;
    improve_last(scene, again, stop);
    if (is_done && !is_live) return;
    wait_for_news(scene.version, again, stop);
    if (live_.has_news() || cancellation_.scene_ended()) return;
  }
}

void DecodeAhead::look_ahead(const scene::Scene& scene, std::int64_t following) {
  const GlobalInstant due = scene.tick_grid.due(following);
  const auto most = static_cast<std::size_t>(scene::ticks_ahead(config_.stage_bytes));
  const auto is_there = [&](std::int64_t tick) {
    return !scene.tick_grid.count || tick < *scene.tick_grid.count;
  };
  std::vector<RegionFrames> coming = {live_.frames(scene, due)};
  const std::size_t count = composer_.reads_ahead(coming.front()) ? most : 1;
  for (std::int64_t tick = scene.next_shown(following + 1); coming.size() < count && is_there(tick);
       tick = scene.next_shown(tick + 1))
    coming.push_back(live_.frames(scene, scene.tick_grid.due(tick)));
  composer_.expect(coming);
  composer_.want(live_.frames(scene, due + open_lead));
}

RegionFrames DecodeAhead::frames_of(const scene::Scene& scene, std::int64_t tick) const {
  const GlobalInstant due = scene.tick_grid.due(tick);
  if (!scene.tick_grid.paused()) return live_.frames(scene, due);
  // A timestep whose instant is yet to come is drawn after this picture, and shown from then on.
  const GlobalInstant newest = std::min(live_.newest_instant(), global_now());
  return live_.frames(scene, std::max(due, newest));
}

bool DecodeAhead::step_live(const scene::Scene& scene, std::int64_t tick,
                            const std::stop_token& stop) {
  cancellation_.set_due_never();
  cancellation_.clear_limit();
  for (;;) {
    live_.drop_unwanted(scene);
    const auto wanted = live_.wanted(scene);
    if (!wanted) return true;
    if (!live_.has(wanted->frames)) {
      const auto buffer = wait_for_buffer(scene, stop);
      if (!buffer) return true;
      if (draw(scene, tick, wanted->frames, *buffer, DrawPurpose::live) != TickPicture::available) {
        ring_.give_back(*buffer);
        return false;
      }
    }
    live_.settle(*wanted);
    if (wanted->from < scene::never) note_live_shown(scene, tick);
    take_live();
  }
}

void DecodeAhead::take_live() {
  live_.update();
  composer_.set_live(live_.steps());
}

void DecodeAhead::note_live_shown(const scene::Scene& scene, std::int64_t tick) {
  refinement_.drop_deferred();
  // The timestep was drawn as fine as it gets, on all hosts, so that no finer one is waited for.
  const DrawnPicture& last = drawer_.last();
  if (refinement_.note_drawn(scene, tick, DrawPurpose::live, last.status, last.better_comes))
    callbacks_.detail_news();
}

void DecodeAhead::improve_last(const scene::Scene& scene, LocalInstant until,
                               const std::stop_token& stop) {
  const std::int64_t tick = scheduler_.last_tick(scene.tick_grid);
  // In a pause that is what the newest picture in the ring shows, perhaps from a later instant on.
  const bool is_noted = scene.tick_grid.paused() && !live_.shown().empty();
  const RegionFrames frames = is_noted ? live_.shown() : frames_of(scene, tick);
  cancellation_.set_due_never();
  cancellation_.clear_limit();
  refinement_.push_deferred(scene, frames);
  const auto wait_for_scene = [&] {
    wait_for_news(scene.version, std::min(until, local_now() + late_look_interval), stop);
  };
  while (!refinement_.is_deferring() && !live_.has_news() && is_better_soon(scene, frames) &&
         !cancellation_.scene_ended() && local_now() < until) {
    if (!drawer_.last().better_comes && last_lacks_any() && !composer_.can_draw_late()) {
      wait_for_scene();
      continue;
    }
    const auto buffer = wait_for_buffer(scene, stop);
    if (!buffer) return;
    const DrawPurpose purpose =
        drawer_.last().better_comes ? DrawPurpose::refine : DrawPurpose::repair;
    if (draw(scene, tick, frames, *buffer, purpose) != TickPicture::available)
      ring_.give_back(*buffer);
    refinement_.push_deferred(scene, frames);
    if (last_lacks_any()) wait_for_scene();
  }
}

bool DecodeAhead::is_better_soon(const scene::Scene& scene, const RegionFrames& frames) {
  const DrawnPicture& last = drawer_.last();
  // A picture that was drawn ahead is improved once it is in the ring.
  if (last.frames != frames && live_.has(last.frames)) return false;
  return last.better_comes || last_lacks_any() ||
         (last.status == picture::DrawStatus::damaged && drawer_.can_repair(scene, frames));
}

bool DecodeAhead::last_lacks_any() const noexcept {
  // A live timestep that was not drawn in time leaves its source late, and the picture before it as
  // it was. A draw of that one would take the caster away from the timestep.
  return drawer_.last().lacks_any && composer_.lacks_any();
}

std::optional<std::size_t> DecodeAhead::wait_for_buffer(const scene::Scene& scene,
                                                        const std::stop_token& stop) {
  const sync::TraceSpan span("wait for buffer");
  for (;;) {
    if (const auto buffer = ring_.acquire_until({}, stop)) return buffer;
    if (stop.stop_requested()) return std::nullopt;
    const bool may_go_on = may_arm();
    if (may_go_on) armed_.update();
    if (may_go_on && arm(free_until(scene))) continue;
    if (!may_go_on || armed_.again() == ArmedScene::nothing_to_do) return ring_.acquire(stop);
    const LocalInstant next = std::max(armed_.again(), local_now() + arming_margin);
    if (const auto buffer = ring_.acquire_until(next, stop)) return buffer;
  }
}

void DecodeAhead::wait_while_far(const scene::Scene& scene, std::int64_t tick,
                                 const std::stop_token& stop) {
  const sync::TraceSpan span("wait for far tick");
  const ScenePtr newest = scenes_.get();
  if (cancellation_.is_superseded()) return;
  const GlobalInstant near = scene.tick_grid.due(tick) - scene::longest_drawn_ahead;
  wait_for_news(newest->version, clock_.mapping().to_local(near), stop);
}

void DecodeAhead::wait_for_news(std::uint64_t version, LocalInstant end,
                                const std::stop_token& stop) {
  while (!stop.stop_requested() && !scenes_.has_newer(version, live_.steps())) {
    const LocalInstant now = local_now();
    if (now >= end) return;
    const bool may_go_on = may_arm();
    if (may_go_on) armed_.update();
    if (may_go_on && arm(end)) continue;
    LocalInstant next = std::min(end, now + longest_wait_for_news);
    if (may_go_on) next = std::min(next, std::max(armed_.again(), now + arming_margin));
    const PreparedPtr known = may_go_on ? armed_.order() : scenes_.prepared();
    scenes_.wait_news_until(version, live_.steps(), known, next, stop);
  }
}

bool DecodeAhead::may_arm() const {
  const ScenePtr newest = scenes_.get();
  return newest && newest->version == cancellation_.version() && !live_.has_news() &&
         armed_ticks_ == 0;
}

bool DecodeAhead::arm(LocalInstant end) {
  const LocalInstant now = local_now();
  if (armed_.again() > now) return false;
  const Nanos least = std::max<Nanos>(pace_.mean(), arming_margin) + armed_.overrun();
  if (end.since_epoch - now.since_epoch < least) return false;
  try {
    armed_.step(std::min(end, now + longest_arming));
  } catch (const std::exception& error) {  // the thread may be between two scenes
    callbacks_.failed(error);
  }
  return true;
}

LocalInstant DecodeAhead::free_until(const scene::Scene& scene) const {
  const sync::TickGrid& grid = scene.tick_grid;
  if (grid.paused() || grid.start >= scene::never || scheduler_.is_over(grid)) return no_limit;
  const std::int64_t tick = scene.next_shown(scheduler_.next());
  // Under late policy slow a tick may be shown long after its instant.
  const auto ready = static_cast<std::int64_t>(ring_.ready());
  const Nanos left = config_.late == scene::LatePolicy::slow
                         ? scene.shown_period(tick) * std::max<std::int64_t>(ready - 1, 0)
                         : grid.due(tick) - global_now();
  return local_now() + left - pace_.mean() * pictures_of_margin - arming_margin;
}

void DecodeAhead::take_armed(const scene::Scene& scene) {
  armed_ticks_ = 0;
  if (!armed_.order()) return;
  const std::int64_t tick = scheduler_.next();
  armed_ticks_ = ArmedScene::most_pictures;
  const bool is_armed = armed_picture(scene, tick, frames_of(scene, tick)) != nullptr;
  armed_.hand_over(composer_, is_armed);
}

const ArmedPicture* DecodeAhead::armed_picture(const scene::Scene& scene, std::int64_t tick,
                                               const RegionFrames& frames) {
  if (armed_ticks_ == 0) return nullptr;
  const ArmedPicture* const armed =
      armed_.find(scene, composer_.plan(scene.tick_grid.due(tick), frames),
                  refinement_.detail_of(scene, tick, DrawPurpose::next));
  if (armed == nullptr) armed_ticks_ = 0;
  return armed;
}

TickPicture DecodeAhead::play_tick(const scene::Scene& scene, std::int64_t tick,
                                   std::size_t buffer) {
  RegionFrames frames = frames_of(scene, tick);
  cancellation_.clear_limit();
  if (const ArmedPicture* const armed = armed_picture(scene, tick, frames)) {
    --armed_ticks_;  // also where all later ticks have the same picture
    frame_wait_.note_shown(scene, tick);
    return draw(scene, tick, frames, buffer, DrawPurpose::next, armed);
  }
  if (scheduler_.drops(scene.tick_grid)) {
    const TickPicture picture = frame_wait_.await(scene, tick, drawer_.last().frames, frames);
    if (picture != TickPicture::available) return picture;
  }
  return draw(scene, tick, frames, buffer, DrawPurpose::next);
}

TickPicture DecodeAhead::draw(const scene::Scene& scene, std::int64_t tick,
                              const RegionFrames& frames, std::size_t buffer, DrawPurpose purpose,
                              const ArmedPicture* armed) {
  const sync::TickGrid& tick_grid = scene.tick_grid;
  const bool is_live = scene.regions.front().source->live;
  const sync::TraceSpan span("picture",
                             {is_live ? scene::timestep_of(frames.front()) : frames.front(), tick});
  stopwatch_->start();
  const TickDetail detail = refinement_.detail_of(scene, tick, purpose);
  if (armed != nullptr) drawer_.copy(*armed, tick_grid.due(tick), frames, detail, buffer);
  const picture::DrawStatus drawn =
      armed != nullptr ? armed->status
                       : drawer_.draw(tick_grid.due(tick), frames, detail, buffer,
                                      purpose == DrawPurpose::live ? LiveParts::complete
                                                                   : LiveParts::as_they_are);
  if (drawn == picture::DrawStatus::abandoned)
    return cancellation_.is_past_limit() ? TickPicture::unchanged : TickPicture::interrupted;
  const PaceMeter::Cost cost = stopwatch_->stop();
  // A picture that waited in vain for a source, or was drawn before, tells nothing about this
  // panel's speed.
  if (config_.late != scene::LatePolicy::slow && !tick_grid.paused() && !composer_.has_late() &&
      armed == nullptr)
    pace_.add(cost, scheduler_.drops(tick_grid));
  scheduler_.note_drawn();
  const DrawnPicture& last = drawer_.last();
  const DecodedPicture picture{scene.epoch,
                               tick,
                               frames.front(),
                               last.hash,
                               composer_.totals().level,
                               buffer,
                               last.damage,
                               !tick_grid.paused() && frames != frames_of(scene, tick),
                               local_now(),
                               purpose != DrawPurpose::next && !tick_grid.paused(),
                               live_.shown_from()};
  if (purpose == DrawPurpose::live) {
    live_.keep(picture, frames);
    return TickPicture::available;
  }
  if (refinement_.note_drawn(scene, tick, purpose, drawn, last.better_comes))
    callbacks_.detail_news();
  if (tick_grid.paused()) live_.note_shown(frames);
  refinement_.push(scene, picture, frames, purpose);
  sync::trace_counter("pictures ready", static_cast<double>(ring_.ready()));
  callbacks_.ready(scene.epoch, tick,
                   armed != nullptr ? DrawnWhen::before_the_scene : DrawnWhen::now);
  return TickPicture::available;
}

bool DecodeAhead::is_far(const sync::TickGrid& tick_grid, std::int64_t tick) const {
  return TickScheduler::is_far(tick_grid, tick, global_now());
}

GlobalInstant DecodeAhead::global_now() const { return clock_.mapping().to_global(local_now()); }

}  // namespace tilewall::panel
