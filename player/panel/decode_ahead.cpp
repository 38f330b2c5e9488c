#include "player/panel/decode_ahead.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "player/panel/open_source.hpp"
#include "player/scene/placement.hpp"
#include "sync/pacing/thread_priority.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

constexpr std::int64_t longest_lag = 256;  // ticks that a source may be behind and still be shown
constexpr std::chrono::milliseconds shortest_wait{20};  // for a picture that is too late already
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
  const MovieAccess movies{movies_, [this, stop] {
                             return stop.stop_requested() || scenes_.get()->version != version_;
                           }};
  abandon_at_ = LocalInstant{Nanos::max()};
  std::unique_ptr<PictureSource> opened = open_source(spec, config_, scene.bezels, movies);
  const std::scoped_lock lock(source_mutex_);
  if (source_) add(closed_totals_, source_->counters());
  source_ = std::move(opened);
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
    if (!end || tick + 1 < *end) source_->expect_next(timeline.frame_of(tick + 1));
    bool decoded = decode(scene, tick, *buffer);
    if (!decoded) {  // a source that others decode for is behind: the newest picture it has
      const auto ready = ready_tick(timeline, tick);
      if (ready) decoded = decode(scene, tick = *ready, *buffer);
    }
    if (decoded)
      next_ = tick + 1;
    else
      ring_.give_back(*buffer);
  }
}

std::optional<std::size_t> DecodeAhead::wait_for_buffer(const std::stop_token& stop) {
  const TraceSpan span("wait for buffer");
  return ring_.acquire(stop);
}

bool DecodeAhead::is_abandoned(const std::stop_token& stop) const {
  return stop.stop_requested() || scenes_.get()->version != version_ || local_now() > abandon_at_;
}

LocalInstant DecodeAhead::too_late_for(const Timeline& timeline, std::int64_t tick) const {
  if (config_.late != LatePolicy::drop || timeline.paused() || timeline.start >= never)
    return LocalInstant{Nanos::max()};
  return clock_.mapping().to_local(timeline.due(tick) + timeline.period() / 2);
}

/// The last tick from next_ on, before `before`, whose picture is there; empty where none is.
std::optional<std::int64_t> DecodeAhead::ready_tick(const Timeline& timeline,
                                                    std::int64_t before) const {
  for (std::int64_t tick = before - 1; tick >= next_ && tick >= before - longest_lag; --tick)
    if (source_->is_ready(timeline.frame_of(tick))) return tick;
  return std::nullopt;
}

std::int64_t DecodeAhead::next_tick(const Timeline& timeline, std::int64_t wanted) const {
  if (config_.late != LatePolicy::drop || timeline.paused() || timeline.start >= never)
    return wanted;
  const GlobalInstant done = clock_.mapping().to_global(local_now()) + mean_decode_;
  const auto behind = timeline.tick_at(done - timeline.period() / 2);  // the newest one too late
  const auto last = timeline.tick_count();
  const std::int64_t in_time = behind ? std::max(wanted, *behind + 1) : wanted;
  return last && wanted < *last ? std::min(in_time, *last - 1) : in_time;
}

bool DecodeAhead::decode(const Scene& scene, std::int64_t tick, std::size_t buffer) {
  const Region& region = scene.regions.front();
  const std::int64_t frame = region.timeline.frame_of(tick);
  const TraceSpan span("picture", {frame, tick});
  const ImageView picture = ring_.image(buffer);
  ImageView last = {};
  const bool has_last = last_buffer_ && *last_buffer_ != buffer;
  if (has_last) last = ring_.image(*last_buffer_);

  const LocalInstant started = local_now();
  abandon_at_ = std::max(too_late_for(region.timeline, tick), started + shortest_wait);
  const PanelPlacement at = place_on_panel(region, on_canvas(config_, scene.bezels));
  const DrawStatus drawn = draw_region(*source_, at, frame, picture, has_last ? &last : nullptr);
  if (drawn == DrawStatus::abandoned) return false;
  if (drawn == DrawStatus::damaged) trace_instant("damaged frame");
  mean_decode_ += ((local_now() - started) - mean_decode_) / mean_weight;

  last_buffer_ = buffer;
  ring_.push({scene.schedule, tick, frame, config_.hashes ? hash_of(picture) : 0,
              source_->counters().level, buffer});
  trace_counter("pictures ready", static_cast<double>(ring_.ready()));
  callbacks_.ready(scene.schedule, tick);
  return true;
}

}  // namespace tilewall
