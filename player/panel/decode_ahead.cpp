#include "player/panel/decode_ahead.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "player/panel/open_source.hpp"
#include "player/panel/tick_picture.hpp"
#include "player/scene/placement.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds shortest_wait{5};  // for a picture that is there
constexpr int mean_weight = 8;  // the mean decode time follows over about so many pictures

/// XXH3-64 of the picture as rows of BGRX. @pre rows follow each other without padding
std::uint64_t hash_of(const ImageView& picture) {
  const TraceSpan span("hash");
  return XXH3_64bits(picture.pixels,
                     picture.stride_bytes * static_cast<std::size_t>(picture.size_px.height));
}

void paint_black(const ImageView& picture) {
  constexpr std::uint8_t black[4] = {0, 0, 0, 255};
  std::uint8_t* const first = picture.row(0);
  for (int x = 0; x < picture.size_px.width; ++x) std::memcpy(first + 4 * x, black, 4);
  for (int y = 1; y < picture.size_px.height; ++y)
    std::memcpy(picture.row(y), first, static_cast<std::size_t>(picture.size_px.width) * 4);
}

ImageView part_of(const ImageView& picture, const RectPx& part) {
  return {picture.row(part.y) + std::ptrdiff_t{4} * part.x,
          {part.width, part.height},
          picture.stride_bytes};
}

PanelOnCanvas on_canvas(const PanelConfig& config, BezelMode bezels) {
  const SizePx size = config.frame_buffer_px;
  const bool turned = config.rotation == Rotation::deg90 || config.rotation == Rotation::deg270;
  return {bezels == BezelMode::hide ? config.canvas_hide_px : config.canvas_show_px,
          turned ? SizePx{size.height, size.width} : size};
}

DrawStatus draw_region(PictureSource& source, const PanelPlacement& at, std::int64_t frame,
                       const ImageView& picture, const ImageView* last_good) {
  const bool whole =
      at.drawn_px.width == picture.size_px.width && at.drawn_px.height == picture.size_px.height;
  if (!whole) paint_black(picture);
  if (at.drawn_px.empty()) return DrawStatus::whole;
  Placement placement = at.placement;
  placement.picture_px.x -= at.drawn_px.x;
  placement.picture_px.y -= at.drawn_px.y;
  const ImageView part = part_of(picture, at.drawn_px);
  if (last_good == nullptr) return source.draw(frame, placement, part, nullptr);
  const ImageView last_part = part_of(*last_good, at.drawn_px);
  return source.draw(frame, placement, part, &last_part);
}

void add(DecodeTotals& totals, const DrawCounters& counters) {
  totals.read_bytes += counters.read_bytes;
  totals.decoded_px += counters.decoded_px;
  totals.decode_ns += counters.decode_ns;
  totals.damaged_blocks += counters.damaged_blocks;
  totals.damaged_frames += counters.damaged_frames;
  totals.level = counters.level;
}

}  // namespace

DecodeAhead::DecodeAhead(const PanelConfig& config, std::filesystem::path movies,
                         const GlobalClock& clock, const SceneSlot& scenes, PictureRing& ring,
                         TraceRecorder* trace, Callbacks callbacks)
    : config_(config),
      movies_(std::move(movies)),
      clock_(clock),
      scenes_(scenes),
      ring_(ring),
      trace_(trace),
      callbacks_(std::move(callbacks)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void DecodeAhead::join_at(std::uint64_t schedule, std::int64_t tick) {
  join_tick_ = tick;
  join_schedule_ = schedule;
}

DecodeTotals DecodeAhead::totals() const {
  const std::scoped_lock lock(source_mutex_);
  DecodeTotals totals = closed_totals_;
  if (source_) add(totals, source_->counters());
  if (source_) totals.decoder = source_->decoder_status();
  return totals;
}

void DecodeAhead::run(const std::stop_token& stop) {
  const TraceThread thread(trace_, config_.name + " decode");
  use_background_priority();  // the sources' own threads inherit it
  while (const ScenePtr scene = scenes_.wait_newer(version_, stop)) {
    version_ = scene->version;
    trace_instant("scene change");
    try {
      open(*scene, stop);
      play(*scene, stop);
    } catch (const std::exception& error) {
      callbacks_.failed(error.what());
    }
  }
}

void DecodeAhead::open(const Scene& scene, const std::stop_token& stop) {
  if (scene.schedule != schedule_) {
    schedule_ = scene.schedule;
    next_ = join_schedule_ == scene.schedule ? join_tick_.load() : 0;
  }
  const SourceSpec& spec = scene.regions.front().source;
  if (source_ && spec == open_spec_ && scene.bezels == open_bezels_) return;
  const TraceSpan span("open source");
  const MovieAccess movies{movies_, [this, stop] { return is_abandoned(stop); }};
  abandon_at_ = LocalInstant{Nanos::max()};
  std::unique_ptr<PictureSource> source = open_source(spec, config_, scene.bezels, movies);
  {
    const std::scoped_lock lock(source_mutex_);
    if (source_) add(closed_totals_, source_->counters());
    source_.swap(source);  // the old one ends below: its threads may take their time
  }
  open_spec_ = spec;
  open_bezels_ = scene.bezels;
}

void DecodeAhead::play(const Scene& scene, const std::stop_token& stop) {
  const Timeline& timeline = scene.regions.front().timeline;
  const auto end = timeline.paused() ? std::optional<std::int64_t>(1) : timeline.tick_count();
  while (!end || next_ < *end) {
    const auto buffer = wait_for_buffer(stop);
    if (!buffer) return;
    if (scenes_.get()->version != scene.version) return ring_.give_back(*buffer);
    std::int64_t tick = next_tick(timeline, next_);
    const std::int64_t following = next_tick(timeline, tick + 1);
    if (!end || following < *end) source_->expect_next(timeline.frame_of(following));
    const TickEnd end_of_tick = play_tick(scene, tick, *buffer, stop);
    if (end_of_tick != TickEnd::shown) ring_.give_back(*buffer);
    if (end_of_tick != TickEnd::interrupted) next_ = tick + 1;
  }
}

DecodeAhead::TickEnd DecodeAhead::play_tick(const Scene& scene, std::int64_t tick,
                                            std::size_t buffer, const std::stop_token& stop) {
  const Timeline& timeline = scene.regions.front().timeline;
  const std::int64_t frame = timeline.frame_of(tick);
  if (drops(timeline) && source_->ready(frame)) return play_newest(scene, tick, buffer, stop);
  abandon_at_ = LocalInstant{Nanos::max()};
  return decode(scene, tick, frame, buffer);
}

DecodeAhead::TickEnd DecodeAhead::play_newest(const Scene& scene, std::int64_t tick,
                                              std::size_t buffer, const std::stop_token& stop) {
  const Timeline& timeline = scene.regions.front().timeline;
  const std::int64_t own = timeline.frame_of(tick);
  const LocalInstant decided = clock_.mapping().to_local(decision_instant(timeline, tick));
  while (!scene_ended(stop)) {
    const bool is_decided = local_now() >= decided;
    const auto ready = source_->ready(own);
    const auto frame = frame_at(timeline, tick, ready->pictures, clock_.mapping());
    abandon_at_ = local_now() + shortest_wait;  // it is there, or was overwritten just now
    if (frame == own || ready->lost) return decode(scene, tick, own, buffer);
    if (is_decided) return frame ? decode(scene, tick, *frame, buffer) : TickEnd::passed;
    source_->await(own, decided);
  }
  return TickEnd::interrupted;
}

std::optional<std::size_t> DecodeAhead::wait_for_buffer(const std::stop_token& stop) {
  const TraceSpan span("wait for buffer");
  return ring_.acquire(stop);
}

bool DecodeAhead::drops(const Timeline& timeline) const noexcept {
  return config_.late == LatePolicy::drop && !timeline.paused() && timeline.start < never;
}

bool DecodeAhead::scene_ended(const std::stop_token& stop) const {
  return stop.stop_requested() || scenes_.get()->version != version_;
}

bool DecodeAhead::is_abandoned(const std::stop_token& stop) const {
  return scene_ended(stop) || local_now() > abandon_at_;
}

std::int64_t DecodeAhead::next_tick(const Timeline& timeline, std::int64_t wanted) const {
  if (!drops(timeline)) return wanted;
  const GlobalInstant done = clock_.mapping().to_global(local_now()) + mean_decode_;
  const auto behind = timeline.tick_at(done - timeline.period() / 2);  // the newest one too late
  const auto last = timeline.tick_count();
  const std::int64_t in_time = behind ? std::max(wanted, *behind + 1) : wanted;
  return last && wanted < *last ? std::min(in_time, *last - 1) : in_time;
}

DecodeAhead::TickEnd DecodeAhead::decode(const Scene& scene, std::int64_t tick, std::int64_t frame,
                                         std::size_t buffer) {
  const Region& region = scene.regions.front();
  const TraceSpan span("picture", {frame, tick});
  const ImageView picture = ring_.image(buffer);
  ImageView last = {};
  const bool has_last = last_buffer_ && *last_buffer_ != buffer;
  if (has_last) last = ring_.image(*last_buffer_);

  const LocalInstant started = local_now();
  const PanelPlacement at = place_on_panel(region, on_canvas(config_, scene.bezels));
  const DrawStatus drawn = draw_region(*source_, at, frame, picture, has_last ? &last : nullptr);
  if (drawn == DrawStatus::abandoned)
    return local_now() > abandon_at_ ? TickEnd::passed : TickEnd::interrupted;
  if (drawn == DrawStatus::damaged) trace_instant("damaged frame");
  const bool may_have_waited = !drops(region.timeline) && source_->ready(frame);
  if (!may_have_waited) mean_decode_ += ((local_now() - started) - mean_decode_) / mean_weight;

  last_buffer_ = buffer;
  ring_.push({scene.schedule, tick, frame, config_.hashes ? hash_of(picture) : 0,
              source_->counters().level, buffer});
  trace_counter("pictures ready", static_cast<double>(ring_.ready()));
  callbacks_.ready(scene.schedule, tick);
  return TickEnd::shown;
}

}  // namespace tilewall
