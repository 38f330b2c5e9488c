#include "player/panel/source_cache.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sync/trace/trace.hpp"

namespace tilewall::panel {
namespace {

// Enough for a scene's regions and the next items of their playlists. Each holds files and memory.
constexpr std::size_t usual_most_open = 16;
constexpr std::size_t open_per_region = 2;  // a playlist's present item, and its next one
constexpr std::chrono::milliseconds abandon_interval{20};
constexpr std::size_t max_closed_deaths = 128;
constexpr std::size_t max_closed_movies = 128;

void add(DecodeTotals& totals, const picture::DrawCounters& counters) {
  totals.read_bytes += counters.read_bytes;
  totals.decoded_px += counters.decoded_px;
  totals.decode_ns += counters.decode_ns;
  totals.damaged_blocks += counters.damaged_blocks;
  totals.damaged_frames += counters.damaged_frames;
  totals.received_bytes += counters.received_bytes;
  totals.lost_packets += counters.lost_packets;
  totals.repaired_packets += counters.repaired_packets;
  totals.samples += counters.samples;
}

/// Adds a death that is not known yet. A source that was closed and opened again reports the same
/// deaths again, perhaps now with the instant at which the decoder was back.
void add(std::vector<scene::DecoderDeath>& deaths, const scene::DecoderDeath& death) {
  const auto known = std::ranges::find(deaths, death.died_ns, &scene::DecoderDeath::died_ns);
  if (known == deaths.end())
    deaths.push_back(death);
  else if (known->back_ns == 0)
    known->back_ns = death.back_ns;
}

/// Merges the status of an older source into that of the newer ones.
void add(std::optional<scene::DecoderStatus>& all, scene::DecoderStatus status) {
  if (!all) {
    all = std::move(status);
    return;
  }
  for (const scene::DecodedMovie& movie : status.movies) scene::add_newest(all->movies, movie);
  if (all->device_note.empty()) all->device_note = std::move(status.device_note);
  for (const scene::DecoderDeath& death : status.deaths) add(all->deaths, death);
}

/// Whether an open source can serve `wanted`. A growing movie may have become longer; any other
/// change of length or rate means that the file was replaced.
bool opens_same(const scene::SourceSpec& open, const scene::SourceSpec& wanted) {
  const bool is_as_long = open.frames == wanted.frames && open.fps == wanted.fps;
  return open.kind == wanted.kind && open.path == wanted.path && open.files == wanted.files &&
         open.size_px == wanted.size_px && (open.growing || is_as_long);
}

bool names(const scene::SourceSpec& source, const scene::SourceSpec& wanted) {
  return opens_same(source, wanted) ||
         std::ranges::any_of(source.items, [&](const scene::PlaylistItem& item) {
           return opens_same(*item.source, wanted);
         });
}

bool is_named(const std::vector<scene::SourcePtr>& named, const scene::SourceSpec& wanted) {
  return std::ranges::any_of(
      named, [&](const scene::SourcePtr& source) { return names(*source, wanted); });
}

}  // namespace

bool SourceCache::Slot::is_opening() const {
  return !source && opening.valid() &&
         opening.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

bool SourceCache::Slot::can_be_destroyed() const {
  return !is_opening() && !(source && source->is_busy());
}

SourceCache::Slot& SourceCache::slot_of(const scene::SourcePtr& spec) {
  const auto find = [&](auto&& same) {
    return std::find_if(slots_.begin(), slots_.end(),
                        [&](const Slot& slot) { return same(*slot.spec, *spec); });
  };
  auto found =
      find([](const scene::SourceSpec& a, const scene::SourceSpec& b) { return &a == &b; });
  if (found == slots_.end()) found = find(opens_same);
  const std::scoped_lock lock(mutex_);
  if (found != slots_.end()) {
    found->spec = spec;
    slots_.splice(slots_.begin(), slots_, found);
  } else {
    slots_.push_front({spec, {}, nullptr});
    close_oldest();
  }
  return slots_.front();
}

void SourceCache::open(Slot& slot) {
  // A pattern is only computed, so nothing can keep it waiting, not even the lack of a thread.
  if (slot.spec->kind == scene::SourceKind::pattern) {
    std::shared_ptr<picture::PictureSource> source = open_(*slot.spec);
    const std::scoped_lock lock(mutex_);
    slot.source = std::move(source);
    return;
  }
  slot.opening = std::async(std::launch::async, [open = open_, spec = slot.spec,
                                                 parent = sync::trace_parent()] {
                   const sync::TraceThread trace(parent, "open");
                   return std::shared_ptr<picture::PictureSource>(open(*spec));
                 }).share();
}

void SourceCache::want(const scene::SourcePtr& spec) {
  Slot& slot = slot_of(spec);
  if (slot.source || slot.opening.valid()) return;
  open(slot);
}

picture::PictureSource* SourceCache::find(const scene::SourcePtr& spec) {
  Slot& slot = slot_of(spec);
  if (slot.source) return slot.source.get();
  if (!slot.opening.valid()) open(slot);
  if (slot.source) return slot.source.get();
  if (slot.is_opening()) return nullptr;
  std::shared_ptr<picture::PictureSource> source = std::exchange(slot.opening, {}).get();
  const std::scoped_lock lock(mutex_);
  slot.source = std::move(source);
  return slot.source.get();
}

picture::PictureSource* SourceCache::get(const scene::SourcePtr& spec,
                                         const std::function<bool()>& abandon) {
  for (;;) {
    if (picture::PictureSource* const source = find(spec)) return source;
    const auto opening = slot_of(spec).opening;
    if (!abandon) {
      opening.wait();
      continue;
    }
    if (abandon()) return nullptr;
    opening.wait_for(abandon_interval);
  }
}

bool SourceCache::is_open(const scene::SourcePtr& spec) const noexcept {
  auto found = std::ranges::find(slots_, spec, &Slot::spec);
  if (found == slots_.end())  // two regions may name the same movie by a SourcePtr each
    found = std::ranges::find_if(slots_,
                                 [&](const Slot& slot) { return opens_same(*slot.spec, *spec); });
  return found != slots_.end() && found->source != nullptr;
}

/// Adds a source that is about to be closed to the totals. @pre mutex_ is held
void SourceCache::note_closed(const Slot& slot) {
  if (!slot.source) return;
  add(closed_, slot.source->counters());
  const std::optional<scene::DecoderStatus> decoder = slot.source->decoder_status();
  if (!decoder) return;
  for (const scene::DecoderDeath& death : decoder->deaths) add(closed_deaths_, death);
  if (closed_deaths_.size() > max_closed_deaths)
    closed_deaths_.erase(closed_deaths_.begin(),
                         closed_deaths_.end() - std::ptrdiff_t{max_closed_deaths});
  for (const scene::DecodedMovie& movie : decoder->movies) scene::add_newest(closed_movies_, movie);
  if (closed_movies_.size() > max_closed_movies)
    closed_movies_.erase(closed_movies_.begin(),
                         closed_movies_.end() - std::ptrdiff_t{max_closed_movies});
}

/// Keeps those of the closed sources that cannot be destroyed yet, and those of earlier calls that
/// still cannot. The others are left in `closed`.
void SourceCache::set_aside(std::list<Slot>& closed) {
  closed.splice(closed.end(), set_aside_);
  for (auto slot = closed.begin(); slot != closed.end();) {
    const auto here = slot++;
    if (!here->can_be_destroyed()) set_aside_.splice(set_aside_.end(), closed, here);
  }
}

/// @pre mutex_ is held
std::optional<scene::DecoderStatus> SourceCache::decoder_status() const {
  std::optional<scene::DecoderStatus> all;
  for (const Slot& slot : slots_)
    if (slot.source)
      if (auto decoder = slot.source->decoder_status()) add(all, std::move(*decoder));
  if (!all) return all;
  for (const scene::DecoderDeath& death : closed_deaths_) add(all->deaths, death);
  for (const scene::DecodedMovie& movie : closed_movies_) scene::add_newest(all->movies, movie);
  return all;
}

/// @pre mutex_ is held
void SourceCache::close_oldest() {
  if (slots_.size() <= most_open_) return;
  note_closed(slots_.back());
  std::list<Slot> closed;
  closed.splice(closed.end(), slots_, std::prev(slots_.end()));
  set_aside(closed);
}

/// Closes the sources for which `closes` is true and that are not named.
template <typename Closes>
void SourceCache::close_where(const std::vector<scene::SourcePtr>& named, Closes&& closes) {
  most_open_ = std::max(usual_most_open, named.size() * open_per_region);
  std::list<Slot> closed;  // destroyed after the lock is released, since closing may be slow
  const std::scoped_lock lock(mutex_);
  for (auto slot = slots_.begin(); slot != slots_.end();) {
    const auto here = slot++;
    if (!closes(*here) || is_named(named, *here->spec)) continue;
    note_closed(*here);
    closed.splice(closed.end(), slots_, here);
  }
  set_aside(closed);
}

void SourceCache::close_volumes_but(const std::vector<scene::SourcePtr>& named) {
  close_where(named, [](const Slot& slot) {
    return slot.spec->kind == scene::SourceKind::volume && !slot.is_opening();
  });
}

void SourceCache::close_but(const std::vector<scene::SourcePtr>& named) {
  close_where(named, [](const Slot& slot) { return !slot.is_opening(); });
}

bool SourceCache::take(SourceCache& from, const std::vector<scene::SourcePtr>& named,
                       bool replaces) {
  std::list<Slot> closed;
  bool any = false;
  const std::scoped_lock lock(mutex_, from.mutex_);
  for (auto slot = from.slots_.begin(); slot != from.slots_.end();) {
    const auto here = slot++;
    if (!is_named(named, *here->spec)) continue;
    const auto own = std::ranges::find_if(
        slots_, [&](const Slot& open) { return opens_same(*open.spec, *here->spec); });
    const bool is_open = own != slots_.end() && own->source != nullptr;
    if (is_open && (!replaces || here->source == nullptr)) continue;
    if (own != slots_.end()) {
      note_closed(*own);
      closed.splice(closed.end(), slots_, own);
    }
    slots_.splice(slots_.begin(), from.slots_, here);
    any = true;
  }
  while (slots_.size() > most_open_) close_oldest();
  set_aside(closed);
  return any;
}

void SourceCache::clear() {
  std::list<Slot> closed;
  const std::scoped_lock lock(mutex_);
  for (const Slot& slot : slots_) note_closed(slot);
  closed.swap(slots_);
  set_aside(closed);
}

void SourceCache::keep_connected() {
  for (const Slot& slot : slots_)
    if (slot.source) slot.source->keep_connected();
}

DecodeTotals SourceCache::totals() const {
  const std::scoped_lock lock(mutex_);
  DecodeTotals totals = closed_;
  for (const Slot& slot : slots_) {
    if (!slot.source) continue;
    add(totals, slot.source->counters());
    totals.window_bytes += slot.source->counters().window_bytes;
    totals.staged_bytes += slot.source->counters().staged_bytes;
    totals.stage_budget_bytes = std::max<std::uint64_t>(totals.stage_budget_bytes,
                                                        slot.source->counters().stage_budget_bytes);
    if (const auto volume = slot.source->volume_status()) {
      if (totals.volume)
        totals.volume->progress = std::min(totals.volume->progress, volume->progress);
      else
        totals.volume = volume;
    }
  }
  totals.decoder = decoder_status();
  const auto newest = std::find_if(slots_.begin(), slots_.end(),
                                   [](const Slot& slot) { return slot.source != nullptr; });
  if (newest != slots_.end()) totals.level = newest->source->counters().level;
  return totals;
}

}  // namespace tilewall::panel
